// The header key `explore`: how far the exploration of a scenario goes, and what it has to find.
#include <algorithm>

#include "tools/scenario/parser.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/values.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

// Beyond this nobody waits for the end.
constexpr int faults_max = 9;
constexpr int steps_max = 1000;

class ExploreParser {
 public:
  ExploreParser(const Node& node, const Scenario& scenario, Mistakes& mistakes)
      : node_(node), scenario_(scenario), mistakes_(mistakes) {}

  ExploreBounds parse() {
    bounds_.place = node_.place;
    if (!node_.is_map() && !node_.is_null())
      mistakes_.add(node_.place, "'explore' has to be a map: {crashes: 1, held: 2, ...}");
    mistakes_.check_keys(node_, explore_keys(), "'explore'");
    parse_count("crashes", bounds_.crashes);
    parse_count("held", bounds_.held);
    parse_count("held_markers", bounds_.held_markers);
    parse_count("lost_replies", bounds_.lost_replies);
    if (const Node* moments = node_.find("crash_at")) parse_moments(*moments);
    if (const Node* unsynced = node_.find("unsynced")) parse_unsynced(*unsynced);
    if (const Node* clock = node_.find("clock"))
      for (const std::string& text : mistakes_.texts_of(*clock, "clock"))
        parse_amount(*clock, text);
    if (const Node* steps = node_.find("steps"))
      if (const auto number = mistakes_.integer_of(*steps, "steps", 1, steps_max))
        bounds_.steps = static_cast<int>(*number);
    if (const Node* breaks = node_.find("breaks")) parse_breaks(*breaks);
    return std::move(bounds_);
  }

 private:
  void parse_count(const std::string& name, int& count) {
    const Node* node = node_.find(name);
    if (node == nullptr) return;
    if (const auto number = mistakes_.integer_of(*node, name, 0, faults_max))
      count = static_cast<int>(*number);
  }

  // A word of these, or a list of them.
  std::vector<std::string> words_of(const Node& node, const std::string& what,
                                    const std::vector<std::string>& words) {
    std::vector<std::string> found = mistakes_.texts_of(node, what);
    for (const std::string& word : found)
      if (std::find(words.begin(), words.end(), word) == words.end())
        mistakes_.add(node.place, "'" + what + "' has no '" + word + "'" + suggestion(word, words));
    return found;
  }

  void parse_moments(const Node& node) {
    const auto words = words_of(node, "crash_at", {"cut_points", "between_steps"});
    const auto has = [&words](const char* word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    bounds_.crashes_at_cut_points = has("cut_points");
    bounds_.crashes_between_steps = has("between_steps");
  }

  void parse_unsynced(const Node& node) {
    using minibroker::sim::Unsynced;
    const auto words = words_of(node, "unsynced", {"kept", "lost"});
    bounds_.unsynced.clear();
    for (const Unsynced it : {Unsynced::kept, Unsynced::lost})
      if (std::find(words.begin(), words.end(), it == Unsynced::kept ? "kept" : "lost") !=
          words.end())
        bounds_.unsynced.push_back(it);
  }

  void parse_amount(const Node& node, const std::string& text) {
    const Result<Duration> amount = parse_duration(text);
    if (amount)
      bounds_.clock.push_back(*amount);
    else
      mistakes_.add(node.place, amount.error().text);
  }

  // A property or a list of them; or that by variant.
  void parse_breaks(const Node& node) {
    if (!node.is_map()) {
      for (const Variant& variant : scenario_.variants) parse_breaks_in(node, variant.name);
      return;
    }
    std::vector<std::string> names;
    for (const Variant& variant : scenario_.variants) names.push_back(variant.name);
    for (const Node::Entry& entry : node.entries) {
      if (std::find(names.begin(), names.end(), entry.key) == names.end())
        mistakes_.add(entry.place, "no variant '" + entry.key + "'" + suggestion(entry.key, names));
      parse_breaks_in(entry.value, entry.key);
    }
  }

  void parse_breaks_in(const Node& node, const std::string& variant) {
    std::vector<std::string> watched;
    for (const auto* list : {&scenario_.always, &scenario_.finally})
      for (const NamedProperty& it : *list) watched.push_back(it.name);
    for (const std::string& name : mistakes_.texts_of(node, "breaks")) {
      if (std::find(watched.begin(), watched.end(), name) == watched.end())
        mistakes_.add(node.place, "'" + name + "' is in neither 'always' nor 'finally'" +
                                      suggestion(name, watched));
      bounds_.breaks[variant].insert(name);
    }
  }

  const Node& node_;
  const Scenario& scenario_;
  Mistakes& mistakes_;
  ExploreBounds bounds_;
};

}  // namespace

std::vector<std::string> explore_keys() {
  return {"crashes",      "crash_at", "unsynced", "held",  "held_markers",
          "lost_replies", "clock",    "steps",    "breaks"};
}

ExploreBounds parse_explore(const Node& node, const Scenario& scenario, Mistakes& mistakes) {
  return ExploreParser(node, scenario, mistakes).parse();
}

}  // namespace fencepost::scenario
