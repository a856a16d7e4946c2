#include "tools/scenario/explore/samples.h"

#include "protocol/base/random.h"

namespace fencepost::scenario {

namespace {

constexpr int more_of_each = 2;

// How one sample behaves.
class Swarm {
 public:
  Swarm(Random random, std::size_t actor_count, const FaultLimits& limits)
      : random_(random), limits_(limits) {
    fault_odds_ = random_.below(5);  // of 16
    for (bool& is_on : has_kind_) is_on = random_.below(2) == 0;
    for (std::size_t i = 0; i < actor_count; ++i) hurry_.push_back(1 + random_.below(8));
  }

  Choice choose(const std::vector<Choice>& choices, bool may_be_cut) {
    std::vector<Choice> faults;
    std::vector<Choice> others;
    for (const Choice& it : choices) {
      if (!is_fault(it.kind)) {
        others.push_back(it);
        if (may_be_cut && it.kind == ChoiceKind::step && has(ChoiceKind::crash))
          faults.push_back(crash_of(it.index));
      } else if (has(it.kind)) {
        faults.push_back(it);
      }
    }
    const bool wants_fault = random_.below(16) < fault_odds_;
    if (others.empty() || (wants_fault && !faults.empty()))
      return faults.empty() ? choices.front() : faults[random_.below(faults.size())];
    return weighed(others);
  }

 private:
  bool has(ChoiceKind kind) const {
    const bool is_crash = kind == ChoiceKind::crash_now;
    return has_kind_[static_cast<std::size_t>(is_crash ? ChoiceKind::crash : kind)];
  }

  // Somewhere; most moments are not those of this step, and then nothing crashes.
  Choice crash_of(int actor) {
    const auto points = minibroker::sim::cut_points();
    const std::string_view point = points[random_.below(points.size())];
    const auto left = limits_.unsynced[random_.below(limits_.unsynced.size())];
    return {ChoiceKind::crash, actor, std::string(point), "", 0, 0, left};
  }

  Choice weighed(const std::vector<Choice>& choices) {
    std::uint64_t sum = 0;
    for (const Choice& it : choices) sum += weight(it);
    std::uint64_t at = random_.below(sum);
    for (const Choice& it : choices) {
      if (at < weight(it)) return it;
      at -= weight(it);
    }
    return choices.back();
  }

  std::uint64_t weight(const Choice& choice) const {
    return choice.kind == ChoiceKind::step ? hurry_[static_cast<std::size_t>(choice.index)] : 2;
  }

  Random random_;
  const FaultLimits& limits_;
  std::uint64_t fault_odds_ = 0;
  bool has_kind_[choice_kinds] = {};
  std::vector<std::uint64_t> hurry_;
};

void run_sample(const Ground& ground, Swarm swarm, Share& share) {
  Execution execution(ground.program, ground.limits, ground.cluster, ground.start);
  Schedule schedule;
  while (!execution.violation()) {
    share.states.insert(execution.digest());
    const std::vector<Choice> choices = execution.choices();
    if (choices.empty()) break;
    Choice choice = swarm.choose(choices, execution.may_be_cut());
    if (choice.kind == ChoiceKind::crash) choice.broker_id = 0;
    execution.take(choice);
    schedule.push_back(execution.history().back().choice);
  }
  if (!execution.violation()) execution.finish();
  share.executed_choices += schedule.size();
  ++share.executions;
  ++share.schedules;
  if (execution.violation())
    share.take({execution.fault_count(), std::move(schedule), *execution.violation()});
}

}  // namespace

FaultLimits beyond(const FaultLimits& bounds) {
  FaultLimits limits = bounds;
  for (int* count : {&limits.crashes, &limits.held, &limits.held_markers, &limits.lost_replies})
    if (*count > 0) *count += more_of_each;
  for (const Duration amount : bounds.clock) limits.clock.push_back(amount);
  limits.all = limits.crashes + limits.held + limits.held_markers + limits.lost_replies +
               static_cast<int>(limits.clock.size());
  return limits;
}

RoundResult run_samples(const Ground& ground, std::uint64_t count, std::uint64_t seed, int jobs,
                        const Search::GoOn& go_on) {
  const auto step = static_cast<std::uint64_t>(jobs);
  const auto share_of = [&](int job) {
    Share share;
    for (auto i = static_cast<std::uint64_t>(job); i < count && !share.is_stopped; i += step) {
      run_sample(ground,
                 Swarm(Random(seed, "sample " + std::to_string(i)), ground.program.actors().size(),
                       ground.limits),
                 share);
      const double done = static_cast<double>(i + 1) / static_cast<double>(count);
      share.is_stopped = !go_on({done, share.states.size(), share.schedules, job == 0});
    }
    return share;
  };
  if (jobs > 1) return share_out(jobs, {}, share_of);
  return {share_of(0), ""};
}

}  // namespace fencepost::scenario
