// A test as a user would write it, in Java: the coordinator of a transaction dies once PREPARE_COMMIT
// is replicated, before any marker is written. The commit must survive it, and be read once.
// usage: java CoordinatorCrash.java FENCEPOST
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class CoordinatorCrash {
  /** A cluster of three brokers in a process of its own, and its control API. */
  static class Cluster implements AutoCloseable {
    final Process process;
    final String bootstrap;
    final String control;
    final HttpClient http = HttpClient.newHttpClient();

    Cluster(String fencepost) throws Exception {
      process = new ProcessBuilder(fencepost, "serve", "--port", "0", "--brokers", "3",
          "--topic", "payments:1:3", "--control", "0").start();
      BufferedReader lines = process.inputReader();
      bootstrap = lines.readLine().split(" ")[2];
      for (int others = 0; others < 2; others++) lines.readLine();
      control = lines.readLine().split("[ ,]")[3];
    }

    String get(String path) throws Exception {
      return send(HttpRequest.newBuilder(URI.create(control + path)).build());
    }

    String post(String path, String json) throws Exception {
      return send(HttpRequest.newBuilder(URI.create(control + path))
          .POST(HttpRequest.BodyPublishers.ofString(json)).build());
    }

    String send(HttpRequest request) throws Exception {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) throw new AssertionError(request.uri() + ": " + answer.body());
      return answer.body();
    }

    @Override
    public void close() throws Exception {
      process.destroy();
      if (process.waitFor() != 0)
        throw new AssertionError("the cluster ended with " + process.exitValue());
    }
  }

  public static void main(String[] arguments) throws Exception {
    try (Cluster cluster = new Cluster(arguments[0])) {
      cluster.post("/v1/crashes",
          "{\"point\": \"replicated_prepare_commit\", \"subject\": \"cashier\"}");
      try (KafkaProducer<String, String> producer = new KafkaProducer<>(
          Map.of("bootstrap.servers", cluster.bootstrap, "transactional.id", "cashier"),
          new StringSerializer(), new StringSerializer())) {
        producer.initTransactions();
        producer.beginTransaction();
        producer.send(new ProducerRecord<>("payments", 0, "order-1", "42 EUR"));
        producer.commitTransaction();  // returns when another broker has taken over
      }
      cluster.get("/v1/transactions/cashier?until_state=CompleteCommit");
      expect("brokers that are down", 1,
          cluster.get("/v1/cluster").split("\"down\"", -1).length - 1);
      expect("payments", List.of("42 EUR"), read(cluster));
    }
    System.out.println("the commit survived its coordinator");
  }

  static List<String> read(Cluster cluster) {
    List<String> values = new ArrayList<>();
    TopicPartition partition = new TopicPartition("payments", 0);
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
        Map.of("bootstrap.servers", cluster.bootstrap, "isolation.level", "read_committed"),
        new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end)
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1)))
          values.add(record.value());
    }
    return values;
  }

  static void expect(String what, Object expected, Object actual) {
    if (!expected.equals(actual))
      throw new AssertionError(what + ": expected " + expected + ", got " + actual);
  }
}
