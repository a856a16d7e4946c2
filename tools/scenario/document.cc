// YAML in, nodes with places out. yaml-cpp's exceptions end here.
#include "tools/scenario/document.h"

#include <yaml-cpp/yaml.h>

#include <set>

namespace fencepost::scenario {

namespace {

// An alias that names an alias that names an alias grows without bound; no real file comes near.
constexpr int nodes_max = 100000;
constexpr int depth_max = 64;

class Converter {
 public:
  explicit Converter(std::vector<Mistake>& mistakes) : mistakes_(mistakes) {}

  Node convert(const YAML::Node& from, int depth) {
    Node node;
    node.place = place_of(from.Mark());
    if (++count_ > nodes_max || depth > depth_max) {
      if (!is_too_large_) mistakes_.push_back({node.place, "the file is too large or too deep"});
      is_too_large_ = true;
      return node;
    }
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node.kind = NodeKind::scalar;
        node.text = from.Scalar();
        break;
      case YAML::NodeType::Sequence:
        node.kind = NodeKind::list;
        for (const YAML::Node& item : from) node.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        convert_map(from, depth, node);
        break;
    }
    return node;
  }

 private:
  static Place place_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  void convert_map(const YAML::Node& from, int depth, Node& node) {
    node.kind = NodeKind::map;
    std::set<std::string> seen;
    for (const auto& pair : from) {
      const Place place = place_of(pair.first.Mark());
      if (!pair.first.IsScalar()) {
        mistakes_.push_back({place, "a key has to be a word"});
        continue;
      }
      const std::string& key = pair.first.Scalar();
      if (!seen.insert(key).second) mistakes_.push_back({place, "'" + key + "' is given twice"});
      node.entries.push_back({key, place, convert(pair.second, depth + 1)});
    }
  }

  std::vector<Mistake>& mistakes_;
  int count_ = 0;
  bool is_too_large_ = false;
};

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Node parse_document(const std::string& text, std::vector<Mistake>& mistakes) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) {
      mistakes.push_back({{1, 1}, "the file is empty"});
      return {};
    }
    if (documents.size() > 1) {
      mistakes.push_back({{documents[1].Mark().line + 1, 1},
                          "a file holds one scenario; a second document begins here"});
      return {};
    }
    return Converter(mistakes).convert(documents.front(), 0);
  } catch (const YAML::Exception& exception) {
    const Place place{exception.mark.line + 1, exception.mark.column + 1};
    mistakes.push_back(
        {exception.mark.is_null() ? Place{} : place, "not valid YAML: " + exception.msg});
    return {};
  }
}

std::string to_string(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::scalar:
      return node.text;
    case NodeKind::list:
      for (const Node& item : node.items) parts.push_back(to_string(item));
      return "[" + joined(parts) + "]";
    case NodeKind::map:
      for (const Node::Entry& entry : node.entries)
        parts.push_back(entry.key + ": " + to_string(entry.value));
      return "{" + joined(parts) + "}";
  }
  return {};
}

}  // namespace fencepost::scenario
