// What one Fetch finds in the logs, in Kafka's order of checks: one walk over all partitions that
// are asked for, and the look at those that a waiting Fetch waits for.
#pragma once

#include <vector>

#include "minibroker/broker.h"

namespace fencepost::minibroker::handlers {

// The replica that the fetch reads: 15 and later say so in another field.
int follower_id(const protocol::FetchRequest& request, std::int16_t api_version);

struct FetchReading {
  // In Kafka's order: those that do not exist come last.
  std::vector<FetchAnswer> answers;
  std::size_t bytes = 0;
  // An error or a truncation to tell of, or nothing to wait for.
  bool is_urgent = false;
};

FetchReading read_for_fetch(Broker&, Turn&, const FetchOperation&);

// Whether a Fetch that waits is to be answered: there are enough bytes, or something has happened
// to a partition that more waiting does not mend.
bool is_fetch_satisfied(Broker&, Turn&, const FetchOperation&);

}  // namespace fencepost::minibroker::handlers
