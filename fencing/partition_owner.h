// One partition in the hands of this process: taken over so that the state is complete and every
// older owner is out, given away so that nothing is left open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/group_member.h"
#include "fencing/recover_snapshots.h"
#include "fencing/snapshot_writer.h"

namespace fencepost::fencing {

struct PartitionOwnerOptions {
  std::string group_id;
  client::TopicPartition input;
  client::TopicPartition snapshots;
  // The transactional.id is "PREFIX-TOPIC-PARTITION" of the snapshots, for every owner the same:
  // that is what makes a takeover end what the last owner left open.
  std::string transactional_id_prefix = "fencepost";
  Duration transaction_timeout = std::chrono::minutes(1);
  std::size_t cap = 256;
  Duration commit_interval = std::chrono::seconds(5);
  RecoveryOptions recovery = {};
  client::PipelineOptions pipeline = {};
};

struct TakenOver {
  Recovery recovery;
  std::int64_t offset = 0;  // where to read the input from
};

std::string transactional_id_of(const PartitionOwnerOptions& options);

// Where reading the input begins: the group's offset, waited for until no transaction holds it
// (KIP-447), else the input's start. Errors: stalled when it is refused, or those of a call.
client::Task<std::int64_t> committed_offset(client::ClusterClient& cluster,
                                            const PartitionOwnerOptions& options);

// Its coroutines must have ended before it goes. The cluster client should not be the one whose
// connection waits for join rounds.
class PartitionOwner {
 public:
  PartitionOwner(asio::any_io_executor executor, client::ClusterClient& cluster,
                 GenerationFence::LiveMetadata live, PartitionOwnerOptions options);

  // In this order: InitProducerId, which ends the last owner's transaction; committed_offset(); the
  // snapshots up to the high watermark. Errors: those of recover_snapshots() and of a call; also
  // stalled when the producer or the offset was refused. Nothing is owned then.
  client::Task<TakenOver> take_over();

  // After take_over().
  SnapshotWriter& writer();

  // Ends within the revoke callback: lets queued writes finish, commits the last offset and closes
  // the writer. After it no transaction of ours is open, unless the outcome is unknown.
  asio::awaitable<WriteOutcome> release();
  // The partition is somebody else's already: nothing more is committed.
  asio::awaitable<void> abandon();

 private:
  asio::any_io_executor executor_;
  client::ClusterClient& cluster_;
  GenerationFence::LiveMetadata live_;
  PartitionOwnerOptions options_;
  client::TransactionalProducer producer_;
  std::unique_ptr<SnapshotWriter> writer_;
};

}  // namespace fencepost::fencing
