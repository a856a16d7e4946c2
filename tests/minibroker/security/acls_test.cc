// ACLs through the protocol: the three APIs that change them, and the answer of each handler to who
// may not.
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/consumer_group_heartbeat.h"
#include "protocol/messages/create_acls.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_acls.h"
#include "protocol/messages/delete_topics.h"
#include "protocol/messages/describe_acls.h"
#include "protocol/messages/describe_configs.h"
#include "protocol/messages/describe_log_dirs.h"
#include "protocol/messages/describe_quorum.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/list_config_resources.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/update_features.h"
#include "protocol/messages/write_txn_markers.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;
using security::Operation;
using security::ResourceType;

ClusterSettings settings() {
  ClusterSettings out;
  out.topics = {{"t"}};
  out.authorizer.is_enabled = true;
  out.authorizer.super_users = {"User:admin"};
  return out;
}

struct AclFixture : ClusterFixture {
  AclFixture() : ClusterFixture(settings()) {}

  template <class Request>
  typename Request::Response as(const std::string& user, const Request& request, int version) {
    security::Origin origin;
    origin.principal = "User:" + user;
    const std::int32_t id = send(cluster.connect(1, origin), request, version);
    return answer<typename Request::Response>(id, version);
  }
  template <class Request>
  typename Request::Response as_alice(const Request& request, int version) {
    return as("alice", request, version);
  }
  static CreateAclsRequest rule(ResourceType type, const std::string& name, Operation operation) {
    CreateAclsRequest request;
    request.creations.push_back({static_cast<std::int8_t>(type),
                                 name,
                                 3,
                                 "User:alice",
                                 "*",
                                 static_cast<std::int8_t>(operation),
                                 3,
                                 {}});
    return request;
  }
  void allow(ResourceType type, const std::string& name, Operation operation) {
    const auto created = as("admin", rule(type, name, operation), 3);
    CHECK(created.results.at(0).error_code == ErrorCode::none);
  }
};

ListOffsetsRequest latest(const std::string& topic) {
  ListOffsetsRequest request;
  request.topics.push_back({topic, {{0, -1, -1, {}}}, {}});
  return request;
}

MetadataRequest metadata_of(std::optional<std::vector<std::string>> names) {
  MetadataRequest request;
  request.allow_auto_topic_creation = false;
  request.topics = std::nullopt;
  if (names) {
    request.topics.emplace();
    for (const std::string& name : *names) request.topics->emplace_back().name = name;
  }
  return request;
}

DescribeAclsRequest every_acl() {
  DescribeAclsRequest request;
  request.resource_type_filter = 1;
  request.pattern_type_filter = 1;
  request.resource_name_filter = std::nullopt;
  request.principal_filter = std::nullopt;
  request.host_filter = std::nullopt;
  request.operation = 1;
  request.permission_type = 1;
  return request;
}

TEST_CASE("without an authorizer ACLs are SECURITY_DISABLED", "[security][acl]") {
  ClusterFixture fixture{ClusterSettings{}};
  CHECK(fixture.call(1, every_acl(), 3).error_code == ErrorCode::security_disabled);
  const auto created =
      fixture.call(1, AclFixture::rule(ResourceType::topic, "t", Operation::read), 3);
  CHECK(created.results.at(0).error_code == ErrorCode::security_disabled);
}

TEST_CASE("rules are created, described and deleted", "[security][acl]") {
  AclFixture fixture;
  fixture.allow(ResourceType::topic, "t", Operation::read);
  fixture.allow(ResourceType::topic, "t", Operation::write);
  fixture.allow(ResourceType::group, "g", Operation::read);
  const auto described = fixture.as("admin", every_acl(), 3);
  REQUIRE(described.resources.size() == 2);
  CHECK(described.resources[0].resource_name == "t");
  CHECK(described.resources[0].acls.size() == 2);
  DeleteAclsRequest remove;
  auto& filter = remove.filters.emplace_back();
  filter.resource_type_filter = 2;
  filter.pattern_type_filter = 1;
  filter.resource_name_filter = std::nullopt;
  filter.principal_filter = std::nullopt;
  filter.host_filter = std::nullopt;
  filter.operation = 1;
  filter.permission_type = 1;
  remove.filters.push_back(remove.filters.front());
  const auto removed = fixture.as("admin", remove, 3);
  CHECK(removed.filter_results.at(0).matching_acls.size() == 2);
  CHECK(removed.filter_results.at(1).matching_acls.size() == 2);
  CHECK(fixture.as("admin", every_acl(), 3).resources.size() == 1);
}

TEST_CASE("a rule that cannot be is refused by itself", "[security][acl]") {
  AclFixture fixture;
  CreateAclsRequest request = AclFixture::rule(ResourceType::cluster, "other", Operation::alter);
  request.creations.push_back(
      AclFixture::rule(ResourceType::topic, "", Operation::read).creations[0]);
  request.creations.push_back(
      AclFixture::rule(ResourceType::topic, "t", Operation::read).creations[0]);
  request.creations.back().principal = "alice";
  request.creations.push_back(
      AclFixture::rule(ResourceType::topic, "t", Operation::read).creations[0]);
  const auto created = fixture.as("admin", request, 3);
  for (int i = 0; i < 3; ++i)
    CHECK(created.results.at(static_cast<std::size_t>(i)).error_code == ErrorCode::invalid_request);
  CHECK(created.results.at(2).error_message ==
        "Could not parse principal from `alice` (no colon is present separating the principal "
        "type from the principal name)");
  CHECK(created.results.at(3).error_code == ErrorCode::none);
  CHECK(created.results.at(3).error_message == "");
}

TEST_CASE("a rule with a filter's word spoils the request for all", "[security][acl]") {
  AclFixture fixture;
  CreateAclsRequest request = AclFixture::rule(ResourceType::topic, "t", Operation::read);
  request.creations.push_back(
      AclFixture::rule(ResourceType::topic, "t", Operation::any).creations[0]);
  for (const auto& result : fixture.as("admin", request, 3).results)
    CHECK(result.error_code == ErrorCode::unknown_server_error);
  CHECK(fixture.as("admin", every_acl(), 3).resources.empty());
}

TEST_CASE("who may not alter the cluster cannot grant himself anything", "[security][acl]") {
  AclFixture fixture;
  const auto created =
      fixture.as_alice(AclFixture::rule(ResourceType::topic, "t", Operation::read), 3);
  CHECK(created.results.at(0).error_code == ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as_alice(every_acl(), 3).error_code == ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as("admin", every_acl(), 3).resources.empty());
}

TEST_CASE("metadata shows what may be described, and does not say what exists", "[security][acl]") {
  AclFixture fixture;
  CHECK(fixture.as_alice(metadata_of(std::nullopt), 9).topics.empty());
  const auto named = fixture.as_alice(metadata_of({{"t", "missing"}}), 9);
  CHECK(named.topics.at(0).error_code == ErrorCode::topic_authorization_failed);
  CHECK(named.topics.at(1).error_code == ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "t", Operation::describe);
  CHECK(fixture.as_alice(metadata_of(std::nullopt), 9).topics.size() == 1);
  MetadataRequest asking = metadata_of({{"t"}});
  asking.include_topic_authorized_operations = true;
  const auto answered = fixture.as_alice(asking, 9);
  CHECK(answered.topics.at(0).topic_authorized_operations == 1 << 8);
}

TEST_CASE("topics are read and written by permission", "[security][acl]") {
  AclFixture fixture;
  const auto offsets = [&] {
    return fixture.as_alice(latest("t"), 7).topics.at(0).partitions.at(0).error_code;
  };
  const auto fetched = [&] {
    FetchRequest request;
    request.max_wait_ms = 0;
    request.topics.emplace_back().topic = "t";
    request.topics[0].partitions.emplace_back().partition_max_bytes = 100;
    return fixture.as_alice(request, 12).responses.at(0).partitions.at(0).error_code;
  };
  const auto produced = [&] {
    ProduceRequest request;
    request.acks = 1;
    request.topic_data.emplace_back().name = "t";
    request.topic_data[0].partition_data.emplace_back().records.emplace();
    return fixture.as_alice(request, 9).responses.at(0).partition_responses.at(0).error_code;
  };
  CHECK(offsets() == ErrorCode::topic_authorization_failed);
  CHECK(fetched() == ErrorCode::topic_authorization_failed);
  CHECK(produced() == ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "t", Operation::read);
  CHECK(offsets() == ErrorCode::none);
  CHECK(fetched() == ErrorCode::none);
  CHECK(produced() == ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "t", Operation::write);
  CHECK(produced() != ErrorCode::topic_authorization_failed);
}

TEST_CASE("topics are created by permission", "[security][acl]") {
  AclFixture fixture;
  CreateTopicsRequest request;
  request.topics.emplace_back().name = "new";
  request.topics[0].num_partitions = 1;
  request.topics[0].replication_factor = 1;
  CHECK(fixture.as_alice(request, 7).topics.at(0).error_code ==
        ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "new", Operation::create);
  const auto created = fixture.as_alice(request, 7);
  CHECK(created.topics.at(0).error_code == ErrorCode::none);
  CHECK(created.topics.at(0).topic_config_error_code == ErrorCode::topic_authorization_failed);
}

TEST_CASE("coordinators are found, groups joined and listed by permission", "[security][acl]") {
  AclFixture fixture;
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  HeartbeatRequest beat;
  beat.group_id = "g";
  CHECK(fixture.as_alice(find, 4).coordinators.at(0).error_code ==
        ErrorCode::group_authorization_failed);
  CHECK(fixture.as_alice(beat, 4).error_code == ErrorCode::group_authorization_failed);
  FindCoordinatorRequest find_one;
  find_one.key = "g";
  CHECK(fixture.as_alice(find_one, 3).error_message == "Group authorization failed.");
  OffsetCommitRequest commit;
  commit.group_id = "g";
  commit.topics.emplace_back().name = "t";
  commit.topics[0].partitions.emplace_back();
  const auto committed = [&] {
    return fixture.as_alice(commit, 8).topics.at(0).partitions.at(0).error_code;
  };
  CHECK(committed() == ErrorCode::group_authorization_failed);
  fixture.allow(ResourceType::group, "g", Operation::read);
  CHECK(fixture.as_alice(find, 4).coordinators.at(0).error_code == ErrorCode::none);
  CHECK(fixture.as_alice(beat, 4).error_code == ErrorCode::unknown_member_id);
  CHECK(committed() == ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "t", Operation::read);
  CHECK(committed() == ErrorCode::none);
  CHECK(fixture.as_alice(ListGroupsRequest{}, 4).groups.size() == 1);
  CHECK(fixture.as("bob", ListGroupsRequest{}, 4).groups.empty());
}

TEST_CASE("all offsets of a group are those of topics that may be described", "[security][acl]") {
  AclFixture fixture;
  fixture.allow(ResourceType::group, "g", Operation::read);
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  fixture.as("admin", find, 4);
  OffsetCommitRequest commit;
  commit.group_id = "g";
  commit.topics.emplace_back().name = "t";
  commit.topics[0].partitions.emplace_back();
  fixture.as("admin", commit, 8);
  OffsetFetchRequest fetch;
  auto& group = fetch.groups.emplace_back();
  group.group_id = "g";
  group.topics = std::nullopt;
  CHECK(fixture.as("admin", fetch, 8).groups.at(0).topics.size() == 1);
  CHECK(fixture.as_alice(fetch, 8).groups.at(0).topics.empty());
  group.topics.emplace().push_back({"t", {}, {0}, {}});
  const auto named = fixture.as_alice(fetch, 8);
  CHECK(named.groups.at(0).topics.at(0).partitions.at(0).error_code ==
        ErrorCode::topic_authorization_failed);
  CHECK(fixture.as("bob", fetch, 8).groups.at(0).error_code ==
        ErrorCode::group_authorization_failed);
}

TEST_CASE("transactional ids are used by permission", "[security][acl]") {
  AclFixture fixture;
  InitProducerIdRequest init;
  init.transactional_id = "x";
  init.transaction_timeout_ms = 1000;
  CHECK(fixture.as_alice(init, 4).error_code == ErrorCode::transactional_id_authorization_failed);
  EndTxnRequest end;
  end.transactional_id = "x";
  CHECK(fixture.as_alice(end, 3).error_code == ErrorCode::transactional_id_authorization_failed);
  AddPartitionsToTxnRequest add;
  add.v3_and_below_transactional_id = "x";
  add.v3_and_below_topics.push_back({"t", {0}, {}});
  const auto added = [&] {
    return fixture.as_alice(add, 3)
        .results_by_topic_v3_and_below.at(0)
        .results_by_partition.at(0)
        .partition_error_code;
  };
  CHECK(added() == ErrorCode::transactional_id_authorization_failed);
  fixture.allow(ResourceType::transactional_id, "x", Operation::write);
  CHECK(added() == ErrorCode::topic_authorization_failed);
  // Only brokers ask for many transactions at once.
  AddPartitionsToTxnRequest many;
  many.transactions.emplace_back().transactional_id = "x";
  CHECK(fixture.as_alice(many, 4).error_code == ErrorCode::cluster_authorization_failed);
}

TEST_CASE("an idempotent producer needs some topic to write to", "[security][acl]") {
  AclFixture fixture;
  InitProducerIdRequest init;
  init.transactional_id = std::nullopt;
  CHECK(fixture.as_alice(init, 4).error_code == ErrorCode::cluster_authorization_failed);
  fixture.allow(ResourceType::topic, "any", Operation::write);
  CHECK(fixture.as_alice(init, 4).error_code == ErrorCode::none);
}

TEST_CASE("markers are written by who may alter the cluster", "[security][acl]") {
  AclFixture fixture;
  WriteTxnMarkersRequest request;
  auto& marker = request.markers.emplace_back();
  marker.topics.push_back({"t", {0}, {}});
  const auto written = [&] {
    return fixture.as_alice(request, 1).markers.at(0).topics.at(0).partitions.at(0).error_code;
  };
  CHECK(written() == ErrorCode::cluster_authorization_failed);
  fixture.allow(ResourceType::cluster, "kafka-cluster", Operation::alter);
  CHECK(written() != ErrorCode::cluster_authorization_failed);
}

TEST_CASE("the cluster is administered by permission", "[security][acl]") {
  AclFixture fixture;
  const auto configs = [&](std::int8_t type, const std::string& name) {
    DescribeConfigsRequest request;
    request.resources.push_back({type, name, std::nullopt, {}});
    return fixture.as_alice(request, 4).results.at(0).error_code;
  };
  CHECK(configs(2, "t") == ErrorCode::topic_authorization_failed);
  CHECK(configs(2, "missing") == ErrorCode::topic_authorization_failed);
  CHECK(configs(4, "1") == ErrorCode::cluster_authorization_failed);
  CHECK(configs(32, "g") == ErrorCode::group_authorization_failed);
  CHECK(fixture.as_alice(ListConfigResourcesRequest{}, 1).error_code ==
        ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as_alice(DescribeQuorumRequest{}, 2).error_code ==
        ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as_alice(DescribeLogDirsRequest{}, 4).error_code ==
        ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as_alice(ElectLeadersRequest{}, 2).error_code ==
        ErrorCode::cluster_authorization_failed);
  CHECK(fixture.as_alice(UpdateFeaturesRequest{}, 2).error_code ==
        ErrorCode::cluster_authorization_failed);
  fixture.allow(ResourceType::cluster, "kafka-cluster", Operation::alter_configs);
  CHECK(configs(4, "1") == ErrorCode::none);
  CHECK(fixture.as_alice(DescribeQuorumRequest{}, 2).error_code ==
        ErrorCode::cluster_authorization_failed);
}

TEST_CASE("a topic is deleted by who may, and known to who may describe it", "[security][acl]") {
  AclFixture fixture;
  const auto deleted = [&](const std::string& name) {
    DeleteTopicsRequest request;
    request.topic_names = {name};
    return fixture.as_alice(request, 5).responses.at(0).error_code;
  };
  CHECK(deleted("t") == ErrorCode::topic_authorization_failed);
  CHECK(deleted("missing") == ErrorCode::topic_authorization_failed);
  fixture.allow(ResourceType::topic, "missing", Operation::describe);
  CHECK(deleted("missing") == ErrorCode::unknown_topic_or_partition);
  fixture.allow(ResourceType::topic, "t", Operation::delete_);
  CHECK(deleted("t") == ErrorCode::none);
}

TEST_CASE("a consumer group is joined only with topics that may be described", "[security][acl]") {
  AclFixture fixture;
  FindCoordinatorRequest find;
  find.coordinator_keys = {"g"};
  fixture.as("admin", find, 4);
  ConsumerGroupHeartbeatRequest beat;
  beat.group_id = "g";
  beat.member_id = "m";
  beat.rebalance_timeout_ms = 1000;
  beat.subscribed_topic_names = {"t"};
  beat.topic_partitions.emplace();
  CHECK(fixture.as_alice(beat, 1).error_code == ErrorCode::group_authorization_failed);
  fixture.allow(ResourceType::group, "g", Operation::read);
  CHECK(fixture.as_alice(beat, 1).error_code == ErrorCode::topic_authorization_failed);
  ConsumerGroupDescribeRequest describe;
  describe.group_ids = {"g"};
  describe.include_authorized_operations = true;
  fixture.allow(ResourceType::topic, "t", Operation::describe);
  CHECK(fixture.as_alice(beat, 1).error_code == ErrorCode::none);
  const auto described = fixture.as_alice(describe, 1).groups.at(0);
  CHECK(described.error_code == ErrorCode::none);
  CHECK(described.authorized_operations == (1 << 3 | 1 << 8));
}

}  // namespace
}  // namespace fencepost::minibroker
