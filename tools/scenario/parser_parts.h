// The parts of the parser: the header of a file, its steps, and what must fit between them. Each
// appends what is wrong and goes on, so that one run reports every mistake.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

class Mistakes {
 public:
  void add(Place place, std::string text) { list_.push_back({place, std::move(text)}); }
  bool empty() const { return list_.empty(); }
  std::vector<Mistake>& list() { return list_; }

  // Reports every key of the map that is not among `names`.
  void check_keys(const Node& map, const std::vector<std::string>& names, const std::string& where);
  // The text of a scalar; reports anything else.
  std::optional<std::string> text_of(const Node& node, const std::string& name);
  std::optional<std::int64_t> integer_of(const Node& node, const std::string& name,
                                         std::int64_t min, std::int64_t max);
  std::optional<bool> boolean_of(const Node& node, const std::string& name);
  // A scalar or a list of scalars.
  std::vector<std::string> texts_of(const Node& node, const std::string& name);

 private:
  std::vector<Mistake> list_;
};

// `explore: {...}`; the variants and properties are known by then.
ExploreBounds parse_explore(const Node& node, const Scenario& scenario, Mistakes& mistakes);
std::vector<std::string> explore_keys();

// The keys that a file can have.
std::vector<std::string> scenario_keys();
std::vector<std::string> variant_keys();

void parse_header(const Node& root, Scenario& scenario, Mistakes& mistakes);
void parse_steps(const Node& list, Scenario& scenario, Mistakes& mistakes);
// Topics and partitions that exist, names that were started or held, actors that can do what they
// are told to.
void check_steps(const Scenario& scenario, Mistakes& mistakes);

}  // namespace fencepost::scenario
