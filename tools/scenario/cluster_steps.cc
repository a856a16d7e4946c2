#include "tools/scenario/cluster_steps.h"

#include <algorithm>
#include <array>

#include "minibroker/election_words.h"
#include "minibroker/error_answers.h"
#include "protocol/error_code.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

using minibroker::Cluster;
using minibroker::CoordinatorType;
using minibroker::sim::FaultAction;
using minibroker::sim::FaultRule;
using minibroker::sim::parse_party;
using minibroker::sim::Unsynced;

struct RuleVerb {
  std::string_view verb;
  FaultAction action;
  std::string_view remark;
};

constexpr std::array rule_verbs{
    RuleVerb{"hold", FaultAction::hold, "from now on"},
    RuleVerb{"lose_reply", FaultAction::lose_reply, "its answer will be lost"},
    RuleVerb{"drop", FaultAction::drop, "it will be lost"},
    RuleVerb{"delay", FaultAction::delay, "it will be late"},
    RuleVerb{"duplicate", FaultAction::duplicate, "it will arrive twice"},
    RuleVerb{"reorder", FaultAction::reorder, "the next one will overtake it"},
    RuleVerb{"close", FaultAction::close, "the connection will close instead"},
    RuleVerb{"answer_with", FaultAction::error, "the error will be its answer"},
};

constexpr std::array<std::string_view, 12> node_verbs{
    "crash",    "crash_at",  "restart", "pause", "resume", "sync",
    "truncate", "partition", "slow",    "heal",  "elect",  "move_coordinator"};

const RuleVerb* find_rule(const VerbSpec& verb) {
  const auto at = std::find_if(rule_verbs.begin(), rule_verbs.end(),
                               [&](const RuleVerb& it) { return it.verb == verb.name; });
  return at == rule_verbs.end() ? nullptr : &*at;
}

std::optional<int> number(const Arguments& arguments, const std::string& name) {
  const auto value = arguments.integer(name);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

ClusterStepResult add_rule(Cluster& cluster, const Step& step, const RuleVerb& verb) {
  const Arguments& arguments = step.arguments;
  FaultRule rule;
  rule.action = verb.action;
  if (arguments.boolean("reply").value_or(false)) rule.action = FaultAction::hold_reply;
  rule.name = arguments.text("as").value_or("");
  rule.api_key = protocol::find_api(arguments.text("api").value_or(""))->key;
  rule.client_id = arguments.text("actor");
  rule.topic = arguments.text("topic");
  rule.transactional_id = arguments.text("transactional_id");
  rule.to_broker = number(arguments, "broker");
  rule.from_broker = number(arguments, "from_broker");
  rule.count = number(arguments, "count").value_or(1);
  rule.delay = arguments.duration("by").value_or(Duration{});
  if (const auto name = arguments.text("error")) rule.error = *protocol::parse_error_code(*name);
  cluster.faults().add(std::move(rule));
  return {std::string(verb.remark)};
}

// ---- links

ClusterStepResult change_links(Cluster& cluster, const Step& step, Instant now) {
  const std::vector<std::string> ones = step.arguments.texts("between");
  const std::vector<std::string> others = step.arguments.texts("and");
  if (ones.empty()) {
    cluster.heal_all(now);
    return {"every link is healed"};
  }
  for (const std::string& one : ones)
    for (const std::string& other : others) {
      if (step.verb->name == "partition") {
        cluster.cut(parse_party(one), parse_party(other), now);
      } else if (step.verb->name == "slow") {
        cluster.slow(parse_party(one), parse_party(other), *step.arguments.duration("latency"));
      } else if (!cluster.heal(parse_party(one), parse_party(other), now)) {
        return {"", "the link between " + one + " and " + other + " is neither cut nor slow"};
      }
    }
  return {};
}

// ---- brokers

Unsynced unsynced_of(const Arguments& arguments) {
  return arguments.text("unsynced").value_or("kept") == "lost" ? Unsynced::lost : Unsynced::kept;
}

ClusterStepResult plan_crash(Cluster& cluster, const Arguments& arguments) {
  cluster.crash_at({arguments.text("point").value_or(""), number(arguments, "broker"),
                    arguments.text("of"), number(arguments, "skip").value_or(0),
                    unsynced_of(arguments)});
  return {"waits for its moment"};
}

ClusterStepResult change_broker(Cluster& cluster, const Step& step, Instant now) {
  const std::string_view verb = step.verb->name;
  const int broker = number(step.arguments, "broker").value_or(0);
  bool is_done = false;
  if (verb == "crash") is_done = cluster.crash(broker, unsynced_of(step.arguments), now);
  if (verb == "restart") is_done = cluster.restart(broker, now);
  if (verb == "pause") is_done = cluster.pause(broker, now);
  if (verb == "resume") is_done = cluster.resume(broker, now);
  if (verb == "sync") is_done = cluster.sync(broker);
  if (verb == "truncate") {
    const TopicPartition partition = step.arguments.partitions("partition").at(0);
    is_done = cluster.truncate(broker, partition.topic, partition.partition,
                               *step.arguments.integer("to"));
  }
  if (is_done) return {};
  return {"", "broker " + std::to_string(broker) + " is in no state to " + std::string(verb)};
}

// ---- leaders

ClusterStepResult elect(Cluster& cluster, const Step& step, Instant now) {
  const Arguments& arguments = step.arguments;
  const int broker = number(arguments, "broker").value_or(-1);
  protocol::ErrorCode error = protocol::ErrorCode::none;
  if (step.verb->name == "elect") {
    const TopicPartition partition = arguments.partitions("partition").at(0);
    error =
        cluster.elect(partition.topic, partition.partition,
                      minibroker::election_of(arguments.text("kind").value_or("")), broker, now);
  } else {
    const bool is_group = arguments.text("type").value_or("transaction") == "group";
    error =
        cluster.move_coordinator(is_group ? CoordinatorType::group : CoordinatorType::transaction,
                                 arguments.text("of").value_or(""), broker, now);
  }
  if (error == protocol::ErrorCode::none) return {};
  return {"", "the controller answers " + std::string(to_string(error))};
}

}  // namespace

bool is_cluster_step(const VerbSpec& verb) {
  if (verb.kind != VerbKind::world) return false;
  return find_rule(verb) != nullptr ||
         std::find(node_verbs.begin(), node_verbs.end(), verb.name) != node_verbs.end();
}

ClusterStepResult perform_cluster_step(Cluster& cluster, const Step& step, Instant now) {
  const std::string_view verb = step.verb->name;
  if (const RuleVerb* rule = find_rule(*step.verb)) return add_rule(cluster, step, *rule);
  if (verb == "crash_at") return plan_crash(cluster, step.arguments);
  if (verb == "partition" || verb == "slow" || verb == "heal")
    return change_links(cluster, step, now);
  if (verb == "elect" || verb == "move_coordinator") return elect(cluster, step, now);
  return change_broker(cluster, step, now);
}

void check_cluster_step(const Scenario& scenario, const Step& step, Mistakes& mistakes) {
  if (const auto name = step.arguments.text("api")) {
    const protocol::Api* api = protocol::find_api(*name);
    std::vector<std::string> names;
    for (const protocol::Api& it : protocol::apis()) names.emplace_back(it.name);
    if (api == nullptr)
      mistakes.add(step.place, "no API is called '" + *name + "'" + suggestion(*name, names));
    else if (step.verb->name == "answer_with" && !minibroker::can_answer_with_error(api->key))
      mistakes.add(step.place, "an answer of " + *name + " has no place for one error");
  }
  const auto error = step.verb->name == "answer_with" ? step.arguments.text("error") : std::nullopt;
  if (error && !protocol::parse_error_code(*error)) {
    std::vector<std::string> names;
    for (const protocol::ErrorCodeInfo& info : protocol::error_codes())
      names.emplace_back(info.name);
    mistakes.add(step.place, "no error is called '" + *error + "'" + suggestion(*error, names));
  }
  if (const auto point = step.arguments.text("point")) {
    const auto points = minibroker::sim::cut_points();
    const std::vector<std::string> names(points.begin(), points.end());
    if (std::find(names.begin(), names.end(), *point) == names.end())
      mistakes.add(step.place, "no cut point '" + *point + "'" + suggestion(*point, names));
  }
  int brokers = scenario.brokers;
  for (const Variant& variant : scenario.variants)
    brokers = std::max(brokers, variant.brokers.value_or(0));
  for (const char* name : {"broker", "from_broker"})
    if (const auto id = step.arguments.integer(name); id && (*id < 1 || *id > brokers))
      mistakes.add(step.place, "there is no broker " + std::to_string(*id) + "; they are 1 to " +
                                   std::to_string(brokers));
  if (step.arguments.has("between") != step.arguments.has("and"))
    mistakes.add(step.place, "a link has two sides: between: ..., and: ...");
}

}  // namespace fencepost::scenario
