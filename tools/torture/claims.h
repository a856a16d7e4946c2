// What has to be true of the topics after a torture, whatever happened to the workers. Pure: it
// looks at what was read and at nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fencing/example/tally.h"

namespace fencepost::tools {

struct SeenEvent {
  std::int64_t offset = 0;
  std::string key;
  std::string value;
};

struct SeenSnapshot {
  std::int64_t offset = 0;  // where it is in the snapshot topic
  std::string key;
  std::string value;
};

// One partition, read to its end under read_committed; both in the order of their logs.
struct SeenPartition {
  int index = 0;
  std::vector<SeenEvent> events;
  std::vector<SeenSnapshot> snapshots;
  std::int64_t committed_offset = -1;  // of the group; -1: none
};

// One sentence for each claim that does not hold, at most a few of each kind:
//   a snapshot is the fold of exactly the events up to its last one: none is lost, none counted
//   twice
//   a newer snapshot of a key is never followed by an older one
//   the committed offset does not lead the snapshots: each event below it is in one
std::vector<std::string> broken_claims(const SeenPartition& partition);

}  // namespace fencepost::tools
