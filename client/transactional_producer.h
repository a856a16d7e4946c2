// A producer for applications: transactions in the order that the brokers want, batched and
// pipelined, each error turned into one of the few things an application can do about it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/produce_pipeline.h"

namespace fencepost::client {

struct TransactionalProducerOptions {
  std::optional<std::string> transactional_id = std::nullopt;  // nothing: an idempotent producer
  Duration transaction_timeout = std::chrono::minutes(1);
  std::size_t buffered_bytes_max = std::size_t{32} << 20;
  int transaction_version_max = 2;
  PipelineOptions pipeline = {};
};

// One producer; its coroutines run on one executor and must have ended before the cluster client
// goes. Steps of one transaction are awaited one after another; append() may come at any time
// between begin() and commit(). Whether partitions and offsets have to be added to the transaction
// by calls of their own (before KIP-890) is the brokers' business and not the caller's.
//
// After Verdict::abort call abort(); after fenced or bug there is nothing more to do with it; after
// unknown_outcome init() settles the transaction, and what was committed has to be read.
class TransactionalProducer {
 public:
  TransactionalProducer(asio::any_io_executor executor, ClusterClient& cluster,
                        TransactionalProducerOptions options);
  ~TransactionalProducer();
  TransactionalProducer(const TransactionalProducer&) = delete;
  TransactionalProducer& operator=(const TransactionalProducer&) = delete;

  // InitProducerId: ends what an older producer with this id left open and fences it.
  asio::awaitable<ProducerOutcome> init();
  // Begins a transaction here; a broker hears of it only when an epoch has to be bumped first.
  asio::awaitable<ProducerOutcome> begin();
  // Stages the offsets in the transaction. Best before the first append(): a stale member learns it
  // before its records are out, and a coordinator that is still writing the last transaction down
  // refuses this at once, where a leader holds a refused Produce.
  asio::awaitable<ProducerOutcome> commit_offsets(GroupMetadata group,
                                                  std::vector<CommittedOffset> offsets);
  // Queues a record (no_timestamp: now). A refusal comes with the next flush() or commit().
  void append(const TopicPartition& partition, protocol::NewRecord record);
  // Back-pressure: waits while more than buffered_bytes_max are on their way.
  asio::awaitable<void> wait_for_room();
  // All that was appended is acknowledged, or the first failure.
  asio::awaitable<ProducerOutcome> flush();
  // flush() and EndTxn. After an error nothing of it is committed, except after unknown_outcome.
  asio::awaitable<ProducerOutcome> commit();
  // Ends the transaction without it; also what has to come after Verdict::abort. Whatever still
  // comes late of it cannot get into a later transaction: the epoch has moved on.
  asio::awaitable<ProducerOutcome> abort();

  bool is_in_transaction() const;
  // One request after another, for what this class does not do.
  const TransactionalSession& session() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::client
