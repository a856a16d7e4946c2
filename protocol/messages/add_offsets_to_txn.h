// AddOffsetsToTxn (API key 25): adds the offsets partition of a group to a transaction. The group
// itself is not looked at.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct AddOffsetsToTxnResponse;

struct AddOffsetsToTxnRequest {
  static constexpr MessageInfo info{"AddOffsetsToTxnRequest", MessageKind::request, 25,
                                    between(0, 4), since(3)};
  using Response = AddOffsetsToTxnResponse;

  std::string transactional_id;
  std::int64_t producer_id = 0;
  std::int16_t producer_epoch = 0;
  std::string group_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AddOffsetsToTxnRequest&) const = default;
  template <class T = AddOffsetsToTxnRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, since(0)),
        field("producerId", &T::producer_id, since(0)),
        field("producerEpoch", &T::producer_epoch, since(0)),
        field("groupId", &T::group_id, since(0)),
    };
  }
};

struct AddOffsetsToTxnResponse {
  static constexpr MessageInfo info{"AddOffsetsToTxnResponse", MessageKind::response, 25,
                                    between(0, 4), since(3)};

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AddOffsetsToTxnResponse&) const = default;
  template <class T = AddOffsetsToTxnResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
