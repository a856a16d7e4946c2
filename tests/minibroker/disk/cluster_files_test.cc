// A cluster whose processes end at any moment and that is started again from its disks.
#include "minibroker/disk/cluster_files.h"

#include "protocol/messages/alter_client_quotas.h"
#include "protocol/messages/alter_user_scram_credentials.h"
#include "protocol/messages/create_acls.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/describe_acls.h"
#include "protocol/messages/describe_client_quotas.h"
#include "protocol/messages/describe_user_scram_credentials.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/incremental_alter_configs.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/produce.h"
#include "tests/minibroker/cluster_fixture.h"
#include "tests/minibroker/disk/recording_storage.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

ClusterSettings settings_of(int broker_count) {
  ClusterSettings settings;
  settings.broker_count = broker_count;
  settings.start = Instant(std::chrono::hours(24 * 365 * 50));
  settings.topics = {{"state", 1, broker_count, {}}};
  settings.transaction_state_log_num_partitions = 2;
  settings.offsets_topic_num_partitions = 2;
  return settings;
}

Disks disks_in(const std::shared_ptr<Storage>& storage, int broker_count) {
  Disks disks;
  for (int id = 1; id <= broker_count; ++id)
    disks[id] = std::make_shared<StorageFolder>(storage, "broker-" + std::to_string(id));
  return disks;
}

// The words of a client of a cluster on that disk.
struct Bench {
  explicit Bench(std::shared_ptr<Storage> storage, int broker_count = 1)
      : Bench(std::move(storage), settings_of(broker_count)) {}
  Bench(std::shared_ptr<Storage> storage, ClusterSettings settings) : world(settings) {
    auto opened = Cluster::open(settings, disks_in(storage, settings.broker_count), notes);
    if (!opened) {
      refusal = opened.error();
      return;
    }
    world.cluster = std::move(*opened);
    REQUIRE(world.cluster.sync().ok());
  }

  int coordinator(const std::string& id) {
    FindCoordinatorRequest request;
    request.key_type = 1;
    request.coordinator_keys = {id};
    return world.call(1, request, 4).coordinators.at(0).node_id;
  }
  InitProducerIdResponse init(const std::string& id) {
    InitProducerIdRequest request;
    request.transactional_id = id;
    request.transaction_timeout_ms = 60000;
    return world.call(coordinator(id), request, 4);
  }
  ErrorCode produce(const std::string& value, const InitProducerIdResponse* producer = nullptr,
                    std::int32_t sequence = 0) {
    ProduceRequest request;
    request.acks = -1;
    request.timeout_ms = 30000;
    RecordBatchOptions options;
    if (producer != nullptr) {
      request.transactional_id = "id";
      options.producer_id = producer->producer_id;
      options.producer_epoch = producer->producer_epoch;
      options.base_sequence = sequence;
      options.is_transactional = true;
    }
    const NewRecord record{to_timestamp(world.now), SharedBytes::copy_of("k"),
                           SharedBytes::copy_of(value)};
    auto& topic = request.topic_data.emplace_back();
    topic.name = "state";
    topic.partition_data.push_back({0, Records{build_batch(options, {record})}, {}});
    const auto state = world.cluster.partition("state", 0);
    const auto response = world.call(state->leader_id, request, 12);
    return response.responses.at(0).partition_responses.at(0).error_code;
  }
  ErrorCode end(const InitProducerIdResponse& producer, bool commits) {
    EndTxnRequest request;
    request.transactional_id = "id";
    request.producer_id = producer.producer_id;
    request.producer_epoch = producer.producer_epoch;
    request.committed = commits;
    return world.call(coordinator("id"), request, 4).error_code;
  }
  std::vector<std::string> read(std::int8_t isolation_level) {
    world.settle();
    const auto state = world.cluster.partition("state", 0);
    FetchRequest request;
    request.isolation_level = isolation_level;
    request.max_bytes = 1 << 20;
    auto& topic = request.topics.emplace_back();
    topic.topic = "state";
    auto& partition = topic.partitions.emplace_back();
    partition.fetch_offset = state->log_start_offset;
    partition.partition_max_bytes = 1 << 20;
    const auto response = world.call(state->leader_id, request, 11);
    const auto& data = response.responses.at(0).partitions.at(0);
    std::vector<std::string> values;
    const auto batches = open_batches(data.records->bytes);
    for (const auto& batch : *batches) {
      if (batch.header().is_control_batch()) continue;
      bool is_aborted = false;
      if (data.aborted_transactions)
        for (const auto& aborted : *data.aborted_transactions)
          is_aborted |= aborted.producer_id == batch.header().producer_id;
      if (is_aborted) continue;
      const auto records = batch.records();
      for (const auto& record : *records) values.emplace_back(record.value->text());
    }
    return values;
  }

  std::vector<std::string> notes;
  std::optional<Error> refusal;
  ClusterFixture world;
};

constexpr std::int8_t uncommitted = 0;
constexpr std::int8_t committed = 1;

std::shared_ptr<MemoryStorage> copy_of(const MemoryStorage& disk) {
  return std::make_shared<MemoryStorage>(disk);
}

}  // namespace

TEST_CASE("A cluster goes on with what is on its disks", "[disk]") {
  const int broker_count = GENERATE(1, 3);
  const auto disk = std::make_shared<MemoryStorage>();
  std::int64_t producer_id = 0;
  Uuid topic_id;
  {
    Bench bench(disk, broker_count);
    CHECK(bench.produce("a") == ErrorCode::none);
    const auto producer = bench.init("id");
    producer_id = producer.producer_id;
    CHECK(bench.produce("b", &producer) == ErrorCode::none);
    CHECK(bench.end(producer, true) == ErrorCode::none);
    CreateTopicsRequest create;
    create.topics.push_back({"more", 2, 1, {}, {{"retention.ms", "1234567", {}}}, {}});
    topic_id = bench.world.call(1, create, 7).topics.at(0).topic_id;
    bench.world.settle();
    CHECK(bench.world.cluster.flush().ok());
  }
  Bench bench(disk, broker_count);
  REQUIRE_FALSE(bench.refusal);
  CHECK(bench.notes.empty());
  bench.world.advance(std::chrono::seconds(1));
  CHECK(bench.read(committed) == std::vector<std::string>{"a", "b"});
  CHECK(bench.world.cluster.partition("more", 1).has_value());
  CHECK_FALSE(bench.world.cluster.partition("more", 2).has_value());
  CHECK(bench.init("id").producer_id == producer_id);
  CHECK(bench.init("other").producer_id > producer_id);
  CreateTopicsRequest again;
  again.topics.push_back({"more", 2, 1, {}, {}, {}});
  CHECK(bench.world.call(1, again, 7).topics.at(0).error_code == ErrorCode::topic_already_exists);
  again.topics.at(0).name = "newer";
  CHECK(bench.world.call(1, again, 7).topics.at(0).topic_id != topic_id);
}

TEST_CASE("An open transaction is still open after a restart, and can be ended either way",
          "[disk]") {
  const bool commits = GENERATE(true, false);
  const auto disk = std::make_shared<MemoryStorage>();
  InitProducerIdResponse producer;
  {
    Bench bench(disk);
    producer = bench.init("id");
    CHECK(bench.produce("open", &producer) == ErrorCode::none);
    CHECK(bench.produce("behind") == ErrorCode::none);
  }
  Bench bench(disk);
  REQUIRE_FALSE(bench.refusal);
  CHECK(bench.read(committed).empty());
  CHECK(bench.read(uncommitted) == std::vector<std::string>{"open", "behind"});
  CHECK(bench.produce("more", &producer, 1) == ErrorCode::none);
  CHECK(bench.end(producer, commits) == ErrorCode::none);
  CHECK(bench.read(committed) == (commits ? std::vector<std::string>{"open", "behind", "more"}
                                          : std::vector<std::string>{"behind"}));
}

TEST_CASE("A process that is killed after any change leaves what it had acknowledged", "[disk]") {
  const int broker_count = GENERATE(1, 3);
  const auto disk = std::make_shared<RecordingStorage>();
  std::size_t acknowledged = 0;
  std::size_t decided = 0;
  {
    Bench bench(disk, broker_count);
    const auto producer = bench.init("id");
    CHECK(bench.produce("one", &producer) == ErrorCode::none);
    CHECK(bench.produce("two", &producer, 1) == ErrorCode::none);
    acknowledged = disk->change_count();
    CHECK(bench.end(producer, true) == ErrorCode::none);
    decided = disk->change_count();
    bench.world.settle();
  }
  for (std::size_t count = 0; count <= disk->change_count(); ++count) {
    INFO("killed after change " << count);
    Bench bench(disk->after(count), broker_count);
    REQUIRE_FALSE(bench.refusal);
    CHECK(bench.notes.empty());
    bench.world.advance(std::chrono::seconds(1));
    if (count >= acknowledged) CHECK(bench.read(uncommitted).size() == 2);
    // A decision that was written down and not answered holds as well: all of it or nothing.
    const auto visible = bench.read(committed).size();
    CHECK((visible == 0 || visible == 2));
    if (count >= decided) CHECK(visible == 2);
    if (count < acknowledged) CHECK(visible == 0);
    // And nothing hangs.
    if (bench.init("id").error_code == ErrorCode::concurrent_transactions)
      bench.world.advance(std::chrono::seconds(1));
    CHECK(bench.init("id").error_code == ErrorCode::none);
    CHECK(bench.produce("later") == ErrorCode::none);
    CHECK(bench.read(committed).back() == "later");
  }
}

TEST_CASE("Deleted topics and records are gone after a restart", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  {
    Bench bench(disk);
    for (const char* value : {"a", "b", "c"}) CHECK(bench.produce(value) == ErrorCode::none);
    DeleteRecordsRequest records;
    records.topics.push_back({"state", {{0, 2, {}}}, {}});
    CHECK(bench.world.call(1, records, 2).topics.at(0).partitions.at(0).low_watermark == 2);
    CreateTopicsRequest create;
    create.topics.push_back({"gone", 1, 1, {}, {}, {}});
    (void)bench.world.call(1, create, 7);
    bench.world.settle();
    CHECK(disk->exists("broker-1/gone-0"));
    DeleteTopicsRequest topics;
    topics.topic_names = {"gone"};
    CHECK(bench.world.call(1, topics, 5).responses.at(0).error_code == ErrorCode::none);
  }
  CHECK_FALSE(disk->exists("broker-1/gone-0"));
  Bench bench(disk);
  CHECK(bench.read(uncommitted) == std::vector<std::string>{"c"});
  CHECK_FALSE(bench.world.cluster.partition("gone", 0).has_value());
}

TEST_CASE("Access rules, users and quotas are there after a restart", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  ClusterSettings settings = settings_of(1);
  settings.authorizer.is_enabled = true;
  settings.authorizer.super_users = {"User:ANONYMOUS"};
  settings.sasl.users = {{"given", "secret"}};
  {
    Bench bench(disk, settings);
    CreateAclsRequest rules;
    rules.creations.push_back({2, "state", 3, "User:alice", "*", 3, 3, {}});
    CHECK(bench.world.call(1, rules, 3).results.at(0).error_code == ErrorCode::none);
    AlterUserScramCredentialsRequest users;
    users.upsertions.push_back({"alice",
                                1,
                                4096,
                                SharedBytes::copy_of("salt"),
                                SharedBytes::copy_of(std::string(32, 'p')),
                                {}});
    CHECK(bench.world.call(1, users, 0).results.at(0).error_code == ErrorCode::none);
    AlterClientQuotasRequest quotas;
    auto& quota = quotas.entries.emplace_back();
    quota.entity = {{"user", std::nullopt, {}}};
    quota.ops = {{"consumer_byte_rate", 4096, false, {}}};
    CHECK(bench.world.call(1, quotas, 1).entries.at(0).error_code == ErrorCode::none);
    bench.world.settle();
  }
  settings.sasl.users.clear();
  Bench bench(disk, settings);
  REQUIRE_FALSE(bench.refusal);
  DescribeAclsRequest every_rule;
  every_rule.resource_type_filter = every_rule.pattern_type_filter = 1;
  every_rule.operation = every_rule.permission_type = 1;
  every_rule.resource_name_filter = every_rule.principal_filter = every_rule.host_filter =
      std::nullopt;
  const auto rules = bench.world.call(1, every_rule, 3);
  REQUIRE(rules.resources.size() == 1);
  CHECK(rules.resources[0].resource_name == "state");
  CHECK(rules.resources[0].acls.at(0).principal == "User:alice");
  const auto users = bench.world.call(1, DescribeUserScramCredentialsRequest{}, 0);
  REQUIRE(users.results.size() == 1);
  CHECK(users.results[0].user == "alice");
  const auto quotas = bench.world.call(1, DescribeClientQuotasRequest{}, 1);
  REQUIRE(quotas.entries->size() == 1);
  CHECK_FALSE(quotas.entries->at(0).entity.at(0).entity_name);
  CHECK(quotas.entries->at(0).values.at(0).value == 4096);
}

TEST_CASE("What is damaged or missing on a disk is refused by name", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  {
    Bench bench(disk);
    CHECK(bench.produce("a") == ErrorCode::none);
    CHECK(bench.produce("b") == ErrorCode::none);
    REQUIRE(bench.world.cluster.sync().ok());
    bench.world.cluster.write_checkpoints();
    bench.world.cluster.close();
  }
  const auto refusal_without = [&](const std::string& path) {
    const auto damaged = copy_of(*disk);
    REQUIRE(damaged->exists("broker-1/" + path));
    damaged->remove("broker-1/" + path);
    const Bench bench(damaged);
    REQUIRE(bench.refusal);
    CHECK(bench.refusal->text.find(path.substr(0, path.find('/'))) != std::string::npos);
    return bench.refusal->text;
  };
  CHECK(refusal_without("meta.properties") == "meta.properties of broker 1 is missing");
  CHECK(refusal_without("state-0") ==
        "broker 1: state-0 is missing: it was on disk up to offset 2");
  CHECK(refusal_without("state-0/partition.metadata") ==
        "broker 1: state-0/partition.metadata is missing");
  (void)refusal_without("state-0/00000000000000000000.log");
  (void)refusal_without("__cluster_metadata-0");
  for (const std::string file :
       {"meta.properties", "recovery-point-offset-checkpoint", "replication-offset-checkpoint",
        "state-0/partition.metadata", "__cluster_metadata-0/00000000000000000000.log"}) {
    const auto damaged = copy_of(*disk);
    damaged->replace("broker-1/" + file, SharedBytes::copy_of("not what it should be"));
    const Bench bench(damaged);
    INFO(file);
    REQUIRE(bench.refusal);
    CHECK(bench.refusal->text.find(file) != std::string::npos);
  }
}

TEST_CASE("A byte that is wrong or missing in any file is mended or refused by name", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  {
    ClusterSettings settings = settings_of(1);
    settings.topics.at(0).config = {{"segment.bytes", "1048576"}};
    Bench bench(disk, settings);
    const auto producer = bench.init("id");
    CHECK(bench.produce("a", &producer) == ErrorCode::none);
    CHECK(bench.end(producer, false) == ErrorCode::none);
    CHECK(bench.produce("b") == ErrorCode::none);
    REQUIRE(bench.world.cluster.sync().ok());
    bench.world.cluster.write_checkpoints();
    bench.world.cluster.close();
  }
  const auto start = [](const std::shared_ptr<MemoryStorage>& damaged, const std::string& path) {
    Bench bench(damaged);
    const std::string file = path.substr(path.find('/') + 1);
    if (bench.refusal)
      CHECK(bench.refusal->text.find(file.substr(0, file.find('/'))) != std::string::npos);
    else
      CHECK(bench.read(uncommitted).back() == "b");
  };
  for (const std::string& path : disk->files()) {
    const SharedBytes file = *disk->read(path);
    INFO(path);
    const std::size_t step = std::max<std::size_t>(1, file.size() / 16);
    for (std::size_t byte = 0; byte < file.size(); byte += step) {
      ByteVector bytes(file.view().begin(), file.view().end());
      bytes[byte] ^= 0x41;
      const auto flipped = copy_of(*disk);
      flipped->replace(path, SharedBytes(std::move(bytes)));
      start(flipped, path);
      const auto cut = copy_of(*disk);
      cut->replace(path, file.slice(0, byte));
      start(cut, path);
    }
  }
}

TEST_CASE("A cluster is started as large as it was, and with features that it can have", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  { Bench bench(disk, 3); }
  const Bench smaller(disk, 1);
  REQUIRE(smaller.refusal);
  CHECK(smaller.refusal->text == "the data directory is that of 3 brokers, not of 1");
  ClusterSettings older = settings_of(3);
  older.era = era_3_9();
  const Bench aged(disk, older);
  REQUIRE(aged.refusal);
  CHECK(aged.refusal->kind == ErrorKind::invalid_argument);
  CHECK(Bench(disk, 3).notes.empty());
}

TEST_CASE("A folder that belongs to no topic is put aside, not deleted", "[disk]") {
  const auto disk = std::make_shared<MemoryStorage>();
  {
    Bench bench(disk);
    CHECK(bench.produce("a") == ErrorCode::none);
  }
  disk->rename("broker-1/state-0", "broker-1/strange-0");
  const Bench bench(disk);
  REQUIRE_FALSE(bench.refusal);
  REQUIRE(bench.notes.size() == 1);
  CHECK(bench.notes.at(0).starts_with(
      "broker 1: strange-0: no topic has this replica; put aside as strange-0."));
  CHECK_FALSE(disk->exists("broker-1/strange-0"));
}

}  // namespace fencepost::minibroker
