// How long Kafka's own DefaultRecordBatch takes for each record of the batch in a file.
// usage: java -cp JARS RecordIteration.java FILE
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

public class RecordIteration {
    static final int ROUNDS = 3000;
    static long seen = 0;

    static int goThrough(ByteBuffer bytes) {
        int count = 0;
        for (RecordBatch batch : MemoryRecords.readableRecords(bytes.duplicate()).batches())
            for (Record record : batch) {
                seen += (record.offset() & 1) + record.key().remaining() + record.value().remaining();
                count++;
            }
        return count;
    }

    public static void main(String[] args) throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0])));
        double least = Double.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            int count = goThrough(bytes);
            least = Math.min(least, (double) (System.nanoTime() - began) / count);
        }
        System.out.printf("%-52s %10.1f ns a record%n", "Java's DefaultRecordBatch", least);
    }
}
