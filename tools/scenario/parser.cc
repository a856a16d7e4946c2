// The way through a file: YAML, header, steps, and what must fit between them.
#include "tools/scenario/parser.h"

#include <algorithm>

#include "tools/scenario/parser_parts.h"
#include "tools/scenario/values.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

void Mistakes::check_keys(const Node& map, const std::vector<std::string>& names,
                          const std::string& where) {
  for (const Node::Entry& entry : map.entries)
    if (std::find(names.begin(), names.end(), entry.key) == names.end())
      add(entry.place, where + " has no '" + entry.key + "'" + suggestion(entry.key, names));
}

std::optional<std::string> Mistakes::text_of(const Node& node, const std::string& name) {
  if (node.is_scalar()) return node.text;
  add(node.place, "'" + name + "' has to be a text");
  return std::nullopt;
}

std::optional<std::int64_t> Mistakes::integer_of(const Node& node, const std::string& name,
                                                 std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> number = parse_integer(node.text);
  if (node.is_scalar() && number && *number >= min && *number <= max) return number;
  add(node.place, "'" + name + "' has to be a whole number from " + std::to_string(min) + " to " +
                      std::to_string(max) + ", not '" + to_string(node) + "'");
  return std::nullopt;
}

std::optional<bool> Mistakes::boolean_of(const Node& node, const std::string& name) {
  const std::optional<bool> flag = parse_boolean(node.text);
  if (node.is_scalar() && flag) return flag;
  add(node.place, "'" + name + "' has to be true or false, not '" + to_string(node) + "'");
  return std::nullopt;
}

std::vector<std::string> Mistakes::texts_of(const Node& node, const std::string& name) {
  if (node.is_scalar()) return {node.text};
  std::vector<std::string> texts;
  for (const Node& item : node.items)
    if (const auto text = text_of(item, name)) texts.push_back(*text);
  if (!node.is_list()) add(node.place, "'" + name + "' has to be a text or a list of texts");
  return texts;
}

ParsedScenario parse_scenario(const std::string& file, const std::string& text) {
  ParsedScenario parsed;
  parsed.scenario.file = file;
  const Node root = parse_document(text, parsed.mistakes);
  if (parsed.mistakes.empty()) {
    Mistakes mistakes;
    if (!root.is_map()) {
      mistakes.add(root.place, "a scenario is a map with title, topics and steps");
    } else {
      parse_header(root, parsed.scenario, mistakes);
      const Node* steps = root.find("steps");
      if (steps == nullptr) mistakes.add(root.place, "a scenario needs 'steps'");
      if (steps != nullptr) parse_steps(*steps, parsed.scenario, mistakes);
      check_steps(parsed.scenario, mistakes);
    }
    parsed.mistakes = std::move(mistakes.list());
  }
  std::stable_sort(parsed.mistakes.begin(), parsed.mistakes.end());
  return parsed;
}

std::string to_string(const std::string& file, const Mistake& mistake) {
  return file + ":" + std::to_string(mistake.place.line) + ":" +
         std::to_string(mistake.place.column) + ": " + mistake.text;
}

std::vector<std::string> local_outcome_names() {
  return {"NONE", "UNKNOWN_OUTCOME", "REFUSED_LOCALLY", "STALLED", "CANNOT_CONNECT", "FALLEN_OVER"};
}

const Outcome* Expectation::in(const std::string& variant) const {
  const auto at = by_variant.find(variant);
  if (at != by_variant.end()) return &at->second;
  return otherwise ? &*otherwise : nullptr;
}

bool Step::runs_in(const std::string& variant) const {
  return only.empty() || std::find(only.begin(), only.end(), variant) != only.end();
}

}  // namespace fencepost::scenario
