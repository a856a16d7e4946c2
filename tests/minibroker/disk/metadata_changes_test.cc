// The cluster's metadata as records: what changes from image to image can be put together again.
#include "minibroker/disk/metadata_changes.h"

#include "minibroker/disk/meta_properties.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

Uuid uuid(std::uint8_t last) {
  Uuid id;
  id.bytes.back() = last;
  return id;
}

void put_topic(MetadataImage& image, const std::string& name, std::uint8_t id, int partitions) {
  TopicImage& topic = image.topics[name];
  topic.name = name;
  topic.id = uuid(id);
  image.names_by_id[topic.id] = name;
  for (int i = 0; i < partitions; ++i) topic.partitions.push_back({1, 0, {1, 2}, {1, 2}});
}

// An image from moment to moment, and what its records say.
struct Bench {
  Bench() {
    image.settings = std::make_shared<const ClusterSettings>();
    image.addresses = {{1, {{"PLAINTEXT", {"one", 9092}}, {"SSL", {"one", 9192}}}},
                       {2, {{"PLAINTEXT", {"two", 9093}}}}};
    image.brokers = image.addresses;
    identities.directory_ids = {{1, uuid(101)}, {2, uuid(102)}};
    written.image = std::make_shared<const MetadataImage>();
  }
  std::size_t write() {
    DurableMetadata now{std::make_shared<const MetadataImage>(image), feature_levels_of(image),
                        next_producer_id, acl_ids_of(image, written.acl_ids)};
    const std::vector<SharedBytes> values = metadata_changes(written, now, identities);
    for (const SharedBytes& value : values) REQUIRE(replay.apply(value).ok());
    written = std::move(now);
    return values.size();
  }
  DurableMetadata read() const {
    MetadataReplay copy = replay;
    return copy.take();
  }
  PartitionImage& partition() { return image.topics.at("a").partitions.at(0); }

  MetadataImage image;
  std::int64_t next_producer_id = 0;
  BrokerIdentities identities;
  DurableMetadata written;
  MetadataReplay replay;
};

}  // namespace

TEST_CASE("Records put the metadata together again", "[disk][metadata]") {
  Bench bench;
  put_topic(bench.image, "a", 1, 2);
  put_topic(bench.image, "b", 2, 1);
  bench.image.topics.at("a").config = {{"retention.ms", "1"}, {"cleanup.policy", "compact"}};
  bench.image.configs[{ConfigResource::broker, ""}] = {{"message.max.bytes", "5"}};
  bench.next_producer_id = 3000;
  CHECK(bench.write() > 0);
  CHECK(bench.write() == 0);

  // Two epochs begin in one step, and the list of replicas that are in sync shrinks.
  bench.partition().leader_epoch += 2;
  bench.partition().leader_id = 2;
  bench.partition().in_sync_replicas = {2};
  bench.partition().replicas = {2, 1};
  bench.image.brokers.erase(bench.image.brokers.begin());
  bench.image.topics.at("a").config = {{"retention.ms", "2"}};
  bench.image.configs.clear();
  bench.image.names_by_id.erase(bench.image.topics.at("b").id);
  bench.image.topics.erase("b");
  put_topic(bench.image, "b", 3, 4);
  CHECK(bench.write() > 0);

  const DurableMetadata read = bench.read();
  CHECK(read.next_producer_id == 3000);
  CHECK(read.feature_levels == feature_levels_of(bench.image));
  CHECK(read.image->addresses == bench.image.addresses);
  CHECK(read.image->brokers == bench.image.brokers);
  CHECK(read.image->configs == bench.image.configs);
  CHECK(read.image->names_by_id == bench.image.names_by_id);
  REQUIRE(read.image->topics.size() == 2);
  for (const auto& [name, topic] : bench.image.topics) {
    const TopicImage& other = read.image->topics.at(name);
    CHECK(other.id == topic.id);
    CHECK(other.config == topic.config);
    CHECK(other.partitions == topic.partitions);
  }
}

TEST_CASE("Records put users and access rules together again", "[disk][metadata]") {
  using security::Acl;
  constexpr auto mechanism = protocol::sasl::ScramMechanism::sha_256;
  Bench bench;
  const auto set_acls = [&](const std::vector<Acl>& acls) {
    security::Authorizer authorizer;
    for (const Acl& acl : acls) authorizer.add(acl);
    bench.image.authorizer = std::make_shared<const security::Authorizer>(authorizer);
  };
  Acl read_all;
  read_all.resource_name = "*";
  read_all.principal = "User:alice";
  read_all.host = "*";
  Acl write_prefix = read_all;
  write_prefix.pattern_type = security::PatternType::prefixed;
  write_prefix.permission = security::Permission::deny;
  security::SaslSettings given;
  given.users = {{"given", "secret"}};
  security::Credentials credentials(given, Random(1, "salts"));
  credentials.set("alice", mechanism, {SharedBytes::copy_of("salt"), {}, {}, 4096});
  credentials.set("bob", mechanism, {SharedBytes::copy_of("salt"), {}, {}, 8192});
  bench.image.credentials = std::make_shared<const security::Credentials>(credentials);
  set_acls({read_all, write_prefix});
  CHECK(bench.write() > 0);
  CHECK(bench.write() == 0);
  CHECK(bench.read().acl_ids.size() == 2);

  credentials.remove("bob", mechanism);
  bench.image.credentials = std::make_shared<const security::Credentials>(credentials);
  set_acls({write_prefix});
  CHECK(bench.write() == 2);
  const DurableMetadata read = bench.read();
  CHECK(read.image->authorizer->acls() == std::set<Acl>{write_prefix});
  CHECK(read.image->credentials->scram_users() == std::vector<std::string>{"alice"});
  CHECK(*read.image->credentials->find("alice", mechanism) ==
        *credentials.find("alice", mechanism));
}

TEST_CASE("Records put quotas together again", "[disk][metadata]") {
  Bench bench;
  const QuotaEntity alice{{"client-id", std::nullopt}, {"user", "alice"}};
  bench.image.client_quotas = {{alice, {{"consumer_byte_rate", 1}, {"producer_byte_rate", 2}}},
                               {{{"ip", "::1"}}, {{"connection_creation_rate", 3}}}};
  CHECK(bench.write() > 3);
  CHECK(bench.write() == 0);
  CHECK(bench.read().image->client_quotas == bench.image.client_quotas);

  bench.image.client_quotas = {{alice, {{"producer_byte_rate", 2.5}}}};
  CHECK(bench.write() == 3);
  CHECK(bench.read().image->client_quotas == bench.image.client_quotas);
}

TEST_CASE("A quota becomes the bytes that Kafka writes", "[disk][metadata]") {
  Bench bench;
  bench.write();
  bench.image.client_quotas = {{{{"user", "alice"}}, {{"producer_byte_rate", 1024}}}};
  const DurableMetadata now{std::make_shared<const MetadataImage>(bench.image),
                            feature_levels_of(bench.image), 0};
  const std::vector<SharedBytes> values = metadata_changes(bench.written, now, bench.identities);
  REQUIRE(values.size() == 1);
  CHECK(
      to_hex(values[0].view()) ==
      "010e0002057573657206616c696365001370726f64756365725f627974655f7261746540900000000000000000");
}

TEST_CASE("A record that cannot be is refused, whatever is wrong with it", "[disk][metadata]") {
  Bench bench;
  put_topic(bench.image, "a", 1, 1);
  DurableMetadata now{std::make_shared<const MetadataImage>(bench.image),
                      feature_levels_of(bench.image), 1000};
  for (const SharedBytes& value : metadata_changes(bench.written, now, bench.identities)) {
    for (std::size_t size = 0; size < value.size(); ++size) {
      MetadataReplay replay;
      CHECK_FALSE(replay.apply(value.slice(0, size)).ok());
    }
    for (std::size_t byte = 0; byte < value.size(); ++byte) {
      ByteVector bytes(value.view().begin(), value.view().end());
      bytes[byte] ^= 0xff;
      MetadataReplay replay;
      (void)replay.apply(SharedBytes(std::move(bytes)));  // an error, or another value
    }
  }
  const auto unknown = MetadataReplay().apply(SharedBytes(ByteVector{1, 99, 0}));
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().kind == ErrorKind::unsupported_version);
}

TEST_CASE("meta.properties says whose folder it is, in Kafka's words", "[disk][metadata]") {
  const MetaProperties properties{"cluster", 2, uuid(7)};
  const auto read = read_meta_properties(write_meta_properties(properties).text());
  REQUIRE(read.ok());
  CHECK(*read == properties);
  CHECK(read_meta_properties("#Mon\r\nnode.id=1\r\nversion=1\r\nmore=1\r\n"
                             "directory.id=AAAAAAAAAAAAAAAAAAAAAQ\r\ncluster.id=x\r\n")
            ->cluster_id == "x");
  for (const char* wrong :
       {"", "version=0\ncluster.id=x\nnode.id=1\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ",
        "version=1\nnode.id=1\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ",
        "version=1\ncluster.id=x\nnode.id=1x\ndirectory.id=AAAAAAAAAAAAAAAAAAAAAQ",
        "version=1\ncluster.id=x\nnode.id=1\ndirectory.id=A"})
    CHECK_FALSE(read_meta_properties(wrong).ok());
}

}  // namespace fencepost::minibroker
