// A scenario as explore sees it: the steps of each actor in the order of the file, and the barriers
// between which the steps of different actors may change places.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

struct ProgramStep {
  const Step* step = nullptr;
  int stretch = 0;  // the number of barriers before it
};

struct ActorProgram {
  std::string name;
  std::vector<ProgramStep> steps;
  // An earlier actor that does the same in the same places: until one of the two has begun, nothing
  // tells which is which.
  std::optional<std::size_t> twin = std::nullopt;
};

// How a step is done when it is not done as it is written.
struct Deviation {
  bool is_abort = false;  // an end_txn that aborts, whatever it was to do
  bool is_reply_lost = false;
  std::string hold;  // the name that it is held under; empty: it is not
  auto operator<=>(const Deviation&) const = default;
};

class Program {
 public:
  // Both must outlive it; explore_refusals() of the scenario has to be empty.
  Program(const Scenario& scenario, const Variant& variant);

  const Scenario& scenario() const { return scenario_; }
  const Variant& variant() const { return variant_; }
  const ExploreBounds& bounds() const { return bounds_; }
  const std::vector<ActorProgram>& actors() const { return actors_; }
  // barriers()[i] is done after every step of stretch i, and before those of the next.
  const std::vector<const Step*>& barriers() const { return barriers_; }
  // The step with the deviation; it lives as long as the program.
  const Step& deviating(const Step& step, const Deviation& deviation);

 private:
  void find_twins();

  const Scenario& scenario_;
  const Variant& variant_;
  ExploreBounds bounds_;
  std::vector<ActorProgram> actors_;
  std::vector<const Step*> barriers_;
  std::map<std::pair<const Step*, Deviation>, std::unique_ptr<const Step>> deviating_;
};

// Why the scenario cannot be explored; empty when it can.
std::vector<Mistake> explore_refusals(const Scenario& scenario);

}  // namespace fencepost::scenario
