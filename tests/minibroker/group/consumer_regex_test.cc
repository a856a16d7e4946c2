// Subscriptions by pattern: resolved after the request that brings them, and again when topics
// come.
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {

ConsumerGroups::Consumer join_with_pattern(ConsumerGroups& groups, const std::string& id,
                                           const std::string& pattern) {
  ConsumerGroups::Consumer consumer{id};
  ConsumerGroupHeartbeatRequest request = ConsumerGroups::joining(consumer);
  request.subscribed_topic_names.reset();
  request.subscribed_topic_regex = pattern;
  groups.exchange(consumer, request);
  return consumer;
}

}  // namespace

TEST_CASE("A pattern is resolved after its request and assigned with the next", "[group][regex]") {
  ConsumerGroups groups;
  groups.add_topic("in-put", 2);
  groups.add_topic("out", 1);
  ConsumerGroups::Consumer a = join_with_pattern(groups, "a", "in.*");
  CHECK(a.owned.empty());
  groups.advance(Duration{});
  groups.beat_with(a);
  CHECK(a.owned.size() == 2);
  CHECK(ConsumerGroups::partitions_of(a, topic_id(3)).empty());
}

TEST_CASE("A pattern has to match the whole name", "[group][regex]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = join_with_pattern(groups, "a", "i");
  groups.advance(Duration{});
  groups.beat_with(a);
  CHECK(a.owned.empty());
}

TEST_CASE("A pattern finds no topic that its member may not describe", "[group][regex]") {
  security::AuthorizerSettings settings;
  settings.is_enabled = true;
  security::Authorizer authorizer(settings);
  security::Acl acl;
  acl.resource_name = "in";
  acl.principal = "User:alice";
  acl.host = "*";
  acl.operation = security::Operation::describe;
  authorizer.add(acl);
  security::Identity alice;
  alice.principal = "User:alice";

  ConsumerGroups groups;
  groups.add_topic("in-secret", 2);
  groups.coordinator.set_authorizer(std::make_shared<const security::Authorizer>(authorizer));
  groups.identity = std::make_shared<const security::Identity>(alice);
  ConsumerGroups::Consumer a = join_with_pattern(groups, "a", "in.*");
  groups.advance(Duration{});
  groups.beat_with(a);
  CHECK(a.owned.size() == 1);
  CHECK(ConsumerGroups::partitions_of(a, topic_id(1)).size() == 4);
}

TEST_CASE("A new topic is found when the pattern is looked at again", "[group][regex]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = join_with_pattern(groups, "a", "in.*");
  groups.advance(Duration{});
  groups.beat_with(a);
  CHECK(a.owned.size() == 1);
  groups.add_topic("in-put", 2);
  groups.advance(seconds(5));
  groups.beat_with(a);
  groups.advance(Duration{});
  CHECK(groups.beat_with(a).assignment == std::nullopt);
  groups.advance(seconds(6));
  groups.beat_with(a);
  groups.advance(Duration{});
  groups.beat_with(a);
  CHECK(a.owned.size() == 2);
}

TEST_CASE("A pattern that is none is refused", "[group][regex]") {
  ConsumerGroups groups;
  ConsumerGroupHeartbeatRequest request = ConsumerGroups::joining({"a"});
  request.subscribed_topic_regex = "(";
  const auto response = groups.ask(request, 1);
  CHECK(response.error_code == ErrorCode::invalid_regular_expression);
  CHECK(response.error_message ==
        "SubscribedTopicRegex `(` is not a valid regular expression: missing closing ).");
}

TEST_CASE("A pattern goes from the log with its last subscriber", "[group][regex]") {
  ConsumerGroups groups;
  ConsumerGroups::Consumer a = join_with_pattern(groups, "a", "in.*");
  groups.advance(Duration{});
  groups.beat_with(a);
  ConsumerGroupHeartbeatRequest request = ConsumerGroups::beating(a);
  request.subscribed_topic_regex = "";
  groups.exchange(a, request);
  CHECK(a.owned.empty());
  groups.fail_over();
  groups.beat_with(a);
  CHECK(a.owned.empty());
  CHECK(groups.described().members.at(0).subscribed_topic_regex == "");
}

}  // namespace fencepost::minibroker
