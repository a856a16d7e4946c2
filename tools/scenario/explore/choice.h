// What can happen next at a point of a schedule. A list of choices is a schedule: whoever takes
// them again comes to the same state.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/sim/cut_points.h"

namespace fencepost::scenario {

// In the order in which they are tried: the first schedule has no fault.
enum class ChoiceKind {
  restart,       // a broker that has crashed comes back
  step,          // the next step of an actor
  barrier,       // what stands alone in the file
  release,       // a request that is held arrives
  hold,          // the next step of an actor; its request is held, and the actor goes on
  hold_markers,  // the next step of an actor; the markers that follow from it are held
  lose_reply,    // the next step of an actor; its answer is lost
  clock,         // time passes
  crash_now,     // a broker crashes between two steps
  crash,         // the next step of an actor; a broker crashes in the middle of it
};
constexpr std::size_t choice_kinds = static_cast<std::size_t>(ChoiceKind::crash) + 1;

struct Choice {
  ChoiceKind kind = ChoiceKind::step;
  int index = 0;  // of the actor, broker, held request or amount of time
  // Of a crash: where, how many such moments of the step pass before, and what it leaves.
  std::string point = {};
  std::string subject = {};
  int broker_id = 0;
  int skip = 0;
  minibroker::sim::Unsynced unsynced = minibroker::sim::Unsynced::kept;

  auto operator<=>(const Choice&) const = default;
};

using Schedule = std::vector<Choice>;

// Whether it uses up one of the faults that a schedule may have.
bool is_fault(ChoiceKind kind);

// The crashes that are possible where a step went through these moments, each leaving each of
// `unsynced`; in the order of the moments.
std::vector<Choice> crashes_at(const std::vector<minibroker::sim::Moment>& moments, int actor,
                               const std::vector<minibroker::sim::Unsynced>& unsynced);

// A schedule as one line, for the pipe between two processes.
std::string to_line(const Schedule& schedule);
// Nothing for what to_line() has not written.
std::optional<Schedule> parse_schedule(std::string_view line);

}  // namespace fencepost::scenario
