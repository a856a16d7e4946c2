// The transaction APIs as they are: each call is one request, and the answer is handed back as it
// came. The session remembers what earlier answers gave; any of it can be overridden by hand,
// which is how a zombie is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster_client.h"
#include "client/group_metadata.h"
#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/records/record_batch.h"

namespace fencepost::client {

struct ProducerIdentity {
  std::int64_t id = protocol::no_producer_id;
  std::int16_t epoch = protocol::no_producer_epoch;
  auto operator<=>(const ProducerIdentity&) const = default;
};

// What a call uses instead of what the session remembers.
struct ProducerOverrides {
  std::optional<std::int64_t> producer_id = std::nullopt;
  std::optional<std::int16_t> producer_epoch = std::nullopt;
  CallOptions call = {};
};

struct ProduceCall {
  TopicPartition partition;
  std::vector<protocol::NewRecord> records;  // no_timestamp: now
  // Instead of the next one of this producer id and epoch. It does not change what comes next.
  std::optional<std::int32_t> base_sequence = std::nullopt;
  bool is_transactional = true;  // without a transactional.id no batch is
  std::int16_t acks = -1;        // 0: not answered; the response is an empty one
  protocol::CompressionType compression = protocol::CompressionType::none;
  Duration timeout = std::chrono::seconds(30);  // how long the broker may wait for replicas
  ProducerOverrides overrides = {};
};

// A batch that is encoded already, with its producer id, epoch and sequence.
struct EncodedBatch {
  TopicPartition partition;
  SharedBytes bytes;
};

// One producer. Without a transactional.id it is an idempotent one (after init_producer_id) or a
// plain one (before). The cluster client must outlive it and its coroutines.
class TransactionalSession {
 public:
  explicit TransactionalSession(ClusterClient& cluster,
                                std::optional<std::string> transactional_id = std::nullopt);
  // The same producer of another client.
  TransactionalSession(ClusterClient& cluster, const TransactionalSession& other);

  // API 22. A success replaces the identity, also when producer id or epoch were overridden (they
  // are the fields of KIP-360; -1 unless given). An answer that comes after a later
  // init_producer_id or end_txn has begun does not: who went on must not become the owner again.
  Task<protocol::InitProducerIdResponse> init_producer_id(Duration transaction_timeout,
                                                          ProducerOverrides overrides = {});
  // API 24, at most v3 (what clients use) unless version_max says more.
  Task<protocol::AddPartitionsToTxnResponse> add_partitions_to_txn(
      std::vector<TopicPartition> partitions, ProducerOverrides overrides = {});
  // API 0: one batch to the leader. A sequence is taken when the call begins; it is given back
  // when the broker says that it did not append, or nothing was sent, and no later one was taken.
  Task<protocol::ProduceResponse> produce(ProduceCall call);
  // API 0: batches of several partitions of one leader, in one request that waits for all replicas.
  // At most one batch a partition. No sequence is taken or given back.
  Task<protocol::ProduceResponse> produce_batches(std::shared_ptr<Connection> leader,
                                                  std::vector<EncodedBatch> batches,
                                                  CallOptions options = {});
  // API 25.
  Task<protocol::AddOffsetsToTxnResponse> add_offsets_to_txn(std::string group_id,
                                                             ProducerOverrides overrides = {});
  // API 28, to the group's coordinator.
  Task<protocol::TxnOffsetCommitResponse> txn_offset_commit(GroupMetadata group,
                                                            std::vector<CommittedOffset> offsets,
                                                            ProducerOverrides overrides = {});
  // API 26. A success of v5 replaces the identity by the bumped one, unless the identity was
  // overridden or the answer comes too late, as above.
  Task<protocol::EndTxnResponse> end_txn(bool committed, ProducerOverrides overrides = {});

  const std::optional<std::string>& transactional_id() const { return transactional_id_; }
  const ProducerIdentity& identity() const { return identity_; }
  void set_identity(ProducerIdentity identity) { identity_ = identity; }
  // What the last call's broker said: at transaction version 2 (KIP-890) Produce and
  // TxnOffsetCommit add partitions and offsets by themselves; below, AddPartitionsToTxn and
  // AddOffsetsToTxn have to come first.
  bool needs_add_partitions() const { return transaction_version_ < 2; }
  // Behaves as a client that knows no higher transaction version.
  void limit_transaction_version(int version_max) { transaction_version_max_ = version_max; }

  // The sequence that the next batch gets. Reserving it, for a batch that may have to be sent more
  // than once, moves on by `count` records.
  std::int32_t next_sequence(const TopicPartition& partition) const;
  std::int32_t reserve_sequence(const TopicPartition& partition, std::int32_t count);

 private:
  using SequenceKey = std::pair<ProducerIdentity, TopicPartition>;

  ProducerIdentity identity_of(const ProducerOverrides& overrides) const;
  // The transaction version that this broker and this session use.
  int note_transaction_version(const Connection& connection);
  Task<std::shared_ptr<Connection>> coordinator(CallOptions options);
  void name_topics(protocol::ProduceResponse& response) const;
  void forget_old_epochs();

  ClusterClient* cluster_;
  std::optional<std::string> transactional_id_;
  ProducerIdentity identity_;
  std::uint64_t identity_calls_ = 0;  // those that may change the identity, ever begun
  int transaction_version_ = 0;
  int transaction_version_max_ = 2;
  // The next sequence; it begins at 0 for each producer id, epoch and partition.
  std::map<SequenceKey, std::int32_t> sequences_;
};

}  // namespace fencepost::client
