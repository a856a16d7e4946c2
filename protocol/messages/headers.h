// The request and response headers. Header versions follow from the message: see api.h. ClientId
// keeps its int16 length in the flexible header (KIP-511).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "protocol/field.h"

namespace fencepost::protocol {

struct RequestHeader {
  static constexpr MessageInfo info{"RequestHeader", MessageKind::header, -1, between(1, 2),
                                    since(2)};

  std::int16_t request_api_key = 0;
  std::int16_t request_api_version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string> client_id = std::string{};
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const RequestHeader&) const = default;
  template <class T = RequestHeader>
  static constexpr auto fields() {
    return std::tuple{
        field("requestApiKey", &T::request_api_key, since(0)),
        field("requestApiVersion", &T::request_api_version, since(0)),
        field("correlationId", &T::correlation_id, since(0)),
        field("clientId", &T::client_id, since(1)).nullable(since(1)).never_flexible(),
    };
  }
};

struct ResponseHeader {
  static constexpr MessageInfo info{"ResponseHeader", MessageKind::header, -1, between(0, 1),
                                    since(1)};

  std::int32_t correlation_id = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ResponseHeader&) const = default;
  template <class T = ResponseHeader>
  static constexpr auto fields() {
    return std::tuple{
        field("correlationId", &T::correlation_id, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
