// What the administration APIs change, and what they refuse.
#include <algorithm>

#include "protocol/messages/alter_configs.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/describe_configs.h"
#include "protocol/messages/describe_topic_partitions.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/incremental_alter_configs.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/update_features.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;

constexpr std::int8_t topic_resource = 2, broker_resource = 4, set = 0, remove = 1, append = 2;

ClusterSettings one_broker() {
  ClusterSettings settings;
  settings.topics = {{"a", 3, 1, {}}, {"b", 2, 1, {}}};
  return settings;
}

class Administration : public ClusterFixture {
 public:
  explicit Administration(ClusterSettings settings = one_broker())
      : ClusterFixture(std::move(settings)) {}

  IncrementalAlterConfigsResponse::AlterConfigsResourceResponse alter(
      std::int8_t type, std::string resource, std::string key, std::int8_t operation,
      std::optional<std::string> value, bool is_validate_only = false) {
    IncrementalAlterConfigsRequest request;
    request.validate_only = is_validate_only;
    request.resources.push_back(
        {type, std::move(resource), {{std::move(key), operation, std::move(value), {}}}, {}});
    return call(1, request, 1).responses.at(0);
  }

  DescribeConfigsResponse::DescribeConfigsResourceResult described(std::int8_t type,
                                                                   std::string resource,
                                                                   std::string key) {
    DescribeConfigsRequest request;
    request.include_synonyms = true;
    request.resources.push_back({type, std::move(resource), {{std::move(key)}}, {}});
    return call(1, request, 4).results.at(0).configs.at(0);
  }

  ErrorCode produce(const std::string& topic, std::size_t bytes) {
    ProduceRequest request;
    request.acks = 1;
    request.timeout_ms = 1000;
    NewRecord record;
    record.value = SharedBytes::copy_of(std::string(bytes, 'x'));
    request.topic_data.push_back({topic, {}, {{0, Records{build_batch({}, {record})}, {}}}, {}});
    return call(1, request, 9).responses.at(0).partition_responses.at(0).error_code;
  }

  CreateTopicsResponse::CreatableTopicResult create(CreateTopicsRequest::CreatableTopic topic) {
    CreateTopicsRequest request;
    request.topics.push_back(std::move(topic));
    return call(1, request, 7).topics.at(0);
  }
};

using AskedTopics = std::vector<MetadataRequest::MetadataRequestTopic>;

std::vector<MetadataResponse::MetadataResponseTopic> ask_metadata(Administration& world,
                                                                  AskedTopics topics,
                                                                  std::int16_t version) {
  MetadataRequest request;
  request.topics = std::move(topics);
  return world.call(1, request, version).topics;
}

}  // namespace

TEST_CASE("Metadata by topic id passes over the empty name that Java sends with it",
          "[minibroker][administration]") {
  Administration world;
  const Uuid id = ask_metadata(world, AskedTopics{{{}, "a", {}}}, 13).at(0).topic_id;
  const Uuid unknown{{1}};
  const auto topics = ask_metadata(
      world, AskedTopics{{id, "", {}}, {id, "", {}}, {unknown, std::nullopt, {}}, {{}, "b", {}}},
      13);
  REQUIRE(topics.size() == 2);
  CHECK(topics[0].error_code == ErrorCode::unknown_topic_id);
  CHECK(topics[0].topic_id == unknown);
  CHECK(topics[1].name == "a");
  CHECK(topics[1].partitions.size() == 3);

  CHECK(ask_metadata(world, AskedTopics{{id, "a", {}}}, 11).at(0).error_code ==
        ErrorCode::invalid_request);
}

TEST_CASE("Metadata answers a topic that is asked for twice once", "[minibroker][administration]") {
  Administration world;
  const auto topics =
      ask_metadata(world, AskedTopics{{{}, "new", {}}, {{}, "a", {}}, {{}, "a", {}}}, 13);
  REQUIRE(topics.size() == 2);
  CHECK(topics[0].name == "a");
  CHECK(topics[1].name == "new");
}

TEST_CASE("A topic's max.message.bytes holds from the moment it is set until it is removed",
          "[minibroker][administration]") {
  Administration world;
  CHECK(world.produce("a", 1000) == ErrorCode::none);
  CHECK(world.alter(topic_resource, "a", "max.message.bytes", set, "500").error_code ==
        ErrorCode::none);
  CHECK(world.produce("a", 1000) == ErrorCode::message_too_large);
  CHECK(world.produce("b", 1000) == ErrorCode::none);
  CHECK(world.alter(topic_resource, "a", "max.message.bytes", remove, std::nullopt).error_code ==
        ErrorCode::none);
  CHECK(world.produce("a", 1000) == ErrorCode::none);
}

TEST_CASE("A broker's message.max.bytes gives the topics their default while it runs",
          "[minibroker][administration]") {
  Administration world;
  CHECK(world.alter(broker_resource, "", "message.max.bytes", set, "500").error_code ==
        ErrorCode::none);
  CHECK(world.produce("a", 1000) == ErrorCode::message_too_large);
  const auto config = world.described(topic_resource, "a", "max.message.bytes");
  CHECK(config.value == "500");
  CHECK(config.config_source == 3);
  REQUIRE(config.synonyms.size() == 2);
  CHECK(config.synonyms[1].value == "1048588");
  CHECK(world.alter(broker_resource, "1", "message.max.bytes", set, "2000").error_code ==
        ErrorCode::none);
  CHECK(world.produce("a", 1000) == ErrorCode::none);
}

TEST_CASE("What is only validated changes nothing", "[minibroker][administration]") {
  Administration world;
  const auto answer = world.alter(topic_resource, "a", "retention.ms", set, "5", true);
  CHECK(answer.error_code == ErrorCode::none);
  CHECK(world.described(topic_resource, "a", "retention.ms").value == "604800000");
}

TEST_CASE("A list grows by append from its default", "[minibroker][administration]") {
  Administration world;
  world.alter(topic_resource, "a", "cleanup.policy", append, "compact");
  CHECK(world.described(topic_resource, "a", "cleanup.policy").value == "delete,compact");
  world.alter(topic_resource, "a", "cleanup.policy", append, "compact");
  CHECK(world.described(topic_resource, "a", "cleanup.policy").value == "delete,compact");
}

TEST_CASE("AlterConfigs removes what it does not name", "[minibroker][administration]") {
  Administration world;
  world.alter(topic_resource, "a", "retention.ms", set, "5");
  AlterConfigsRequest request;
  request.resources.push_back({topic_resource, "a", {{"segment.ms", "7", {}}}, {}});
  CHECK(world.call(1, request, 2).responses.at(0).error_code == ErrorCode::none);
  CHECK(world.described(topic_resource, "a", "segment.ms").value == "7");
  CHECK(world.described(topic_resource, "a", "retention.ms").config_source == 5);
}

TEST_CASE("transaction.version can be lowered while the cluster runs",
          "[minibroker][administration]") {
  Administration world;
  UpdateFeaturesRequest request;
  request.feature_updates.push_back({"transaction.version", 0, false, 2, {}});
  CHECK(world.call(1, request, 1).error_code == ErrorCode::none);
  ApiVersionsRequest ask;
  ask.client_software_name = ask.client_software_version = "test";
  const auto features = world.call(1, ask, 4).finalized_features;
  CHECK(std::ranges::none_of(features,
                             [](const auto& it) { return it.name == "transaction.version"; }));
}

TEST_CASE("Partitions come a page at a time, in the order of the topics' names",
          "[minibroker][administration]") {
  Administration world;
  DescribeTopicPartitionsRequest request;
  request.topics = {{"b", {}}, {"a", {}}};
  request.response_partition_limit = 4;
  request.cursor = std::nullopt;
  const auto first = world.call(1, request, 0);
  REQUIRE(first.topics.size() == 2);
  CHECK(first.topics[0].name == "a");
  CHECK(first.topics[0].partitions.size() == 3);
  REQUIRE(first.next_cursor.has_value());
  CHECK(first.next_cursor->topic_name == "b");
  CHECK(first.next_cursor->partition_index == 1);
  request.cursor.emplace();
  request.cursor->topic_name = "b";
  request.cursor->partition_index = 1;
  const auto second = world.call(1, request, 0);
  REQUIRE(second.topics.size() == 1);
  CHECK(second.topics[0].partitions.size() == 1);
  CHECK_FALSE(second.next_cursor.has_value());
}

// ---- configuration, nodes and logs

TEST_CASE("A shorter retention deletes what is older at the next look",
          "[minibroker][administration]") {
  Administration world;
  CHECK(world.produce("a", 1000) == ErrorCode::none);
  world.advance(std::chrono::hours(1));
  CHECK(world.cluster.partition("a", 0)->log_start_offset == 0);
  CHECK(world.alter(topic_resource, "a", "retention.ms", set, "60000").error_code ==
        ErrorCode::none);
  world.advance(std::chrono::minutes(6));
  CHECK(world.cluster.partition("a", 0)->log_start_offset == 1);
}

TEST_CASE("A broker that was down follows the configuration that was set without it",
          "[minibroker][administration]") {
  ClusterSettings settings = one_broker();
  settings.broker_count = 2;
  settings.topics = {{"a", 1, 1, {}}};
  Administration world(settings);
  REQUIRE(world.cluster.partition("a", 0)->leader_id == 1);
  REQUIRE(world.cluster.crash(1, sim::Unsynced::kept, world.now));
  IncrementalAlterConfigsRequest request;
  request.resources.push_back({topic_resource, "a", {{"max.message.bytes", set, "500", {}}}, {}});
  CHECK(world.call(2, request, 1).responses.at(0).error_code == ErrorCode::none);
  world.advance(std::chrono::seconds(20));
  REQUIRE(world.cluster.restart(1, world.now));
  CHECK(world.produce("a", 1000) == ErrorCode::message_too_large);
}

TEST_CASE("A broker that does not reach the controller changes no configuration",
          "[minibroker][administration]") {
  Administration world;
  world.cluster.cut(sim::Party::broker(1), sim::Party::controller(), world.now);
  CHECK(world.alter(topic_resource, "a", "retention.ms", set, "5").error_code ==
        ErrorCode::request_timed_out);
  UpdateFeaturesRequest request;
  request.feature_updates.push_back({"transaction.version", 0, false, 2, {}});
  CHECK(world.call(1, request, 1).error_code == ErrorCode::request_timed_out);
  CHECK(world.described(topic_resource, "a", "retention.ms").config_source == 5);
}

TEST_CASE("The preferred replica leads again when it is elected", "[minibroker][administration]") {
  ClusterSettings settings = one_broker();
  settings.broker_count = 3;
  settings.topics = {{"a", 1, 3, {}}};
  Administration world(settings);
  REQUIRE(world.cluster.crash(1, sim::Unsynced::kept, world.now));
  world.advance(std::chrono::seconds(20));
  ElectLeadersRequest request;
  request.topic_partitions.emplace().push_back({"a", std::vector<std::int32_t>{0}, {}});
  const auto elect = [&] {
    return world.call(2, request, 2)
        .replica_election_results.at(0)
        .partition_result.at(0)
        .error_code;
  };
  CHECK(elect() == ErrorCode::preferred_leader_not_available);
  REQUIRE(world.cluster.restart(1, world.now));
  world.advance(std::chrono::seconds(5));
  CHECK(world.cluster.partition("a", 0)->leader_id == 2);
  CHECK(elect() == ErrorCode::none);
  CHECK(world.cluster.partition("a", 0)->leader_id == 1);
}

// ---- what is refused

TEST_CASE("A wrong topic configuration is refused, and nothing is set",
          "[minibroker][administration]") {
  Administration world;
  const auto wrong = world.alter(topic_resource, "a", "retention.ms", set, "x");
  CHECK(wrong.error_code == ErrorCode::invalid_config);
  CHECK(wrong.error_message ==
        "Invalid value x for configuration retention.ms: Not a number of type LONG");
  CHECK(world.alter(topic_resource, "a", "nope", set, "1").error_code == ErrorCode::invalid_config);
  CHECK(world.alter(topic_resource, "a", "retention.ms", append, "1").error_code ==
        ErrorCode::invalid_config);
  CHECK(world.alter(topic_resource, "a", "retention.ms", set, std::nullopt).error_code ==
        ErrorCode::invalid_request);
  CHECK(world.alter(topic_resource, "none", "retention.ms", set, "1").error_code ==
        ErrorCode::unknown_topic_or_partition);
  CHECK(world.described(topic_resource, "a", "retention.ms").config_source == 5);
}

TEST_CASE("A broker's fixed keys, and keys of another broker, are refused",
          "[minibroker][administration]") {
  Administration world;
  CHECK(world.alter(broker_resource, "1", "num.partitions", set, "3").error_message ==
        "Cannot update these configs dynamically: [num.partitions]");
  CHECK(world.alter(broker_resource, "", "listeners", set, "x").error_code ==
        ErrorCode::invalid_request);
  CHECK(world.alter(broker_resource, "2", "message.max.bytes", set, "3").error_message ==
        "Unexpected broker id, expected 1, but received 2");
}

TEST_CASE("A feature is not lowered by an upgrade, nor raised above what brokers support",
          "[minibroker][administration]") {
  Administration world;
  UpdateFeaturesRequest request;
  request.feature_updates.push_back({"transaction.version", 1, false, 1, {}});
  CHECK(world.call(1, request, 1).error_code == ErrorCode::invalid_update_version);
  request.feature_updates = {{"transaction.version", 3, false, 1, {}}};
  CHECK(world.call(1, request, 1).error_code == ErrorCode::invalid_update_version);
}

TEST_CASE("A topic is not created with a colliding name, a gap, or both counts and replicas",
          "[minibroker][administration]") {
  Administration world;
  CHECK(world.create({"x_y", 1, 1, {}, {}, {}}).error_code == ErrorCode::none);
  CHECK(world.create({"x.y", 1, 1, {}, {}, {}}).error_code == ErrorCode::invalid_topic_exception);
  CHECK(world.create({"c", -1, -1, {{1, {1}, {}}}, {}, {}}).error_code ==
        ErrorCode::invalid_replica_assignment);
  CHECK(world.create({"c", -1, 1, {{0, {1}, {}}}, {}, {}}).error_code ==
        ErrorCode::invalid_request);
  CHECK(world.create({"c", 20'000, 1, {}, {}, {}}).error_code == ErrorCode::policy_violation);
}

TEST_CASE("A topic that is named and identified at once is not deleted",
          "[minibroker][administration]") {
  Administration world;
  const Uuid id = world.create({"c", 1, 1, {}, {}, {}}).topic_id;
  DeleteTopicsRequest request;
  request.topics = {{"c", id, {}}};
  CHECK(world.call(1, request, 6).responses.at(0).error_code == ErrorCode::invalid_request);
  request.topics = {{std::nullopt, id, {}}};
  CHECK(world.call(1, request, 6).responses.at(0).error_code == ErrorCode::none);
}

TEST_CASE("No election is needed where the preferred replica leads",
          "[minibroker][administration]") {
  Administration world;
  ElectLeadersRequest request;
  request.topic_partitions = {{"a", {0, 9}, {}}};
  const auto results = world.call(1, request, 2).replica_election_results.at(0).partition_result;
  CHECK(results.at(0).error_code == ErrorCode::election_not_needed);
  CHECK(results.at(1).error_code == ErrorCode::unknown_topic_or_partition);
}

}  // namespace fencepost::minibroker
