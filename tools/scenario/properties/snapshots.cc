// Reads batches as a read_committed reader would, with the cluster's own knowledge of their end.
#include "tools/scenario/properties/snapshots.h"

#include "tools/scenario/values.h"

namespace fencepost::scenario {

using minibroker::BatchState;
using minibroker::BatchSummary;

std::optional<std::int64_t> snapshot_offset(const std::string& value) {
  const std::size_t sign = value.rfind('@');
  if (sign == std::string::npos) return std::nullopt;
  return parse_integer(std::string_view(value).substr(sign + 1));
}

KeyValue shown_record(const std::string& text) {
  KeyValue record = parse_record(text);
  if (record.value == "null") record.value.reset();
  return record;
}

std::map<std::string, std::string> committed_state(const minibroker::PartitionState& partition,
                                                   std::int64_t end) {
  std::map<std::string, std::string> state;
  for (const BatchSummary& batch : partition.batches) {
    const bool is_visible =
        batch.state == BatchState::plain || batch.state == BatchState::committed;
    if (!is_visible || batch.base_offset >= end) continue;
    for (const std::string& text : batch.records) {
      const KeyValue record = shown_record(text);
      if (!record.key) continue;
      if (record.value)
        state[*record.key] = *record.value;
      else
        state.erase(*record.key);
    }
  }
  return state;
}

bool is_snapshot_topic(const Scenario& scenario, const std::string& topic) {
  for (const auto& declared : scenario.topics) {
    const auto policy = declared.config.find("cleanup.policy");
    if (declared.name == topic && policy != declared.config.end())
      return policy->second.find("compact") != std::string::npos;
  }
  return false;
}

}  // namespace fencepost::scenario
