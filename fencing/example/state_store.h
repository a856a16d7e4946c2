// Where a partition's state is kept: by the design, or by the plain one that it replaces and that a
// test wants to see fail. Both are a takeover, writes, an offset, and an end.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "fencing/partition_owner.h"

namespace fencepost::fencing::example {

class StateStore {
 public:
  virtual ~StateStore() = default;

  virtual client::Task<TakenOver> take_over() = 0;
  // Each snapshot's outcome, in their order.
  virtual asio::awaitable<std::vector<WriteOutcome>> write_all(std::vector<Snapshot> snapshots) = 0;
  // As SnapshotWriter's.
  virtual void advance(std::int64_t offset) = 0;
  virtual asio::awaitable<WriteOutcome> commit_when_due() = 0;
  virtual asio::awaitable<WriteOutcome> release() = 0;
  virtual asio::awaitable<void> abandon() = 0;
};

// Snapshots and offset in transactions, fenced by the group's generation.
std::unique_ptr<StateStore> make_fenced_store(asio::any_io_executor executor,
                                              client::ClusterClient& cluster,
                                              GenerationFence::LiveMetadata live,
                                              PartitionOwnerOptions options);
// The rejected way: an idempotent producer writes snapshots, the group is told the offset
// afterwards. Nothing stops an owner who does not know yet that it is one no more.
std::unique_ptr<StateStore> make_plain_store(asio::any_io_executor executor,
                                             client::ClusterClient& cluster,
                                             GenerationFence::LiveMetadata live,
                                             PartitionOwnerOptions options);

}  // namespace fencepost::fencing::example
