// The client's half of a fetch session (KIP-227): the broker remembers what is read, a request says
// what has changed since the last one, an answer only the partitions with news. A plain value.
#pragma once

#include <cstdint>
#include <map>

#include "client/topic_partition.h"
#include "protocol/base/uuid.h"
#include "protocol/messages/fetch.h"

namespace fencepost::client {

class FetchSession {
 public:
  // What is asked of one partition.
  struct Wanted {
    Uuid topic_id;  // zero: the request names the topic by its name
    std::int64_t fetch_offset = 0;
    std::int32_t current_leader_epoch = -1;
    std::int32_t last_fetched_epoch = -1;
    std::int32_t partition_max_bytes = 1 << 20;
    bool operator==(const Wanted&) const = default;
  };
  using Partitions = std::map<TopicPartition, Wanted>;

  // Writes session, topics and forgotten topics into the request: all of `wanted` at the beginning
  // of a session, later what differs from the request before. Requests go out one at a time, each
  // followed by take() or lose().
  void fill(const Partitions& wanted, protocol::FetchRequest* request);
  // What the answer makes of the session. False: the broker does not have it (any more), and the
  // same is to be asked once more, in full.
  bool take(const protocol::FetchResponse& response);
  // No answer came: where the broker's half stands is unknown. The next request ends that session
  // and begins another.
  void lose() { epoch_ = first_epoch; }
  // The request that ends the session; only when is_open().
  protocol::FetchRequest last_request() const;

  bool is_open() const { return id_ != 0; }
  // Whether the last request named only what had changed: a partition that its answer leaves out
  // has nothing new.
  bool was_incremental() const { return was_incremental_; }

 private:
  static constexpr std::int32_t first_epoch = 0;
  static constexpr std::int32_t last_epoch = -1;

  bool can_go_on_with(const Partitions& wanted) const;

  std::int32_t id_ = 0;  // 0: none
  std::int32_t epoch_ = first_epoch;
  bool was_incremental_ = false;
  Partitions sent_;  // what the broker remembers
};

}  // namespace fencepost::client
