#include "minibroker/group/assignors/assignor.h"

#include "minibroker/group/assignors/java_order.h"
#include "tests/minibroker/group/consumer_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

namespace {

struct Setup {
  AssignorInput input;

  void topic(std::uint8_t number, std::int32_t partition_count) {
    input.partition_counts[topic_id(number)] = partition_count;
  }
  void member(const std::string& id, std::set<std::uint8_t> topics, Assignment previous = {},
              std::optional<std::string> instance = std::nullopt) {
    AssignorMember& member = input.members.emplace_back();
    member.member_id = id;
    member.instance_id = std::move(instance);
    for (std::uint8_t it : topics) member.topic_ids.insert(topic_id(it));
    for (const auto& [topic, partitions] : previous)
      input.assigned[topic].insert(partitions.begin(), partitions.end());
    member.previous = std::move(previous);
  }
};

std::size_t count(const Assignment& assignment) {
  std::size_t sum = 0;
  for (const auto& [topic, partitions] : assignment) sum += partitions.size();
  return sum;
}

// Nothing twice, nothing left out.
void check_complete(const Setup& setup, const Targets& targets) {
  Assignment all;
  std::size_t sum = 0;
  for (const auto& [member, target] : targets) {
    sum += count(target);
    for (const auto& [topic, partitions] : target)
      all[topic].insert(partitions.begin(), partitions.end());
  }
  std::size_t wanted = 0;
  for (const auto& [topic, partition_count] : setup.input.partition_counts)
    wanted += static_cast<std::size_t>(partition_count);
  CHECK(sum == wanted);
  CHECK(count(all) == wanted);
}

}  // namespace

TEST_CASE("Range gives each topic in contiguous ranges", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 3);
  setup.topic(2, 3);
  setup.member("b", {1, 2});
  setup.member("a", {1, 2});
  const Targets targets = assign_range(setup.input);
  CHECK(targets.at("a") == Assignment{{topic_id(1), {0, 1}}, {topic_id(2), {0, 1}}});
  CHECK(targets.at("b") == Assignment{{topic_id(1), {2}}, {topic_id(2), {2}}});
}

TEST_CASE("Range puts static members first, by instance", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 3);
  setup.member("a", {1});
  setup.member("z", {1}, {}, "1");
  const Targets targets = assign_range(setup.input);
  CHECK(targets.at("z") == Assignment{{topic_id(1), {0, 1}}});
}

TEST_CASE("Range leaves a topic to those who subscribe to it", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 2);
  setup.topic(2, 2);
  setup.member("a", {1, 2});
  setup.member("b", {2});
  setup.input.is_homogeneous = false;
  const Targets targets = assign_range(setup.input);
  CHECK(targets.at("a") == Assignment{{topic_id(1), {0, 1}}, {topic_id(2), {0}}});
  CHECK(targets.at("b") == Assignment{{topic_id(2), {1}}});
}

TEST_CASE("Uniform spreads evenly and moves as little as it can", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 7);
  setup.member("a", {1}, {{topic_id(1), {0, 1, 2, 3}}});
  setup.member("b", {1}, {{topic_id(1), {4, 5, 6}}});
  setup.member("c", {1});
  const Targets targets = assign_uniform(setup.input);
  check_complete(setup, targets);
  CHECK(targets.at("a") == Assignment{{topic_id(1), {0, 1, 2}}});
  CHECK(targets.at("b") == Assignment{{topic_id(1), {4, 5}}});
  CHECK(targets.at("c") == Assignment{{topic_id(1), {3, 6}}});
}

TEST_CASE("An extra partition stays with the member that has it", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 3);
  setup.member("a", {1}, {{topic_id(1), {0}}});
  setup.member("b", {1}, {{topic_id(1), {1, 2}}});
  const Targets targets = assign_uniform(setup.input);
  CHECK(targets.at("a") == Assignment{{topic_id(1), {0}}});
  CHECK(targets.at("b") == Assignment{{topic_id(1), {1, 2}}});
}

TEST_CASE("Uniform balances members that subscribe to different topics", "[group][assignor]") {
  Setup setup;
  setup.topic(1, 6);
  setup.topic(2, 2);
  setup.member("a", {1, 2}, {{topic_id(1), {0, 1, 2, 3, 4, 5}}, {topic_id(2), {0}}});
  setup.member("b", {2}, {{topic_id(2), {1}}});
  setup.member("c", {1});
  setup.input.is_homogeneous = false;
  const Targets targets = assign_uniform(setup.input);
  check_complete(setup, targets);
  CHECK(count(targets.at("a")) == 3);
  CHECK(count(targets.at("b")) == 2);
  CHECK(count(targets.at("c")) == 3);
  for (const auto& [topic, partitions] : targets.at("b")) CHECK(topic == topic_id(2));
}

TEST_CASE("Members without topics get nothing", "[group][assignor]") {
  Setup setup;
  setup.member("a", {});
  CHECK(count(assign_uniform(setup.input)["a"]) == 0);
  CHECK(count(assign_range(setup.input)["a"]) == 0);
}

TEST_CASE("Keys come in the order of a Java hash map", "[group][assignor]") {
  CHECK(java_hash("range") == 108280125U);
  CHECK(java_hash("uniform") == 4008040884U);
  CHECK(java_hash("\xc3\xa9\xf0\x9f\x98\x80") == 31U * (31U * 0xe9U + 0xd83dU) + 0xde00U);
  std::vector<std::string> keys{"q", "a", "p"};
  sort_as_java_hash_map(keys);
  CHECK(keys == std::vector<std::string>{"p", "q", "a"});
  CHECK(grown_java_table(12, default_java_table) == 16);
  CHECK(grown_java_table(13, default_java_table) == 32);
  CHECK(copied_java_table(12) == 32);
}

}  // namespace fencepost::minibroker
