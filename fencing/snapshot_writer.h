// Writes snapshots, and the offset that they cover, in transactions: group commit. Whoever writes
// while nobody does takes the transaction, with all that is queued; what comes meanwhile waits for
// the next one. There is no delay to fill a batch, and back-pressure is awaiting one's write.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/transactional_producer.h"
#include "fencing/generation_fence.h"

namespace fencepost::fencing {

struct Snapshot {
  SharedBytes key;
  protocol::OptionalBytes value;  // nothing removes the key
};

enum class WriteStatus {
  committed,
  aborted,             // not written, for a reason that passes: the same write may be tried again
  fenced,              // somebody newer owns the partition, or will in a moment; not written
  unknown_generation,  // nothing was sent: the member is not in the group (yet, or any more)
  unknown_outcome,     // no reply to the decision: written or not; only a recovery tells
  failed,              // refused for what neither waiting nor trying again cures; not written
  closed,              // the writer was closed before the write began
};

std::string_view to_string(WriteStatus status);

struct WriteOutcome {
  WriteStatus status = WriteStatus::committed;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;  // none: not a broker's answer
  std::string text = {};                                       // one sentence, empty when committed
  bool ok() const { return status == WriteStatus::committed; }
};

struct SnapshotWriterOptions {
  client::TopicPartition snapshots;
  client::TopicPartition input;
  // Where reading the input begins: the group's committed offset. Every transaction commits an
  // offset, so that the first one is fenced too; until there is progress it is this one.
  std::int64_t assigned_offset = 0;
  std::size_t cap = 256;  // snapshots a transaction; 0: no cap
  Duration commit_interval = std::chrono::seconds(5);
};

struct SnapshotWriterCounts {
  std::int64_t transactions = 0;  // that were begun
  std::int64_t snapshots = 0;     // committed
};

// The only writer of its partition in this process. Its coroutines run on one executor; producer,
// clock and what the fence looks at must outlive them. After the producer was fenced, or an
// outcome was unknown, every later write has that outcome: take the partition over again.
class SnapshotWriter {
 public:
  SnapshotWriter(asio::any_io_executor executor, client::Clock& clock,
                 client::TransactionalProducer& producer, GenerationFence::LiveMetadata live,
                 SnapshotWriterOptions options);

  // Queues the snapshot at once; the result, to be awaited, is how the transaction with it ended.
  // Writes are committed in the order of the calls.
  asio::awaitable<WriteOutcome> write(Snapshot snapshot);
  // Begins one write for each and waits for all; their outcomes in the same order.
  asio::awaitable<std::vector<WriteOutcome>> write_all(std::vector<Snapshot> snapshots);
  // All input below `offset` is in snapshots for which write() was called. The offset becomes
  // committable once these are committed, and is committed when the interval is over: it never
  // leads the snapshots. A write that was not committed holds it back until its key is written.
  void advance(std::int64_t offset);
  // Commits the offset when the interval is over and there is one to commit, in a transaction of
  // its own if nothing is queued. To be called now and then; committed also when nothing was due.
  asio::awaitable<WriteOutcome> commit_when_due();
  // Commits the offset now, as before the partition is given away. It does not count for the cap.
  asio::awaitable<WriteOutcome> commit_offset();
  // No further write begins. Those that are queued still have their turn.
  void close();
  // Waits until no write is queued or under way: no transaction is open then.
  asio::awaitable<void> wait_until_idle();

  std::int64_t committed_offset() const;
  const SnapshotWriterCounts& counts() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::fencing
