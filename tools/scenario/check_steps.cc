// What must fit between the steps of a scenario: topics, names, and what each actor has by then.
#include <algorithm>
#include <set>

#include "protocol/api.h"
#include "tools/scenario/cluster_steps.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/values.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

class StepChecker {
 public:
  StepChecker(const Scenario& scenario, Mistakes& mistakes)
      : scenario_(scenario), mistakes_(mistakes) {
    for (const auto& topic : scenario.topics) topics_[topic.name] = topic.partition_count;
    // Their partition counts are settings; the brokers know better.
    topics_[minibroker::consumer_offsets_topic] = partitions_unknown;
    topics_[minibroker::transaction_state_topic] = partitions_unknown;
  }

  void check() {
    for (const Step& step : scenario_.steps) {
      check_topics(step);
      check_version(step);
      if (is_cluster_step(*step.verb)) check_cluster_step(scenario_, step, mistakes_);
      check_expected_values(step);
      check_names(step);
      check_actor(step);
    }
  }

 private:
  static constexpr int partitions_unknown = 1 << 30;

  std::vector<std::string> topic_names() const {
    std::vector<std::string> names;
    for (const auto& topic : scenario_.topics) names.push_back(topic.name);
    return names;
  }

  void check_topic(Place place, const std::string& topic, int index) {
    const auto at = topics_.find(topic);
    if (at == topics_.end())
      mistakes_.add(
          place, "topic " + quoted(topic) + " is not declared" + suggestion(topic, topic_names()));
    else if (index >= at->second)
      mistakes_.add(place, "topic " + quoted(topic) + " has " + std::to_string(at->second) +
                               (at->second == 1 ? " partition" : " partitions") + ", there is no " +
                               topic + "-" + std::to_string(index));
  }

  void check_topics(const Step& step) {
    for (const ArgumentSpec& spec : step.verb->arguments) {
      const std::string name(spec.name);
      for (const TopicPartition& it : step.arguments.partitions(name))
        check_topic(step.place, it.topic, it.partition);
      for (const auto& [partition, offset] : step.arguments.offsets(name))
        check_topic(step.place, partition.topic, partition.partition);
      if (spec.type == ArgumentType::topics)
        for (const std::string& topic : step.arguments.texts(name))
          check_topic(step.place, topic, 0);
    }
    if (step.verb->name == "create_topics")
      topics_[step.arguments.text("name").value_or("")] =
          static_cast<int>(step.arguments.integer("partitions").value_or(1));
  }

  void check_version(const Step& step) {
    const auto version = step.arguments.integer("version");
    if (!version || !step.verb->api) return;
    const protocol::Versions versions = protocol::find_api(*step.verb->api)->versions();
    if (!versions.contains(static_cast<int>(*version)))
      mistakes_.add(step.place, quoted(step.verb->name) + " has the versions " +
                                    std::to_string(versions.first) + " to " +
                                    std::to_string(versions.last) + ", not " +
                                    std::to_string(*version));
  }

  // The verb whose answer an expectation of this step is about.
  const VerbSpec* answering_verb(const Step& step) const {
    if (step.verb->name != "await" && step.verb->name != "release") return step.verb;
    const auto at = answering_.find(step.arguments.text("name").value_or(""));
    return at == answering_.end() ? nullptr : at->second;
  }

  void check_expected_values(const Step& step) {
    const VerbSpec* verb = answering_verb(step);
    if (!step.expect || verb == nullptr) return;
    if (step.expect->otherwise) check_outcome(*verb, *step.expect->otherwise);
    for (const auto& [variant, outcome] : step.expect->by_variant) check_outcome(*verb, outcome);
    if (verb->kind == VerbKind::world)
      mistakes_.add(step.expect->place, quoted(verb->name) + " has no answer to expect");
  }

  void check_outcome(const VerbSpec& verb, const Outcome& outcome) {
    for (const Node::Entry& entry : outcome.values.entries) {
      if (entry.key == "error") continue;
      const ReturnSpec* spec = verb.find_return(entry.key);
      if (spec == nullptr) {
        std::vector<std::string> names{"error"};
        for (const ReturnSpec& it : verb.returns) names.emplace_back(it.name);
        mistakes_.add(entry.place, "the answer of " + quoted(verb.name) + " has no " +
                                       quoted(entry.key) + suggestion(entry.key, names));
      } else if (!has_shape(entry.value, spec->shape)) {
        mistakes_.add(entry.value.place, quoted(entry.key) + " is " + shape_name(spec->shape) +
                                             ", not " + quoted(to_string(entry.value)));
      }
    }
  }

  static bool has_shape(const Node& node, Shape shape) {
    switch (shape) {
      case Shape::number:
        return node.is_scalar() && parse_integer(node.text).has_value();
      case Shape::text:
        return node.is_scalar();
      case Shape::boolean:
        return node.is_scalar() && parse_boolean(node.text).has_value();
      case Shape::list:
        return node.is_list();
      case Shape::map:
        return node.is_map();
    }
    return false;
  }

  static std::string shape_name(Shape shape) {
    switch (shape) {
      case Shape::number:
        return "a whole number";
      case Shape::text:
        return "a text";
      case Shape::boolean:
        return "true or false";
      case Shape::list:
        return "a list [a, b]";
      case Shape::map:
        return "a map {a: b}";
    }
    return {};
  }

  void check_names(const Step& step) {
    if (step.as) start_name(step, *step.as, started_);
    if (step.hold) start_name(step, *step.hold, held_);
    if (step.verb->name == "hold") {
      const std::string name = step.arguments.text("as").value_or("");
      if (!held_.insert(name).second)
        mistakes_.add(step.place, "something is held as " + quoted(name) + " already");
    }
    const std::string name = step.arguments.text("name").value_or("");
    if (step.verb->name == "await" && !name.empty() && started_.count(name) == 0)
      mistakes_.add(step.place, "no earlier step was started as " + quoted(name) +
                                    suggestion(name, {started_.begin(), started_.end()}));
    if (step.verb->name == "release" && !name.empty() && held_.count(name) == 0)
      mistakes_.add(step.place, "nothing is held as " + quoted(name) + " by then" +
                                    suggestion(name, {held_.begin(), held_.end()}));
  }

  void start_name(const Step& step, const std::string& name, std::set<std::string>& names) {
    if (!names.insert(name).second && step.only.empty())
      mistakes_.add(step.place, "the name " + quoted(name) + " is taken already");
    answering_[name] = step.verb;
  }

  // A file whose steps differ by variant is checked as if all of them ran.
  void check_actor(const Step& step) {
    const std::string_view verb = step.verb->name;
    const bool is_told_producer =
        step.arguments.has("producer_id") && step.arguments.has("producer_epoch");
    if (step.verb->needs == Needs::producer && producers_.count(step.actor) == 0 &&
        !is_told_producer)
      mistakes_.add(step.place, quoted(step.actor) + " has no producer id here" +
                                    "; an earlier init_producer_id has to give it one");
    const bool takes_group = step.verb->find_argument("group") != nullptr;
    if (takes_group && !step.arguments.has("group") && groups_.count(step.actor) == 0)
      mistakes_.add(step.place, quoted(step.actor) + " has no group here; name it: group: g");
    if (step.arguments.has("key") && step.arguments.has("records"))
      mistakes_.add(step.place, "give key and value, or records");
    if (verb == "produce" && !step.arguments.has("key") && !step.arguments.has("value") &&
        !step.arguments.has("records"))
      mistakes_.add(step.place, "'produce' needs key and value, or records");
    if (verb == "join_group" && !step.arguments.has("topics") && groups_.count(step.actor) == 0)
      mistakes_.add(step.place, "'join_group' needs 'topics' the first time");
    if (verb == "init_producer_id") producers_.insert(step.actor);
    if (takes_group) groups_.insert(step.actor);
    if (verb == "crash" && !step.actor.empty() && step.only.empty()) {
      producers_.erase(step.actor);
      groups_.erase(step.actor);
    }
  }

  const Scenario& scenario_;
  Mistakes& mistakes_;
  std::map<std::string, int> topics_;
  std::set<std::string> started_, held_;
  std::set<std::string> producers_, groups_;
  std::map<std::string, const VerbSpec*> answering_;
};

}  // namespace

void check_steps(const Scenario& scenario, Mistakes& mistakes) {
  StepChecker(scenario, mistakes).check();
}

}  // namespace fencepost::scenario
