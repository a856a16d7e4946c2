// What properties read out of a partition's log: the committed value of each key, and the offset
// that a snapshot carries. By convention a snapshot's value ends in @N: it holds everything below
// offset N of the input partition of the same index.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "minibroker/events.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

// The number behind the last '@'; nothing when there is none.
std::optional<std::int64_t> snapshot_offset(const std::string& value);
// The last committed value of each key among the records below `end`; a tombstone removes the key.
std::map<std::string, std::string> committed_state(const minibroker::PartitionState& partition,
                                                   std::int64_t end);
// Whether the scenario declares the topic as compacted: those hold snapshots.
bool is_snapshot_topic(const Scenario& scenario, const std::string& topic);
// "k1=s1" as the cluster shows records; a tombstone is "k1=null".
KeyValue shown_record(const std::string& text);

}  // namespace fencepost::scenario
