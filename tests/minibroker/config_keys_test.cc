// The tables of Kafka's configuration keys, and which values they take.
#include "minibroker/config_keys.h"

#include <algorithm>

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

std::string problem(std::span<const ConfigKey> keys, std::string_view name,
                    std::string_view value) {
  return config_value_problem(*find_config_key(keys, name), value).value_or("good");
}

std::string topic_problem(std::string_view name, std::string_view value) {
  return problem(topic_config_keys(), name, value);
}

}  // namespace

TEST_CASE("Keys stand in the order of their names, and each takes its own default",
          "[minibroker][config_keys]") {
  for (std::span<const ConfigKey> keys :
       {broker_config_keys(), topic_config_keys(), group_config_keys()}) {
    CHECK(std::ranges::is_sorted(keys, {}, &ConfigKey::name));
    for (const ConfigKey& key : keys) {
      INFO(key.name);
      if (key.default_value != nullptr)
        CHECK_FALSE(config_value_problem(key, key.default_value).has_value());
    }
  }
}

TEST_CASE("The broker's key that gives a topic's default exists", "[minibroker][config_keys]") {
  for (const ConfigKey& key : topic_config_keys()) {
    INFO(key.name);
    if (key.broker_key.empty()) continue;
    const ConfigKey* of_broker = find_config_key(broker_config_keys(), key.broker_key);
    REQUIRE(of_broker != nullptr);
    CHECK(of_broker->type == key.type);
  }
}

TEST_CASE("Good values are taken", "[minibroker][config_keys]") {
  CHECK(topic_problem("cleanup.policy", "compact,delete") == "good");
  CHECK(topic_problem("cleanup.policy", "") == "good");
  CHECK(topic_problem("retention.ms", "-1") == "good");
  CHECK(topic_problem("min.cleanable.dirty.ratio", "0.25") == "good");
  CHECK(topic_problem("compression.gzip.level", "-1") == "good");
  CHECK(topic_problem("leader.replication.throttled.replicas", "0:1,2:3") == "good");
  CHECK(topic_problem("leader.replication.throttled.replicas", "*") == "good");
}

TEST_CASE("Wrong values are refused in Kafka's words", "[minibroker][config_keys]") {
  const std::string prefix = "Invalid value ";
  CHECK(topic_problem("retention.ms", "abc") ==
        prefix + "abc for configuration retention.ms: Not a number of type LONG");
  CHECK(topic_problem("segment.bytes", "99999999999") ==
        prefix + "99999999999 for configuration segment.bytes: Not a number of type INT");
  CHECK(topic_problem("retention.ms", "-5") ==
        prefix + "-5 for configuration retention.ms: Value must be at least -1");
  CHECK(topic_problem("compression.gzip.level", "12") ==
        prefix +
            "12 for configuration compression.gzip.level: Value must be between 1 and 9 or equal "
            "to -1");
  CHECK(topic_problem("cleanup.policy", "x") ==
        prefix + "x for configuration cleanup.policy: String must be one of: compact, delete");
  CHECK(topic_problem("preallocate", "yes") ==
        prefix + "yes for configuration preallocate: Expected value to be either true or false");
  CHECK(topic_problem("leader.replication.throttled.replicas", "x") != "good");
  CHECK(problem(broker_config_keys(), "offsets.topic.replication.factor", "70000") ==
        prefix +
            "70000 for configuration offsets.topic.replication.factor: Not a number of type "
            "SHORT");
}

}  // namespace fencepost::minibroker
