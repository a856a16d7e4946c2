#include "tools/scenario/explore/cut_table.h"

#include <algorithm>

#include "protocol/base/check.h"
#include "tools/scenario/explore/execution.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;
using minibroker::Cluster;

std::string value_of(const std::string& record) {
  return record.substr(record.find('=') + 1);
}

Readings readings_of(const Cluster& cluster) {
  Readings seen;
  for (const minibroker::PartitionState& partition : cluster.partitions()) {
    if (partition.topic.starts_with("__")) continue;
    for (const minibroker::BatchSummary& batch : partition.batches) {
      const bool is_committed =
          batch.state == BatchState::plain || batch.state == BatchState::committed;
      for (const std::string& record : batch.records) {
        if (batch.last_offset < partition.high_watermark)
          seen.uncommitted.push_back(value_of(record));
        if (is_committed && batch.last_offset < partition.last_stable_offset)
          seen.committed.push_back(value_of(record));
      }
    }
  }
  const bool has_coordinator = std::ranges::all_of(
      cluster.brokers(), [](const auto& it) { return it.state == minibroker::NodeState::up; });
  if (has_coordinator) seen.offsets.emplace();
  for (const minibroker::GroupState& group : cluster.groups())
    for (const minibroker::CommittedOffset& it : group.offsets)
      if (has_coordinator && !it.is_pending)
        seen.offsets->push_back(it.topic + "-" + std::to_string(it.partition) + "@" +
                                std::to_string(it.offset));
  return seen;
}

std::string states_of(const Cluster& cluster) {
  std::string text;
  for (const minibroker::TransactionState& it : cluster.transactions()) {
    text += (text.empty() ? "" : ", ") + it.state;
    text += " " + std::to_string(it.producer_id) + "/" + std::to_string(it.producer_epoch);
  }
  return text.empty() ? "nothing" : text;
}

// What the coordinator finds in its log, before it goes on with any of it.
std::string loaded_by(Cluster cluster, int broker_id, Instant now) {
  CHECK(cluster.restart(broker_id, now));
  while (cluster.transactions().empty()) {
    const std::optional<Instant> next = cluster.next_deadline();
    const bool is_back = std::ranges::all_of(
        cluster.brokers(), [](const auto& it) { return it.state == minibroker::NodeState::up; });
    if (!next || is_back) break;
    cluster.advance_to(*next);
  }
  return states_of(cluster);
}

class Table {
 public:
  Table(const Scenario& scenario, const Variant& variant,
        const std::optional<std::string>& as_version)
      : program_(scenario, variant),
        settings_(cluster_settings(scenario, variant, as_version, std::nullopt)),
        cluster_(make_cluster(settings_)),
        limits_(with_a_crash(program_.bounds())),
        before_(program_, limits_, cluster_, settings_.start) {
    table_.variant = variant.name;
    std::vector<const Step*> steps;
    for (const Step& step : scenario.steps)
      if (step.runs_in(variant.name)) steps.push_back(&step);
    const Step& last = *steps.back();
    steps.pop_back();
    for (const Step* step : steps)
      if (can_take(choice_of(*step))) before_.take(choice_of(*step));
    cut_ = choice_of(last);
    table_.step = last.actor + "." + std::string(last.verb->name);
    if (last.written.kind == NodeKind::scalar) table_.step += ": " + last.written.text;
  }

  CutTable run() {
    if (!can_take(cut_)) return std::move(table_);
    Execution whole(before_);
    whole.take(cut_);
    const std::vector<Choice> crashes =
        crashes_at(whole.moments(), cut_.index, {minibroker::sim::Unsynced::kept});
    CutRow uncut;
    uncut.answer = answer_of(whole);
    go_on(whole, uncut);
    table_.rows.push_back(std::move(uncut));
    for (const Choice& crash : crashes) add_row(crash);
    return std::move(table_);
  }

 private:
  static FaultLimits with_a_crash(const ExploreBounds& bounds) {
    FaultLimits limits = FaultLimits::of(bounds);
    limits.crashes = limits.all = 1;
    limits.crashes_at_cut_points = true;
    return limits;
  }

  static std::string answer_of(const Execution& execution) {
    const std::optional<Answer>& answer = execution.history().back().answer;
    return answer ? answer->outcome : "UNKNOWN_OUTCOME";
  }

  Choice choice_of(const Step& step) const {
    if (step.actor.empty()) return {ChoiceKind::barrier};
    const std::vector<ActorProgram>& actors = program_.actors();
    const auto at = std::ranges::find(actors, step.actor, &ActorProgram::name);
    return {ChoiceKind::step, static_cast<int>(at - actors.begin())};
  }

  // Not when its actor has stopped: an earlier step was refused.
  bool can_take(const Choice& choice) const {
    const std::vector<Choice> choices = before_.choices();
    return !before_.violation() && std::ranges::find(choices, choice) != choices.end();
  }

  void add_row(const Choice& crash) {
    Execution execution(before_);
    execution.take(crash);
    if (!execution.history().back().is_crashed) return;
    CutRow row;
    row.point = crash.point;
    row.subject = crash.subject;
    row.answer = answer_of(execution);
    row.before = readings_of(execution.cluster());
    row.loaded = loaded_by(execution.cluster(), crash.broker_id, execution.now());
    if (!execution.violation()) execution.take({ChoiceKind::restart, crash.broker_id});
    go_on(execution, row);
    table_.rows.push_back(std::move(row));
  }

  // To the end, with what the actor is told who asks again.
  void go_on(Execution& execution, CutRow& row) {
    row.after = readings_of(execution.cluster());
    row.became = states_of(execution.cluster());
    const std::vector<Choice> choices = execution.choices();
    const bool asks_again = std::ranges::find(choices, cut_) != choices.end();
    if (asks_again && !execution.violation()) {
      execution.take(cut_);
      row.again = answer_of(execution);
    }
    if (!execution.violation()) execution.finish();
    row.decided = states_of(execution.cluster());
    row.last = readings_of(execution.cluster());
    if (execution.violation()) row.violation = execution.violation()->property;
  }

  Program program_;
  minibroker::ClusterSettings settings_;
  Cluster cluster_;
  FaultLimits limits_;
  Execution before_;  // where the step comes next
  Choice cut_;
  CutTable table_;
};

}  // namespace

CutTable cut_table(const Scenario& scenario, const Variant& variant,
                   const std::optional<std::string>& as_version) {
  return Table(scenario, variant, as_version).run();
}

std::vector<Mistake> table_refusals(const Scenario& scenario) {
  std::vector<Mistake> mistakes;
  for (const Variant& variant : scenario.variants) {
    const Step* last = nullptr;
    for (const Step& step : scenario.steps)
      if (step.runs_in(variant.name)) last = &step;
    const bool is_request = last != nullptr && last->verb->kind == VerbKind::wire;
    if (!is_request)
      mistakes.push_back({last == nullptr ? variant.place : last->place,
                          "--table cuts the last step of a scenario, which has to be a request"});
  }
  return mistakes;
}

}  // namespace fencepost::scenario
