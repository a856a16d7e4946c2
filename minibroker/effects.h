// What the state machines inside a broker want done: answers to requests, writes into the
// coordinators' logs. They collect these as values; the broker takes and carries them out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/security/identity.h"
#include "minibroker/topic_partition.h"
#include "protocol/api.h"
#include "protocol/base/check.h"
#include "protocol/base/time.h"
#include "protocol/codec.h"
#include "protocol/error_code.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

// The request an answer belongs to.
struct RequestContext {
  std::int64_t connection = 0;
  std::int32_t correlation_id = 0;
  protocol::ApiKey api_key = protocol::ApiKey::api_versions;
  std::int16_t api_version = 0;
  std::string client_id;
  std::string client_host;                                       // "/127.0.0.1", as Kafka prints it
  std::shared_ptr<const security::Identity> identity = nullptr;  // set for what a client sent
  bool operator==(const RequestContext&) const = default;
};

// An answer, encoded in the version of its request; the header is added where it is sent.
struct Reply {
  RequestContext request;
  Frame body;
};

// Encodes an answer. Fields that the version cannot carry have to be ignorable: anything else is
// our mistake.
template <class Response>
Reply make_reply(const RequestContext& request, const Response& response) {
  Result<Frame> body = protocol::Codec<Response>::encode(response, request.api_version);
  CHECK(body.ok());
  return {request, std::move(*body)};
}

// Proof that a verification took place and that no marker came since; 0 stands for none
// (KIP-890 part 1).
using VerificationGuard = std::int64_t;
constexpr VerificationGuard no_guard = 0;

// A batch that a coordinator wants in its log. It is answered once: when it is replicated
// (acks=-1), or when it cannot be written.
struct LogWrite {
  std::uint64_t id = 0;  // the coordinator's own; comes back with the outcome
  TopicPartition partition;
  std::vector<protocol::NewRecord> records;
  Duration timeout{};
  // A transactional offset commit; everything else has no producer.
  std::int64_t producer_id = protocol::no_producer_id;
  std::int16_t producer_epoch = protocol::no_producer_epoch;
  VerificationGuard guard = no_guard;
  // For cut points: what is written ("prepare_commit"), and whose it is; empty where there is none.
  std::string_view step = {};
  std::string subject = {};
};

// What became of a LogWrite. `base_offset` is valid when `error` is none.
struct LogWriteOutcome {
  std::uint64_t id = 0;
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::int64_t base_offset = -1;
};

// A record of a coordinator's log, as it is replayed when the coordinator loads.
struct ReplayedBatch {
  protocol::RecordBatchHeader header;
  std::vector<protocol::Record> records;
};

}  // namespace fencepost::minibroker
