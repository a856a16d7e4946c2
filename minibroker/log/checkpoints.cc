#include "minibroker/log/checkpoints.h"

#include <charconv>
#include <optional>
#include <string>

namespace fencepost::minibroker {

namespace {

constexpr std::string_view version_line = "version: 0";
constexpr std::string_view topic_id_line = "topic_id: ";

Error malformed(std::string text) {
  return {ErrorKind::malformed, std::move(text), 0, {}};
}

// The part up to the separator, which is taken away with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

// The lines behind version and count.
Result<std::vector<std::string_view>> entry_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  if (text.empty()) return lines;
  if (take_until(text, '\n') != "0") return malformed("another version than 0 in the first line");
  const std::string_view count = take_until(text, '\n');
  while (!text.empty()) lines.push_back(take_until(text, '\n'));
  const std::optional<std::size_t> expected = parse<std::size_t>(count);
  if (!expected || *expected != lines.size())
    return malformed("there are " + std::to_string(lines.size()) + " entries, not " +
                     std::string(count));
  return lines;
}

SharedBytes with_count(std::size_t count, const std::string& lines) {
  return SharedBytes::copy_of(std::string_view("0\n" + std::to_string(count) + "\n" + lines));
}

}  // namespace

SharedBytes write_offset_checkpoint(const OffsetsByPartition& offsets) {
  std::string lines;
  for (const auto& [partition, offset] : offsets)
    lines += partition.topic + " " + std::to_string(partition.partition) + " " +
             std::to_string(offset) + "\n";
  return with_count(offsets.size(), lines);
}

Result<OffsetsByPartition> read_offset_checkpoint(std::string_view text) {
  const Result<std::vector<std::string_view>> lines = entry_lines(text);
  if (!lines) return lines.error();
  OffsetsByPartition offsets;
  for (const std::string_view line : *lines) {
    std::string_view rest = line;
    const std::string topic(take_until(rest, ' '));
    const std::optional<std::int32_t> partition = parse<std::int32_t>(take_until(rest, ' '));
    const std::optional<std::int64_t> offset = parse<std::int64_t>(rest);
    if (!partition || !offset || *partition < 0 || *offset < 0)
      return malformed("'" + std::string(line) + "' is not a topic, partition and offset");
    offsets[{topic, *partition}] = *offset;
  }
  return offsets;
}

SharedBytes write_leader_epochs(const std::vector<LeaderEpochs::Entry>& entries) {
  std::string lines;
  for (const LeaderEpochs::Entry& entry : entries)
    lines += std::to_string(entry.epoch) + " " + std::to_string(entry.start_offset) + "\n";
  return with_count(entries.size(), lines);
}

Result<std::vector<LeaderEpochs::Entry>> read_leader_epochs(std::string_view text) {
  const Result<std::vector<std::string_view>> lines = entry_lines(text);
  if (!lines) return lines.error();
  std::vector<LeaderEpochs::Entry> entries;
  for (const std::string_view line : *lines) {
    std::string_view rest = line;
    const std::optional<std::int32_t> epoch = parse<std::int32_t>(take_until(rest, ' '));
    const std::optional<std::int64_t> start_offset = parse<std::int64_t>(rest);
    if (!epoch || !start_offset || *epoch < 0 || *start_offset < 0)
      return malformed("'" + std::string(line) + "' is not an epoch and its first offset");
    const bool ascends = entries.empty() || (*epoch > entries.back().epoch &&
                                             *start_offset >= entries.back().start_offset);
    if (!ascends) return malformed("epoch " + std::to_string(*epoch) + " is out of order");
    entries.push_back({*epoch, *start_offset});
  }
  return entries;
}

SharedBytes write_partition_metadata(const Uuid& topic_id) {
  return SharedBytes::copy_of(std::string_view(std::string(version_line) + "\n" +
                                               std::string(topic_id_line) + to_string(topic_id)));
}

Result<Uuid> read_partition_metadata(std::string_view text) {
  if (take_until(text, '\n') != version_line) return malformed("another version than 0");
  const std::string_view line = take_until(text, '\n');
  const std::optional<Uuid> id = line.starts_with(topic_id_line)
                                     ? parse_uuid(line.substr(topic_id_line.size()))
                                     : std::nullopt;
  if (!id) return malformed("'" + std::string(line) + "' is not a topic id");
  return *id;
}

}  // namespace fencepost::minibroker
