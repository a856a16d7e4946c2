#include "minibroker/disk/meta_properties.h"

#include <charconv>
#include <map>

namespace fencepost::minibroker {

namespace {

constexpr std::string_view version = "1";

// Lines of key=value; a # begins a comment.
std::map<std::string, std::string, std::less<>> parse_lines(std::string_view text) {
  std::map<std::string, std::string, std::less<>> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t separator = line.find('=');
    if (line.starts_with('#') || separator == std::string_view::npos) continue;
    values[std::string(line.substr(0, separator))] = std::string(line.substr(separator + 1));
  }
  return values;
}

}  // namespace

SharedBytes write_meta_properties(const MetaProperties& properties) {
  return SharedBytes::copy_of(std::string_view(
      "#\nversion=" + std::string(version) + "\ncluster.id=" + properties.cluster_id +
      "\nnode.id=" + std::to_string(properties.node_id) +
      "\ndirectory.id=" + to_string(properties.directory_id) + "\n"));
}

Result<MetaProperties> read_meta_properties(std::string_view text) {
  const auto values = parse_lines(text);
  const auto value_of = [&](std::string_view key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  };
  const auto wrong = [&](std::string_view key) {
    return Error{ErrorKind::malformed,
                 std::string(key) + " is '" + value_of(key) + "'",
                 text.find(key) == std::string_view::npos ? 0 : text.find(key),
                 {}};
  };
  MetaProperties properties;
  if (value_of("version") != version) return wrong("version");
  properties.cluster_id = value_of("cluster.id");
  if (properties.cluster_id.empty()) return wrong("cluster.id");
  const std::string id = value_of("node.id");
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), properties.node_id);
  if (id.empty() || error != std::errc() || end != id.data() + id.size()) return wrong("node.id");
  const std::optional<Uuid> directory_id = parse_uuid(value_of("directory.id"));
  if (!directory_id) return wrong("directory.id");
  properties.directory_id = *directory_id;
  return properties;
}

}  // namespace fencepost::minibroker
