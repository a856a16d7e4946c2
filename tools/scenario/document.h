// A scenario file as a tree of nodes with places: the only thing that the rest of the parser knows
// of YAML. Duplicate keys, a second document and oversized files are found here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost::scenario {

// Counted from 1.
struct Place {
  int line = 1;
  int column = 1;
  auto operator<=>(const Place&) const = default;
};

// What is wrong with a file, and where.
struct Mistake {
  Place place;
  std::string text;
  auto operator<=>(const Mistake&) const = default;
};

enum class NodeKind { null, scalar, list, map };

struct Node {
  NodeKind kind = NodeKind::null;
  Place place;
  std::string text;         // of a scalar
  std::vector<Node> items;  // of a list
  // Of a map, in the order of the file; the place of the key comes with it.
  struct Entry;
  std::vector<Entry> entries;

  bool is_null() const { return kind == NodeKind::null; }
  bool is_scalar() const { return kind == NodeKind::scalar; }
  bool is_list() const { return kind == NodeKind::list; }
  bool is_map() const { return kind == NodeKind::map; }
  // The value of that key; nullptr when this is no map or has no such key.
  const Node* find(std::string_view key) const;
};

struct Node::Entry {
  std::string key;
  Place place;
  Node value;
};

// The tree of a YAML text. What is wrong is appended to `mistakes`; the root is then a null node.
Node parse_document(const std::string& text, std::vector<Mistake>& mistakes);

// One line for a person: {k1: s1}, [a, b], text, null.
std::string to_string(const Node& node);

}  // namespace fencepost::scenario
