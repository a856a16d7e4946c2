// SaslAuthenticate (API key 36): one round of the SASL exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "protocol/base/bytes.h"
#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct SaslAuthenticateResponse;

struct SaslAuthenticateRequest {
  static constexpr MessageInfo info{"SaslAuthenticateRequest", MessageKind::request, 36,
                                    between(0, 2), since(2)};
  using Response = SaslAuthenticateResponse;

  SharedBytes auth_bytes;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SaslAuthenticateRequest&) const = default;
  template <class T = SaslAuthenticateRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("authBytes", &T::auth_bytes, since(0)),
    };
  }
};

struct SaslAuthenticateResponse {
  static constexpr MessageInfo info{"SaslAuthenticateResponse", MessageKind::response, 36,
                                    between(0, 2), since(2)};

  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  SharedBytes auth_bytes;
  std::int64_t session_lifetime_ms = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SaslAuthenticateResponse&) const = default;
  template <class T = SaslAuthenticateResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("authBytes", &T::auth_bytes, since(0)),
        field("sessionLifetimeMs", &T::session_lifetime_ms, since(1)).ignorable(),
    };
  }
};

}  // namespace fencepost::protocol
