// Reading one partition: where it begins and ends, and what is between, under either isolation
// level. Each function is one request to the leader.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/cluster_client.h"
#include "client/visible_records.h"
#include "protocol/error_code.h"

namespace fencepost::client {

// Timestamps with a meaning of their own in ListOffsets.
constexpr std::int64_t latest_timestamp = -1;
constexpr std::int64_t earliest_timestamp = -2;

struct ListedOffset {
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  std::int64_t offset = -1;
  std::int64_t timestamp = -1;
  std::int32_t leader_epoch = -1;
};
inline protocol::ErrorCode first_error(const ListedOffset& listed) {
  return listed.error_code;
}

struct FetchOptions {
  IsolationLevel isolation_level = IsolationLevel::read_committed;
  Duration max_wait = milliseconds(500);
  std::int32_t min_bytes = 1;
  std::int32_t bytes_max = 1 << 20;
  bool uses_session = true;  // of a PartitionReader
  CallOptions call = {};
};

// The log has lost records that were read already: a leader was elected that did not have them.
struct Truncation {
  std::int64_t position = 0;      // where the reader stood
  std::int32_t leader_epoch = 0;  // of the last record that it had read
  // Up to here the log is what was read; nothing when the leader does not know.
  std::optional<std::int64_t> end_offset = std::nullopt;
  std::int32_t end_epoch = -1;  // of the records below end_offset
  bool operator==(const Truncation&) const = default;
};

// "it was read up to offset 12 in leader epoch 3, the log parts from that at 9"
std::string to_string(const Truncation& truncation);

struct Fetched {
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  std::optional<Truncation> truncation;  // of a PartitionReader, with OFFSET_OUT_OF_RANGE
  std::vector<protocol::Record> records;
  std::int64_t position = 0;  // where to read on; moves past what is not visible, too
  std::int64_t high_watermark = -1;
  std::int64_t last_stable_offset = -1;
  std::int64_t log_start_offset = -1;
};

// API 2. `latest_timestamp` gives the high watermark under read_uncommitted and the last stable
// offset under read_committed. Error malformed also when the answer lacks the partition.
Task<ListedOffset> list_offset(ClusterClient& cluster, TopicPartition partition,
                               std::int64_t timestamp, IsolationLevel isolation_level,
                               CallOptions options = {});

// The same, asked again for so long while the leader moves, or cannot be reached; the offset alone.
// Errors: stalled, with the last answer; malformed; unsupported_version.
Task<std::int64_t> list_offset_within(ClusterClient& cluster, TopicPartition partition,
                                      std::int64_t timestamp, IsolationLevel isolation_level,
                                      Duration patience);

// API 1, once, without a fetch session. An error code leaves the position where it was. Who reads
// on takes a PartitionReader.
Task<Fetched> fetch(ClusterClient& cluster, TopicPartition partition, std::int64_t offset,
                    FetchOptions options = {});

}  // namespace fencepost::client
