// What a crash at each moment of one step leaves behind: the last step of a scenario is cut at
// every moment that brokers come to in it, and the world is looked at before and after the restart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

// What readers see of all partitions, and the offsets that groups have committed.
struct Readings {
  std::vector<std::string> uncommitted;  // values, in the order of partitions and offsets
  std::vector<std::string> committed;
  // "in-0@5"; nothing when no coordinator is there to ask.
  std::optional<std::vector<std::string>> offsets;
  bool operator==(const Readings&) const = default;
};

struct CutRow {
  std::string point;  // "after_prepare_commit"; empty: nothing crashes
  std::string subject;
  std::string answer;   // what the step's actor was told; "UNKNOWN_OUTCOME" when nothing
  std::string loaded;   // the state of each transaction that the restarted coordinator finds
  Readings before;      // at the moment of the crash
  Readings after;       // when the broker is back
  std::string became;   // the states of the transactions then
  std::string again;    // what the actor is told who asks again; empty when it does not
  std::string decided;  // the states when time has passed
  Readings last;        // and what is read then
  std::optional<std::string> violation;  // a property that does not hold
};

struct CutTable {
  std::string variant;
  std::string step;  // that is cut, as the file writes it
  std::vector<CutRow> rows;
};

// `scenario` has to be one that explore_refusals() lets through, and its last step one of an actor.
CutTable cut_table(const Scenario& scenario, const Variant& variant,
                   const std::optional<std::string>& as_version);

// Why there is no table of it, beyond explore_refusals(); empty when there is one.
std::vector<Mistake> table_refusals(const Scenario& scenario);

}  // namespace fencepost::scenario
