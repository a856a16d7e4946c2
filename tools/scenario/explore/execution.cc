// An actor behaves as an application that is written well: what was refused in a transaction ends
// it with an abort, an end whose answer did not come is asked for again, and who is fenced stops.
#include "tools/scenario/explore/execution.h"

#include <algorithm>

#include "protocol/error_code.h"
#include "tools/scenario/cluster_steps.h"

namespace fencepost::scenario {

namespace {

using minibroker::BrokerState;
using minibroker::NodeState;
using minibroker::sim::FaultAction;
using minibroker::sim::FaultRule;
using minibroker::sim::Unsynced;

bool is_unknown(const std::string& outcome) {
  return outcome == "UNKNOWN_OUTCOME" || outcome == "CANNOT_CONNECT";
}

bool is_fenced(const std::string& outcome) {
  const std::optional<protocol::ErrorCode> code = protocol::parse_error_code(outcome);
  return code && reaction_of(*code) == protocol::Reaction::fenced;
}

bool is_expected(const Step& step, const std::string& variant, const std::string& outcome) {
  if (outcome == "NONE") return true;
  const Outcome* expected = step.expect ? step.expect->in(variant) : nullptr;
  return expected != nullptr && std::find(expected->errors.begin(), expected->errors.end(),
                                          outcome) != expected->errors.end();
}

bool is_part_of_transaction(std::string_view verb) {
  return verb == "produce" || verb == "txn_offset_commit" || verb == "add_partitions_to_txn" ||
         verb == "add_offsets_to_txn";
}

bool leads_to_markers(std::string_view verb) {
  return verb == "end_txn" || verb == "init_producer_id";
}

bool is_in_transaction(Actor& actor) {
  return !actor.sessions.empty() && actor.sessions.back()->transactional_id().has_value();
}

}  // namespace

FaultLimits FaultLimits::of(const ExploreBounds& bounds) {
  FaultLimits limits{
      bounds.crashes,  bounds.held, bounds.held_markers,          bounds.lost_replies,
      bounds.clock,    0,           bounds.crashes_at_cut_points, bounds.crashes_between_steps,
      bounds.unsynced, bounds.steps};
  limits.all = bounds.crashes + bounds.held + bounds.held_markers + bounds.lost_replies +
               static_cast<int>(bounds.clock.size());
  return limits;
}

Duration Execution::time_to_decide(const Scenario& scenario) {
  constexpr Duration sweeps = std::chrono::seconds(30);
  Duration longest = std::chrono::seconds(60);
  for (const Step& step : scenario.steps)
    longest = std::max(longest, step.arguments.duration("transaction_timeout").value_or(longest));
  return longest + sweeps;
}

Duration Execution::time_to_return(const Scenario& scenario, const Variant& variant) {
  return cluster_settings(scenario, variant, std::nullopt, std::nullopt).broker_session_timeout +
         std::chrono::seconds(1);
}

Execution::Execution(Program& program, const FaultLimits& limits,
                     const minibroker::Cluster& cluster, Instant start)
    : program_(program),
      limits_(limits),
      stage_(program.scenario(), program.variant(), make_simulated_world(cluster, start), ""),
      cluster_(*stage_.world().cluster()),
      start_(start),
      actors_(program.actors().size()) {
  stage_.write_nothing_down();
  for (const auto* list : {&program.scenario().always, &program.scenario().finally})
    for (const NamedProperty& it : *list)
      if (!properties_.contains(it.name)) properties_[it.name] = make_property(it.name);
  for (ActorState& actor : actors_) actor.last_step = start_;
  if (limits.crashes > 0 && limits.crashes_at_cut_points) cluster_.note_moments();
  stage_.world().settle();
}

Execution::Execution(const Execution& other)
    : program_(other.program_),
      limits_(other.limits_),
      stage_(other.stage_),
      cluster_(*stage_.world().cluster()),
      start_(other.start_),
      actors_(other.actors_),
      barriers_done_(other.barriers_done_),
      held_(other.held_),
      held_count_(other.held_count_),
      used_(other.used_),
      clock_used_(other.clock_used_),
      partitions_(other.partitions_),
      deeds_(other.deeds_),
      history_(other.history_),
      crashes_(other.crashes_),
      moments_(other.moments_),
      violation_(other.violation_),
      restarted_at_end_(other.restarted_at_end_),
      is_finished_(other.is_finished_) {
  CHECK(other.can_be_copied());
  for (const auto& [name, property] : other.properties_) properties_[name] = property->copy();
}

bool Execution::can_be_copied() const {
  return stage_.is_idle();
}

// ---- what can happen

const ProgramStep* Execution::next_step(std::size_t actor) const {
  const ActorState& state = actors_[actor];
  const std::vector<ProgramStep>& steps = program_.actors()[actor].steps;
  if (state.mode == Mode::stopped || state.next >= steps.size()) return nullptr;
  const ProgramStep& step = steps[state.next];
  return step.stretch == static_cast<int>(barriers_done_) ? &step : nullptr;
}

bool Execution::is_left_to_twin(std::size_t actor) const {
  const std::optional<std::size_t> twin = program_.actors()[actor].twin;
  return twin && !actors_[actor].has_begun() && !actors_[*twin].has_begun();
}

bool Execution::is_barrier_next() const {
  for (std::size_t actor = 0; actor < actors_.size(); ++actor)
    if (next_step(actor) != nullptr) return false;
  return barriers_done_ < program_.barriers().size();
}

std::vector<Choice> Execution::choices() const {
  std::vector<Choice> list;
  const auto add = [&list](ChoiceKind kind, std::size_t index) {
    list.push_back({kind, static_cast<int>(index)});
  };
  if (limits_.steps && static_cast<int>(history_.size()) >= *limits_.steps) return list;
  std::size_t up = 0;
  for (const BrokerState& broker : cluster_.brokers()) {
    up += broker.state == NodeState::up;
    if (broker.state == NodeState::down)
      add(ChoiceKind::restart, static_cast<std::size_t>(broker.id));
  }
  if (up == 0) return list;
  const std::size_t restarts = list.size();
  for (std::size_t actor = 0; actor < actors_.size(); ++actor)
    if (next_step(actor) != nullptr && !is_left_to_twin(actor)) add(ChoiceKind::step, actor);
  if (is_barrier_next()) add(ChoiceKind::barrier, 0);
  const bool is_over = list.size() == restarts && held_.empty();
  for (std::size_t i = 0; i < held_.size(); ++i) add(ChoiceKind::release, i);
  // A crash that nobody comes back from ends a schedule as well: finish() restarts the broker.
  if (is_over || used_.all >= limits_.all) return list;
  for (std::size_t actor = 0; actor < actors_.size(); ++actor) {
    const ProgramStep* next = next_step(actor);
    if (next == nullptr || next->step->verb->kind != VerbKind::wire) continue;
    if (is_left_to_twin(actor)) continue;
    const bool is_plain = !next->step->lose_reply;
    if (used_.held < limits_.held && is_plain) add(ChoiceKind::hold, actor);
    if (used_.held_markers < limits_.held_markers && leads_to_markers(next->step->verb->name))
      add(ChoiceKind::hold_markers, actor);
    if (used_.lost_replies < limits_.lost_replies && is_plain) add(ChoiceKind::lose_reply, actor);
  }
  for (std::size_t i = 0; i < limits_.clock.size(); ++i)
    if (!clock_used_.contains(static_cast<int>(i))) add(ChoiceKind::clock, i);
  if (limits_.crashes_between_steps && may_crash())
    for (const BrokerState& broker : cluster_.brokers())
      for (const Unsynced left : limits_.unsynced)
        if (broker.state == NodeState::up)
          list.push_back({ChoiceKind::crash_now, broker.id, "", "", broker.id, 0, left});
  std::sort(list.begin(), list.end());
  return list;
}

bool Execution::may_be_cut() const {
  return limits_.crashes_at_cut_points && may_crash();
}

bool Execution::may_lose_unsynced() const {
  return may_crash() &&
         std::ranges::find(limits_.unsynced, Unsynced::lost) != limits_.unsynced.end();
}

// ---- what happens

void Execution::take(const Choice& choice) {
  CHECK(!violation_ && !is_finished_);
  Taken taken{choice};
  const auto index = static_cast<std::size_t>(choice.index);
  cluster_.take_moments();
  used_.all += is_fault(choice.kind);
  switch (choice.kind) {
    case ChoiceKind::step:
    case ChoiceKind::hold:
    case ChoiceKind::hold_markers:
    case ChoiceKind::lose_reply:
      do_step(index, taken);
      break;
    case ChoiceKind::crash:
      ++used_.crashes;
      do_crash(choice, taken);
      break;
    case ChoiceKind::crash_now:
      ++used_.crashes;
      do_crash_now(choice, taken);
      break;
    case ChoiceKind::barrier:
      do_barrier(taken);
      break;
    case ChoiceKind::restart:
      restart(choice.index);
      break;
    case ChoiceKind::release:
      release(index, taken);
      break;
    case ChoiceKind::clock:
      clock_used_.insert(choice.index);
      taken.passed = limits_.clock[index];
      stage_.world().advance(taken.passed);
      break;
  }
  stage_.world().settle();
  observe();
  moments_ = cluster_.take_moments();
  history_.push_back(std::move(taken));
}

const Step& Execution::actual_step(std::size_t actor, Deviation deviation) {
  const Step& written = *next_step(actor)->step;
  deviation.is_abort = actors_[actor].mode == Mode::aborting;
  return program_.deviating(written, deviation);
}

void Execution::do_step(std::size_t actor, Taken& taken) {
  const ChoiceKind kind = taken.choice.kind;
  Deviation deviation;
  if (kind == ChoiceKind::hold || kind == ChoiceKind::hold_markers) {
    taken.hold = (kind == ChoiceKind::hold ? "late-" : "markers-") + std::to_string(++held_count_);
    ++(kind == ChoiceKind::hold ? used_.held : used_.held_markers);
  }
  if (kind == ChoiceKind::hold) deviation.hold = taken.hold;
  if (kind == ChoiceKind::lose_reply) {
    deviation.is_reply_lost = true;
    ++used_.lost_replies;
  }
  const Step& step = actual_step(actor, deviation);
  if (kind == ChoiceKind::hold_markers) {
    FaultRule rule;
    rule.action = FaultAction::hold;
    rule.name = taken.hold;
    rule.api_key = protocol::ApiKey::write_txn_markers;
    cluster_.faults().add(std::move(rule));
  }
  const std::uint64_t sender = kind == ChoiceKind::hold_markers ? digest_of_sender(actor) : 0;
  run_step(step, actor, taken);
  stage_.world().settle();
  if (kind == ChoiceKind::hold_markers && cluster_.held_count(taken.hold) != 0)
    held_.push_back({static_cast<int>(actor), &step, taken.hold, sender, nullptr});
}

void Execution::run_step(const Step& step, std::size_t actor, Taken& taken) {
  taken.step = &step;
  ActorState& state = actors_[actor];
  state.last_step = stage_.world().clock().now();
  if (step.verb->kind == VerbKind::actor) {
    stage_.retire(step.actor);
    std::erase_if(held_,
                  [&](const Held& it) { return it.run && it.run->actor->name == step.actor; });
    ++state.next;
    return;
  }
  const std::uint64_t sender = step.hold ? digest_of_sender(actor) : 0;
  const std::shared_ptr<StepRun> run = stage_.start(step, {});
  if (step.hold && stage_.run_until_held(*run)) {
    held_.push_back({static_cast<int>(actor), &step, *step.hold, sender, run});
    return go_on(actor, step, "UNKNOWN_OUTCOME");
  }
  if (!step.hold && !stage_.finish(*run)) run->answer.outcome = "STALLED";
  deeds_.take(run->deeds);
  taken.answer = run->answer;
  go_on(actor, step, run->answer.outcome);
}

// What stands for the state in which a broker crashes, and for how it does.
std::uint64_t Execution::digest_before(const Choice& crash) const {
  Digest before;
  before.add(static_cast<std::int64_t>(digest()));
  if (crash.unsynced == Unsynced::lost)
    before.add(static_cast<std::int64_t>(cluster_.disk_digest()));
  before.add(to_line({crash}));
  return before.value();
}

void Execution::do_crash(const Choice& choice, Taken& taken) {
  const std::uint64_t before = digest_before(choice);
  const std::uint64_t cut = cluster_.crash_at(
      {choice.point, choice.broker_id == 0 ? std::nullopt : std::optional(choice.broker_id),
       choice.subject.empty() ? std::nullopt : std::optional(choice.subject), choice.skip,
       choice.unsynced});
  const auto actor = static_cast<std::size_t>(choice.index);
  run_step(actual_step(actor, {}), actor, taken);
  stage_.world().settle();
  taken.is_crashed = !cluster_.cancel_crash(cut);
  if (!taken.is_crashed) return;
  crashes_.push_back(before);
  // Where nobody said which broker and what of, the moments say it: the last one was the crash.
  for (const minibroker::sim::Moment& moment : cluster_.take_moments())
    if (moment.point == choice.point && choice.broker_id == 0) {
      taken.choice.broker_id = moment.broker_id;
      taken.choice.subject = moment.subject;
      break;
    }
}

void Execution::do_crash_now(const Choice& choice, Taken& taken) {
  const std::uint64_t before = digest_before(choice);
  taken.is_crashed =
      cluster_.crash(choice.broker_id, choice.unsynced, stage_.world().clock().now());
  CHECK(taken.is_crashed);
  crashes_.push_back(before);
}

void Execution::restart(int broker_id) {
  CHECK(cluster_.restart(broker_id, stage_.world().clock().now()));
  stage_.world().settle();
  observe();
  const std::vector<BrokerState> brokers = cluster_.brokers();
  if (std::ranges::none_of(brokers, [](const auto& it) { return it.state == NodeState::down; }))
    crashes_.clear();
  stage_.world().advance(time_to_return(program_.scenario(), program_.variant()));
}

void Execution::do_barrier(Taken& taken) {
  const Step& step = *program_.barriers()[barriers_done_++];
  taken.step = &step;
  if (step.verb->name == "clock.advance")
    stage_.world().advance(step.arguments.duration("by").value_or(Duration{}));
  if (is_cluster_step(*step.verb)) {
    const ClusterStepResult result =
        perform_cluster_step(cluster_, step, stage_.world().clock().now());
    if (!result.failure.empty()) taken.answer = Answer{"UNKNOWN_OUTCOME", result.failure, {}};
  }
}

void Execution::release(std::size_t index, Taken& taken) {
  const Held held = held_.at(index);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
  taken.hold = held.name;
  taken.step = held.step;
  if (held.run == nullptr) {
    cluster_.faults().remove(held.name);
    cluster_.release(held.name, stage_.world().clock().now());
    return;
  }
  stage_.send_held(*held.run->actor, held.name);
  if (!stage_.finish(*held.run)) held.run->answer.outcome = "STALLED";
  taken.answer = held.run->answer;
  deeds_.take(held.run->deeds);
}

// ---- what an actor makes of an answer

void Execution::go_on(std::size_t actor, const Step& step, const std::string& outcome) {
  ActorState& state = actors_[actor];
  const std::string_view verb = step.verb->name;
  const bool is_answered = is_expected(step, program_.variant().name, outcome);
  const bool asks_again = is_unknown(outcome) && !state.has_asked_again &&
                          (verb != "produce" && !is_part_of_transaction(verb));
  if (asks_again) {
    state.has_asked_again = true;
    return;
  }
  state.has_asked_again = false;
  if (is_answered && verb == "end_txn") {
    state.mode = state.stops_after_abort ? Mode::stopped : Mode::going;
    ++state.next;
  } else if (is_answered) {
    ++state.next;
  } else if (is_part_of_transaction(verb) && is_in_transaction(stage_.actor(step.actor)) &&
             !is_fenced(outcome)) {
    give_up_transaction(actor, !is_unknown(outcome));
  } else if (verb == "produce" && is_unknown(outcome)) {
    ++state.next;  // it may be there, or not; writing it again is another record
  } else {
    state.mode = Mode::stopped;
  }
}

void Execution::give_up_transaction(std::size_t actor, bool for_good) {
  ActorState& state = actors_[actor];
  const std::vector<ProgramStep>& steps = program_.actors()[actor].steps;
  while (state.next < steps.size() && steps[state.next].step->verb->name != "end_txn") ++state.next;
  state.mode = Mode::aborting;
  state.stops_after_abort = for_good;
}

// ---- the end, and what must hold

void Execution::finish() {
  CHECK(!is_finished_);
  is_finished_ = true;
  for (const BrokerState& broker : cluster_.brokers())
    if (broker.state == NodeState::down) {
      restart(broker.id);
      restarted_at_end_.push_back(broker.id);
    }
  cluster_.heal_all(stage_.world().clock().now());
  stage_.world().advance(time_to_decide(program_.scenario()));
  stage_.world().settle();
  observe();
  if (!violation_) note_violation(program_.scenario().finally);
}

void Execution::observe() {
  partitions_ =
      std::make_shared<const std::vector<minibroker::PartitionState>>(cluster_.partitions());
  const StepFacts facts{cluster_, program_.scenario(), *partitions_, std::exchange(deeds_, {})};
  for (const auto& [name, property] : properties_) property->observe(facts);
  if (!violation_) note_violation(program_.scenario().always);
}

void Execution::note_violation(const std::vector<NamedProperty>& properties) {
  for (const NamedProperty& it : properties) {
    const std::optional<std::string> why = properties_.at(it.name)->broken();
    if (!why) continue;
    violation_ = Violation{it.name, *why};
    return;
  }
}

}  // namespace fencepost::scenario
