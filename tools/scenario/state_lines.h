// The cluster as lines for people: each partition's log, each transaction, each group.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "minibroker/cluster.h"

namespace fencepost::scenario {

// "state-0  [0 k1=s1 open 1/0] [1 COMMIT 2/0]  LSO 0  HW 2"
std::string partition_line(const minibroker::PartitionState& partition);

// What changes from step to step, by what it is about ("state-0", "transaction x", "group g").
class StateLines {
 public:
  // The lines that are new or different since the last call.
  std::vector<std::string> changes(const minibroker::Cluster& cluster);

 private:
  std::map<std::string, std::string> last_;
};

}  // namespace fencepost::scenario
