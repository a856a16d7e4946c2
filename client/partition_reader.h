// Reading on in one partition: what fetch() of reader.h does once, with a fetch session (KIP-227),
// and with a check, at every change of leader, that what was read is still there (KIP-320).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "client/cluster_client.h"
#include "client/fetch_session.h"
#include "client/reader.h"

namespace fencepost::client {

// One coroutine at a time. The cluster client must outlive the reader.
class PartitionReader {
 public:
  // FetchOptions::call: with own_connection the reader keeps one for itself, so that an answer that
  // is waited for holds up nobody else.
  PartitionReader(ClusterClient& cluster, TopicPartition partition, FetchOptions options = {});

  // Where to read on. `leader_epoch`: of the record in front of it, as a committed offset tells;
  // -1 when it is not known, and there is nothing to check until something was read.
  void seek(std::int64_t offset, std::int32_t leader_epoch = -1);

  // What is there from position() on, waiting for it as FetchOptions say; moves the position behind
  // it. An error code leaves the position, and after one that asks for it the next poll looks the
  // leader up again. Of an answer without news, the watermarks are those of the answer before.
  // OFFSET_OUT_OF_RANGE with a truncation: what was read is not what the log holds; so until
  // seek(). Errors: malformed; those of a call.
  Task<Fetched> poll();

  // Ends the session at the broker, which would keep its slot for two minutes. Never needed.
  asio::awaitable<void> close();

  const TopicPartition& partition() const { return partition_; }
  std::int64_t position() const { return position_; }
  // Of the last record that was read; -1 when not known. Belongs into the offset's commit.
  std::int32_t leader_epoch() const { return position_epoch_; }

 private:
  Task<void> connect();
  Task<protocol::ErrorCode> validate();
  Task<protocol::FetchResponse> ask();
  FetchSession::Partitions wanted() const;
  Result<Fetched> read(const protocol::FetchResponse& response);
  Fetched unchanged(protocol::ErrorCode code);
  void note_truncation(std::int32_t end_epoch, std::int64_t end_offset);

  ClusterClient& cluster_;
  TopicPartition partition_;
  FetchOptions options_;
  std::int64_t position_ = 0;
  std::int32_t position_epoch_ = -1;
  Fetched latest_;  // the watermarks, and a truncation; never records

  Leader leader_;
  std::shared_ptr<Connection> connection_;
  FetchSession session_;
  bool is_validated_ = true;  // against the leader's epoch
  bool asks_again_ = false;   // who leads
};

}  // namespace fencepost::client
