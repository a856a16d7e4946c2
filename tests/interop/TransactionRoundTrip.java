// Commits and aborts transactions with offsets through Kafka's Java client, reads everything back
// under both isolation levels, and fences a producer by its successor.
// usage: java TransactionRoundTrip.java HOST:PORT
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class TransactionRoundTrip {
  static final Duration patience = Duration.ofSeconds(20);
  static final String name = "round-trip-" + ProcessHandle.current().pid();
  static final TopicPartition partition = new TopicPartition(name, 0);
  static String bootstrap;

  public static void main(String[] arguments) throws Exception {
    bootstrap = arguments[0];
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      admin.createTopics(List.of(new NewTopic(name, Optional.of(1), Optional.empty()))).all().get();
      try (KafkaProducer<String, String> producer = producer()) {
        producer.initTransactions();
        transaction(producer, "aborted-1", 5, false);
        transaction(producer, "committed-1", 2, true);
        transaction(producer, "aborted-2", 7, false);
        transaction(producer, "committed-2", 3, true);
        transaction(producer, "aborted-3", 9, false);
        transaction(producer, "last", 4, true);
        expect("read_committed", List.of("committed-1", "committed-2", "last"),
            read("read_committed"));
        expect("read_uncommitted",
            List.of("aborted-1", "committed-1", "aborted-2", "committed-2", "aborted-3", "last"),
            read("read_uncommitted"));
        expect("committed offset", 4L, committedOffset());
        fence(producer);
      }
    }
    System.out.println("committed, aborted, read back and fenced");
  }

  @SuppressWarnings("removal")  // the metadata of a group without members
  static void transaction(
      KafkaProducer<String, String> producer, String value, long offset, boolean commits)
      throws Exception {
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(name, "key", value)).get();
    producer.sendOffsetsToTransaction(
        Map.of(partition, new OffsetAndMetadata(offset)), new ConsumerGroupMetadata(name));
    if (commits) {
      producer.commitTransaction();
    } else {
      producer.abortTransaction();
    }
  }

  // A successor with the same transactional.id takes over; the old producer must not commit.
  static void fence(KafkaProducer<String, String> old) throws Exception {
    old.beginTransaction();
    old.send(new ProducerRecord<>(name, "key", "of the old owner")).get();
    try (KafkaProducer<String, String> successor = producer()) {
      successor.initTransactions();
      try {
        old.commitTransaction();
        throw new AssertionError("the old producer committed");
      } catch (ProducerFencedException | InvalidProducerEpochException expected) {
        transaction(successor, "of the successor", 6, true);
      }
    }
    expect("offset of the successor", 6L, committedOffset());
  }

  static KafkaProducer<String, String> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", bootstrap, "transactional.id", name),
        new StringSerializer(), new StringSerializer());
  }

  static KafkaConsumer<String, String> consumer(String isolation) {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrap, "isolation.level", isolation, "group.id", name,
            "enable.auto.commit", "false"),
        new StringDeserializer(), new StringDeserializer());
  }

  // All values up to and including "last".
  static List<String> read(String isolation) {
    List<String> values = new ArrayList<>();
    long deadline = System.nanoTime() + patience.toNanos();
    try (KafkaConsumer<String, String> consumer = consumer(isolation)) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      while (!values.contains("last") && System.nanoTime() < deadline) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> values.add(record.value()));
      }
    }
    return values;
  }

  // Waits for offsets whose markers are still on their way (require_stable).
  static long committedOffset() {
    try (KafkaConsumer<String, String> consumer = consumer("read_committed")) {
      return Optional.ofNullable(
              consumer.committed(java.util.Set.of(partition), patience).get(partition))
          .map(OffsetAndMetadata::offset)
          .orElse(-1L);
    }
  }

  static void expect(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError(what + ": expected " + expected + ", got " + actual);
    }
  }
}
