// InitProducerId (API key 22): the first step of every producer: its id and epoch. For a
// transactional.id it fences the producer before it and ends what that one left open. Version 3 on
// recovers a known producer (KIP-360).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct InitProducerIdResponse;

struct InitProducerIdRequest {
  static constexpr MessageInfo info{
      "InitProducerIdRequest", MessageKind::request, 22, between(0, 6), since(2), true};
  using Response = InitProducerIdResponse;

  std::optional<std::string> transactional_id = std::string{};
  std::int32_t transaction_timeout_ms = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  bool enable2_pc = false;
  bool keep_prepared_txn = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const InitProducerIdRequest&) const = default;
  template <class T = InitProducerIdRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, since(0)).nullable(since(0)),
        field("transactionTimeoutMs", &T::transaction_timeout_ms, since(0)),
        field("producerId", &T::producer_id, since(3)),
        field("producerEpoch", &T::producer_epoch, since(3)),
        field("enable2Pc", &T::enable2_pc, since(6)),
        field("keepPreparedTxn", &T::keep_prepared_txn, since(6)),
    };
  }
};

struct InitProducerIdResponse {
  static constexpr MessageInfo info{
      "InitProducerIdResponse", MessageKind::response, 22, between(0, 6), since(2), true};

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = 0;
  std::int64_t ongoing_txn_producer_id = -1;
  std::int16_t ongoing_txn_producer_epoch = -1;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const InitProducerIdResponse&) const = default;
  template <class T = InitProducerIdResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)).ignorable(),
        field("errorCode", &T::error_code, since(0)),
        field("producerId", &T::producer_id, since(0)),
        field("producerEpoch", &T::producer_epoch, since(0)),
        field("ongoingTxnProducerId", &T::ongoing_txn_producer_id, since(6)),
        field("ongoingTxnProducerEpoch", &T::ongoing_txn_producer_epoch, since(6)),
    };
  }
};

}  // namespace fencepost::protocol
