// Settings by Kafka's and librdkafka's names.
#include "client/configuration.h"

#include "client/transactional_producer.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;

namespace {

std::string problem(std::string_view assignment) {
  const Result<void> set = Configuration().set(assignment);
  REQUIRE_FALSE(set.ok());
  return set.error().text;
}

}  // namespace

TEST_CASE("A property file of Kafka's tools says whom to connect to and as whom", "[client]") {
  Configuration configuration;
  const Result<void> read = configuration.read_properties(
      "# ours\n"
      "bootstrap.servers = a:9092,b:9093\n"
      "security.protocol: SASL_PLAINTEXT\n"
      "sasl.mechanism=SCRAM-SHA-256\n"
      "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n"
      "    username=\"alice\" \\\n"
      "    password=\"sec\\\"ret\";\n"
      "client.id=c1\n"
      "request.timeout.ms=5000\n"
      "key.serializer=org.apache.kafka.common.serialization.StringSerializer\n");
  REQUIRE(read.ok());
  CHECK(configuration.bootstrap() == std::vector<Address>{{"a", 9092}, {"b", 9093}});
  const auto options = configuration.connection();
  REQUIRE(options.ok());
  CHECK(options->client_id == "c1");
  CHECK(options->request_timeout == milliseconds(5000));
  REQUIRE(options->sasl.has_value());
  CHECK(options->sasl->mechanism == "SCRAM-SHA-256");
  CHECK(options->sasl->username == "alice");
  CHECK(options->sasl->password == "sec\"ret");
  const auto tls = configuration.tls();
  REQUIRE(tls.ok());
  CHECK_FALSE(tls->has_value());
}

TEST_CASE("librdkafka's names mean the same", "[client]") {
  Configuration configuration;
  for (const std::string_view assignment :
       {"metadata.broker.list=a:1", "security.protocol=sasl_plaintext", "sasl.mechanisms=PLAIN",
        "sasl.username=alice", "sasl.password=a=b"})
    REQUIRE(configuration.set(assignment).ok());
  CHECK(configuration.bootstrap().size() == 1);
  CHECK(configuration.connection()->sasl->password == "a=b");
}

TEST_CASE("Without SASL nobody is named, whatever else is set", "[client]") {
  Configuration configuration;
  REQUIRE(configuration.set("sasl.username=alice").ok());
  CHECK_FALSE(configuration.connection()->sasl.has_value());
}

TEST_CASE("A mistake names the nearest known setting, or what would be right", "[client]") {
  CHECK(problem("sasl.usrname=a").find("did you mean sasl.username") != std::string::npos);
  CHECK(problem("security.protocol=TLS").find("SASL_SSL, not 'TLS'") != std::string::npos);
  CHECK(problem("sasl.mechanism=GSSAPI").find("SCRAM-SHA-512") != std::string::npos);
  CHECK(problem("ssl.truststore.type=JKS").find("PEM") != std::string::npos);
  CHECK(problem("request.timeout.ms=0").find("positive") != std::string::npos);
  CHECK(problem("bootstrap.servers=nowhere").find("HOST:PORT") != std::string::npos);
  CHECK(problem("nothing").find("name=value") != std::string::npos);
}

TEST_CASE("A mistake in a property file names its line", "[client]") {
  Configuration configuration;
  const Result<void> read =
      configuration.read_properties("client.id=\\\n  c\n\nsecurity.protocl=SSL\n");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().text.find("line 4: unknown setting 'security.protocl'") == 0);
  CHECK(configuration.read_file("/nowhere/client.properties")
            .error()
            .text.find("cannot read the file '/nowhere/client.properties'") != std::string::npos);
}

TEST_CASE("SASL without a user, and TLS without its files, say what is missing", "[client]") {
  Configuration configuration;
  REQUIRE(configuration.set("security.protocol=SASL_SSL").ok());
  CHECK(configuration.connection().error().text.find("needs sasl.username") != std::string::npos);
  REQUIRE(configuration.set("ssl.ca.location=/nowhere/ca.pem").ok());
  CHECK(configuration.tls().error().text ==
        "ssl.ca.location: cannot read the file '/nowhere/ca.pem'");
}

TEST_CASE("A producer is configured by Kafka's names", "[client]") {
  Configuration configuration;
  for (const char* setting :
       {"compression.type=zstd", "batch.size=1000", "buffer.memory=5000",
        "delivery.timeout.ms=7000", "transaction.timeout.ms=9000", "transactional.id=t"})
    REQUIRE(configuration.set(setting).ok());
  const TransactionalProducerOptions producer = configuration.producer().value();
  CHECK(producer.pipeline.compression == protocol::CompressionType::zstd);
  CHECK(producer.pipeline.batch_bytes_max == 1000);
  CHECK(producer.buffered_bytes_max == 5000);
  CHECK(producer.pipeline.delivery_timeout == std::chrono::seconds(7));
  CHECK(producer.transaction_timeout == std::chrono::seconds(9));
  CHECK(producer.transactional_id == "t");
  CHECK(problem("compression.type=brotli") ==
        "compression.type has to be none, gzip, snappy, lz4 or zstd, not 'brotli'");
  REQUIRE(configuration.set("batch.size=6000").ok());
  CHECK(configuration.producer().error().text == "batch.size is above buffer.memory");
}
