// EndTxn (API key 26): commits or aborts a transaction. The answer comes when the decision is
// durable, before any marker is written. Version 5 on returns the producer epoch of the next
// transaction (KIP-890).
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct EndTxnResponse;

struct EndTxnRequest {
  static constexpr MessageInfo info{"EndTxnRequest", MessageKind::request, 26, between(0, 5),
                                    since(3)};
  using Response = EndTxnResponse;

  std::string transactional_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  bool committed = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const EndTxnRequest&) const = default;
  template <class T = EndTxnRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, since(0)),
        field("producerId", &T::producer_id, since(0)),
        field("producerEpoch", &T::producer_epoch, since(0)),
        field("committed", &T::committed, since(0)),
    };
  }
};

struct EndTxnResponse {
  static constexpr MessageInfo info{"EndTxnResponse", MessageKind::response, 26, between(0, 5),
                                    since(3)};

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const EndTxnResponse&) const = default;
  template <class T = EndTxnResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("producerId", &T::producer_id, since(5)).ignorable(),
        field("producerEpoch", &T::producer_epoch, since(5)).ignorable(),
    };
  }
};

}  // namespace fencepost::protocol
