// Every schedule of a program up to a bound, depth first, in the order of the choices. A state that
// was seen is not gone on from, unless this way there is shorter than the earlier one: so what is
// found depends neither on the order of the search nor on how it is shared out. A choice is taken
// in a copy of the world before it; where a held request keeps a world from being copied, in a copy
// of an earlier one, by taking again the choices since.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/scenario/explore/execution.h"

namespace fencepost::scenario {

// A schedule that breaks a property. The one with fewer faults is better, then the shorter one,
// then the one that is to be tried first.
struct Found {
  int faults = 0;
  Schedule schedule;
  Violation violation;

  bool is_better_than(const Found& other) const;
};

struct SearchProgress {
  double done = 0;  // of this search, from 0 to 1, by the branches that are finished
  std::uint64_t states = 0;
  std::uint64_t schedules = 0;
  bool is_worth_showing = true;  // of several processes, one is
};

class Search {
 public:
  // Asked now and then; the search stops when it answers false.
  using GoOn = std::function<bool(const SearchProgress&)>;
  // Numbers of schedules that do not fit stay there.
  static constexpr std::uint64_t schedules_max = ~std::uint64_t{0};

  // Whether a state that was seen is gone on from again; it costs much and changes no result.
  enum class Repeats { left_out, run };

  // All but the limits must outlive it.
  Search(Program& program, FaultLimits limits, const minibroker::Cluster& cluster, Instant start,
         GoOn go_on, Repeats repeats = Repeats::left_out);

  // A point of a schedule, and where it leads.
  struct Point {
    std::uint64_t digest = 0;
    std::vector<Schedule> next;  // the schedules that go on from it, longer by one choice
    bool is_complete = false;    // a whole schedule
    bool is_broken = false;      // a property is broken here
  };
  // What is known of a state.
  struct Seen {
    std::uint64_t schedules = 0;  // complete ones that go on from it
    std::size_t length = 0;       // of the shortest way there
    bool operator==(const Seen&) const = default;
  };

  // Takes the choices; nothing is remembered but a violation.
  Point look_at(const Schedule& schedule);

  // Everything that begins with these choices. The number of complete schedules, those included
  // that were left out because they go on from a state that was seen.
  std::uint64_t run_from(const Schedule& prefix);

  bool is_stopped() const { return is_stopped_; }
  const std::optional<Found>& best() const { return best_; }
  // By the digest of a state.
  const std::unordered_map<std::uint64_t, Seen>& seen() const { return seen_; }
  std::uint64_t executed_choices() const { return executed_choices_; }
  std::uint64_t executions() const { return executions_; }

 private:
  struct Frame {
    std::uint64_t digest = 0;
    std::vector<Choice> choices;
    std::size_t next = 0;
    std::uint64_t schedules = 0;
    // Where it stands; nothing when that cannot be copied, or nobody comes back to it.
    std::unique_ptr<const Execution> here = nullptr;
  };

  void step_down(Schedule& path, std::vector<Frame>& stack);
  void go_to(const Schedule& path);
  // `execution_` stands at the end of the path, whose last frame the stack ends with.
  void go_back_to(const Schedule& path, std::vector<Frame>& stack);
  void push_frame(std::vector<Frame>& stack, std::uint64_t digest, std::vector<Choice> choices);
  void remember(std::uint64_t digest, std::uint64_t schedules, std::size_t length);
  // What was seen of the state, unless it has to be gone on from again.
  const Seen* find_seen(std::uint64_t digest, std::size_t length) const;
  void note(const Schedule& path);
  bool is_worse_than_best(const Schedule& path) const;
  double done(const std::vector<Frame>& stack) const;

  Program& program_;
  FaultLimits limits_;
  const minibroker::Cluster& cluster_;
  Instant start_;
  GoOn go_on_;
  Repeats repeats_;
  std::unique_ptr<Execution> execution_;  // the one that choices are taken in
  bool is_at_path_ = false;               // it stands at the end of the current path
  std::unordered_map<std::uint64_t, Seen> seen_;
  std::optional<Found> best_;
  std::uint64_t schedules_ = 0;
  std::uint64_t executed_choices_ = 0;
  std::uint64_t executions_ = 0;
  std::uint64_t steps_ = 0;
  bool is_stopped_ = false;
};

// Sums that stay at Search::schedules_max.
std::uint64_t add_schedules(std::uint64_t one, std::uint64_t other);

}  // namespace fencepost::scenario
