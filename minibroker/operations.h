// What waits inside a broker, as plain data: requests whose answer needs replication, another
// broker, or more bytes. Each has a deadline; none holds a callback.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/log/fetch_session.h"
#include "minibroker/transaction/markers.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::minibroker {

using OperationId = std::uint64_t;

// Where an outcome belongs inside an answer that is being put together.
struct AnswerSlot {
  std::size_t first = 0;   // topic, or marker
  std::size_t second = 0;  // partition, or topic
  std::size_t third = 0;   // partition of a marker's topic
};

// ---- what waits for replication

struct ProduceWait {
  OperationId operation = 0;
  AnswerSlot slot;
};
struct MarkerWait {
  OperationId operation = 0;
  AnswerSlot slot;
  std::int64_t producer_id = -1;
  bool is_commit = false;
};
struct TransactionLogWait {
  std::uint64_t write = 0;
  std::string_view step;  // as in LogWrite
  std::string subject;
};
struct GroupLogWait {
  std::uint64_t write = 0;
  std::string_view step;  // likewise
  std::string subject;
};
// An append that is answered when the high watermark has passed it.
struct ReplicationWait {
  TopicPartition partition;
  std::int32_t leader_epoch = 0;
  std::int64_t base_offset = 0;
  std::int64_t end_offset = 0;
  Instant deadline;
  std::variant<ProduceWait, MarkerWait, TransactionLogWait, GroupLogWait> owner;
};

// ---- requests under way

struct ProduceOperation {
  // A partition of the request that passed the first checks.
  struct Task {
    AnswerSlot slot;
    TopicPartition partition;
    SharedBytes records;
    VerificationGuard guard = no_guard;
    bool needs_verification = false;
  };

  RequestContext request;
  std::int16_t acks = -1;
  Duration timeout{};
  std::string transactional_id;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  protocol::ProduceResponse response;
  std::vector<Task> tasks;
  std::size_t unanswered = 0;
  Instant retry_until;  // CONCURRENT_TRANSACTIONS is tried again by the broker until then
};

struct FetchOperation {
  RequestContext request;
  protocol::FetchRequest body;  // but for its topics
  FetchContext context;
  std::set<TopicPartition> partitions;  // that it waits for
  Instant deadline;
};

struct MarkerOperation {
  RequestContext request;
  protocol::WriteTxnMarkersResponse response;
  std::size_t unanswered = 0;
};

// A TxnOffsetCommit whose offsets partition is being verified.
struct OffsetCommitOperation {
  RequestContext request;
  protocol::TxnOffsetCommitRequest body;
  protocol::TxnOffsetCommitResponse refused;
  VerificationGuard guard = no_guard;
  Instant retry_until;
};

// ---- requests to other brokers, by the answer they need

struct ReplicaFetchSent {
  int leader_id = 0;
};
struct MarkersSent {
  std::vector<transaction::MarkerRequest> markers;
};
struct ProduceVerificationSent {
  OperationId operation = 0;
};
struct OffsetVerificationSent {
  OperationId operation = 0;
};
using SentRequest =
    std::variant<ReplicaFetchSent, MarkersSent, ProduceVerificationSent, OffsetVerificationSent>;

// Why brokers talk to each other: each purpose has a connection of its own.
enum class Purpose { replication, markers, verification };

// A request for another broker (or this one), to go out over the network.
struct BrokerRequest {
  std::uint64_t token = 0;  // comes back with the answer
  int to_broker = 0;
  Purpose purpose = Purpose::replication;
  protocol::ApiKey api_key = protocol::ApiKey::fetch;
  std::int16_t api_version = 0;
  Frame body;
};

}  // namespace fencepost::minibroker
