// The sending half of a producer: records gather in batches per partition, and each leader gets up
// to five requests at once, with the next batch of each of its partitions. Order and sequences hold
// through retries: while a batch of a partition is repeated, nothing overtakes it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/event.h"
#include "client/producer_outcome.h"
#include "client/retry.h"
#include "client/transactional_session.h"

namespace fencepost::client {

struct PipelineOptions {
  protocol::CompressionType compression = protocol::CompressionType::none;
  std::size_t batch_bytes_max = 1'000'000;  // below the broker's message.max.bytes
  int in_flight_max = 5;                    // requests a leader; it remembers five batches
  Duration delivery_timeout = std::chrono::minutes(2);  // from the first sending of a batch
  std::uint64_t seed = 0;                               // of the jitter
};

// All its coroutines hold it by shared_ptr; the session's cluster must outlive them.
class ProducePipeline : public std::enable_shared_from_this<ProducePipeline> {
 public:
  ProducePipeline(asio::any_io_executor executor, ClusterClient& cluster,
                  std::shared_ptr<TransactionalSession> session, PipelineOptions options);
  ~ProducePipeline();

  // Nothing is in a transaction yet. `markers_are_pending`: the last transaction of this producer
  // may still be written down by its coordinator.
  void begin_transaction(bool markers_are_pending);
  // The coordinator has let this transaction begin: no more reason to wait for the last one.
  void open_gate();

  // Queues a record; it is sent when the caller lets go of the executor.
  void append(const TopicPartition& partition, protocol::NewRecord record);
  std::size_t buffered_bytes() const { return buffered_bytes_; }
  // Waits until no more than so many bytes are neither acknowledged nor refused.
  asio::awaitable<void> wait_for_room(std::size_t buffered_bytes_max);
  // Waits until every batch is acknowledged, or one has finally failed: then all are given up.
  asio::awaitable<ProducerOutcome> flush();
  // Drops what was not sent and waits for what was: afterwards no batch of ours is on its way,
  // except one whose answer never came.
  asio::awaitable<void> drain();

  const std::optional<ProducerOutcome>& failure() const { return failure_; }
  // Whether something has reached, or may have reached, a broker since begin_transaction().
  bool has_sent() const { return has_sent_; }
  // Whether a sequence was used that its partition may not hold, or a batch may still arrive: the
  // next transaction needs another epoch (KIP-360, unless EndTxn bumps it).
  bool needs_new_epoch() const { return needs_new_epoch_; }
  void begin_epoch() { needs_new_epoch_ = false; }

 private:
  struct Batch;
  struct Queue;
  struct Lane;
  struct Request;
  using Plans = std::map<std::string, Request>;  // by leader

  void post_pump();
  void pump();
  bool plan_round(Plans* plans);
  std::shared_ptr<Batch> sendable(const Queue& queue) const;
  EncodedBatch encode(const Queue& queue, Batch& batch);
  bool passes_gate();
  void add_missing_partitions();
  void settle(Queue& queue, const std::shared_ptr<Batch>& batch, protocol::ErrorCode code);
  void settle(Queue& queue, const std::shared_ptr<Batch>& batch, const Error& error);
  void repeat(Queue& queue, bool with_fresh_lookup, Instant again);
  void remove(Queue& queue, const std::shared_ptr<Batch>& batch);
  void drop_what_waits();
  void fail(ProducerOutcome outcome);
  Backoff new_backoff();
  bool is_transactional() const { return session_->transactional_id().has_value(); }

  static asio::awaitable<void> find_leader(std::shared_ptr<ProducePipeline> self, Queue* queue);
  static asio::awaitable<void> send(std::shared_ptr<ProducePipeline> self, Request request);
  static asio::awaitable<void> add_partitions(std::shared_ptr<ProducePipeline> self,
                                              std::vector<TopicPartition> partitions);
  static asio::awaitable<void> await_markers(std::shared_ptr<ProducePipeline> self);
  static asio::awaitable<void> pump_at(std::shared_ptr<ProducePipeline> self, Instant time);

  asio::any_io_executor executor_;
  ClusterClient& cluster_;
  std::shared_ptr<TransactionalSession> session_;
  PipelineOptions options_;
  std::map<TopicPartition, std::unique_ptr<Queue>> queues_;
  std::map<std::string, Lane> lanes_;  // by leader
  std::optional<ProducerOutcome> failure_;
  Event changed_;
  std::size_t buffered_bytes_ = 0;
  std::size_t batches_ = 0;  // neither acknowledged nor refused
  int at_work_ = 0;          // requests on their way
  std::uint64_t draws_ = 0;
  bool is_pump_posted_ = false;
  bool is_adding_ = false;
  bool is_gated_ = false;
  bool is_asking_ = false;
  bool has_sent_ = false;
  bool needs_new_epoch_ = false;
};

}  // namespace fencepost::client
