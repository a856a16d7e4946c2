// Values are compared as the texts they are written in: 10 is 10 wherever it comes from.
#include "tools/scenario/answer.h"

#include <algorithm>

namespace fencepost::scenario {

namespace {

std::string outcome_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::malformed:
      return "MALFORMED_ANSWER";
    case ErrorKind::unsupported_version:
      return "UNSUPPORTED_VERSION";
    case ErrorKind::not_encodable:
    case ErrorKind::invalid_argument:
      return "REFUSED_LOCALLY";
    case ErrorKind::cannot_connect:
    case ErrorKind::closed:
      return "CANNOT_CONNECT";
    case ErrorKind::unknown_outcome:
      return "UNKNOWN_OUTCOME";
    case ErrorKind::stalled:
      return "STALLED";
    case ErrorKind::io:
      return "IO_ERROR";
  }
  return {};
}

bool matches(const Node& expected, const Node& actual) {
  if (expected.is_map()) {
    if (!actual.is_map() || actual.entries.size() != expected.entries.size()) return false;
    return std::all_of(expected.entries.begin(), expected.entries.end(),
                       [&](const Node::Entry& entry) {
                         const Node* value = actual.find(entry.key);
                         return value != nullptr && matches(entry.value, *value);
                       });
  }
  if (expected.is_list())
    return actual.is_list() && std::equal(expected.items.begin(), expected.items.end(),
                                          actual.items.begin(), actual.items.end(), matches);
  return to_string(expected) == to_string(actual);
}

// The values that the expectation names, as they came.
Node named_values(const Node& expected, const Answer& answer) {
  Node shown;
  shown.kind = NodeKind::map;
  for (const Node::Entry& entry : expected.entries) {
    const Node* value = answer.values.find(entry.key);
    if (entry.key != "error")
      shown.entries.push_back({entry.key, {}, value == nullptr ? text_node("nothing") : *value});
  }
  return shown;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
  return text;
}

}  // namespace

void Answer::set(std::string name, Node value) {
  values.kind = NodeKind::map;
  values.entries.push_back({std::move(name), {}, std::move(value)});
}

Node text_node(std::string text) {
  Node node;
  node.kind = NodeKind::scalar;
  node.text = std::move(text);
  return node;
}

Node number_node(std::int64_t number) {
  return text_node(std::to_string(number));
}

Node list_node(const std::vector<std::string>& items) {
  Node node;
  node.kind = NodeKind::list;
  for (const std::string& item : items) node.items.push_back(text_node(item));
  return node;
}

Node map_node(const std::vector<std::pair<std::string, std::string>>& entries) {
  Node node;
  node.kind = NodeKind::map;
  for (const auto& [key, value] : entries) node.entries.push_back({key, {}, text_node(value)});
  return node;
}

Answer answer_of(protocol::ErrorCode code) {
  Answer answer;
  answer.outcome = to_string(code);
  return answer;
}

Answer answer_of(const Error& error) {
  Answer answer;
  answer.outcome = outcome_of(error.kind);
  answer.detail = to_string(error);
  return answer;
}

std::optional<Mismatch> compare(const Outcome* expected, const Answer& answer) {
  const std::string detail = answer.detail.empty() ? "" : " (" + answer.detail + ")";
  std::vector<std::string> names{"NONE"};
  if (expected != nullptr && !expected->errors.empty()) names = expected->errors;
  if (std::find(names.begin(), names.end(), answer.outcome) == names.end())
    return Mismatch{joined_names(names), answer.outcome + detail};
  if (expected == nullptr || expected->values.is_null()) return std::nullopt;
  Node wanted = expected->values;
  wanted.entries.erase(
      std::remove_if(wanted.entries.begin(), wanted.entries.end(),
                     [](const Node::Entry& entry) { return entry.key == "error"; }),
      wanted.entries.end());
  const Node actual = named_values(expected->values, answer);
  if (matches(wanted, actual)) return std::nullopt;
  return Mismatch{to_string(wanted), to_string(actual)};
}

std::string to_string(const Answer& answer) {
  std::string text = answer.outcome;
  if (!answer.values.is_null()) text += " " + to_string(answer.values);
  if (!answer.detail.empty()) text += " (" + answer.detail + ")";
  return text;
}

}  // namespace fencepost::scenario
