// Internal topics are shown as what they mean: transactions and groups.
#include "tools/scenario/state_lines.h"

#include <fmt/format.h>

#include "minibroker/topic_partition.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;
using minibroker::BatchSummary;

std::string state_text(BatchState state) {
  switch (state) {
    case BatchState::plain:
      return "";
    case BatchState::open:
      return " open";
    case BatchState::committed:
      return " committed";
    case BatchState::aborted:
      return " aborted";
    case BatchState::commit_marker:
      return " COMMIT";
    case BatchState::abort_marker:
      return " ABORT";
    case BatchState::other_control:
      return " CONTROL";
  }
  return {};
}

std::string batch_text(const BatchSummary& batch) {
  const bool is_marker = batch.state == BatchState::commit_marker ||
                         batch.state == BatchState::abort_marker ||
                         batch.state == BatchState::other_control;
  std::string text = fmt::format("[{}", batch.base_offset);
  if (batch.last_offset != batch.base_offset) text += fmt::format("-{}", batch.last_offset);
  if (!is_marker) text += fmt::format(" {}", fmt::join(batch.records, ", "));
  text += state_text(batch.state);
  if (batch.producer_id >= 0)
    text += fmt::format(" {}/{}", batch.producer_id, batch.producer_epoch);
  return text + "]";
}

bool is_internal(const std::string& topic) {
  return topic == minibroker::consumer_offsets_topic ||
         topic == minibroker::transaction_state_topic;
}

std::string transaction_line(const minibroker::TransactionState& it) {
  return fmt::format("{}  producer {}/{}{}{}{}", it.state, it.producer_id, it.producer_epoch,
                     it.partitions.empty() ? "" : "  ", fmt::join(it.partitions, " "),
                     it.has_pending_change ? "  (a change is being written)" : "");
}

std::string group_line(const minibroker::GroupState& it) {
  std::string line = fmt::format("{}  generation {}  {} member{}", it.state, it.generation,
                                 it.members.size(), it.members.size() == 1 ? "" : "s");
  for (const minibroker::CommittedOffset& offset : it.offsets)
    line += fmt::format(
        "  {}-{}={}{}", offset.topic, offset.partition, offset.offset,
        offset.is_pending ? fmt::format(" (pending, producer {})", offset.producer_id) : "");
  return line;
}

}  // namespace

std::string partition_line(const minibroker::PartitionState& partition) {
  std::string line;
  if (partition.log_start_offset > 0) line += fmt::format("from {}  ", partition.log_start_offset);
  for (const BatchSummary& batch : partition.batches) line += batch_text(batch) + " ";
  if (partition.batches.empty()) line += "(empty) ";
  return line +
         fmt::format(" LSO {}  HW {}", partition.last_stable_offset, partition.high_watermark);
}

std::vector<std::string> StateLines::changes(const minibroker::Cluster& cluster) {
  std::map<std::string, std::string> now;
  for (const minibroker::PartitionState& it : cluster.partitions()) {
    const bool is_untouched = it.batches.empty() && it.log_end_offset == 0;
    if (!is_internal(it.topic) && !is_untouched)
      now[fmt::format("{}-{}", it.topic, it.index)] = partition_line(it);
  }
  for (const minibroker::TransactionState& it : cluster.transactions())
    now["transaction " + it.transactional_id] = transaction_line(it);
  for (const minibroker::GroupState& it : cluster.groups())
    now["group " + it.group_id] = group_line(it);
  std::vector<std::pair<std::string, std::string>> changed;
  std::size_t width = 0;
  for (const auto& [name, line] : now) {
    const auto before = last_.find(name);
    if (before != last_.end() && before->second == line) continue;
    changed.emplace_back(name, line);
    width = std::max(width, name.size());
  }
  for (const auto& [name, line] : last_)
    if (now.count(name) == 0) changed.emplace_back(name, "(gone)");
  last_ = std::move(now);
  std::vector<std::string> lines;
  for (const auto& [name, line] : changed)
    lines.push_back(fmt::format("{:<{}}  {}", name, width, line));
  return lines;
}

}  // namespace fencepost::scenario
