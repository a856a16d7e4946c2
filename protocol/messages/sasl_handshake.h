// SaslHandshake (API key 17): chooses the SASL mechanism.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct SaslHandshakeResponse;

struct SaslHandshakeRequest {
  static constexpr MessageInfo info{"SaslHandshakeRequest", MessageKind::request, 17, between(0, 1),
                                    no_versions};
  using Response = SaslHandshakeResponse;

  std::string mechanism;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SaslHandshakeRequest&) const = default;
  template <class T = SaslHandshakeRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("mechanism", &T::mechanism, since(0)),
    };
  }
};

struct SaslHandshakeResponse {
  static constexpr MessageInfo info{"SaslHandshakeResponse", MessageKind::response, 17,
                                    between(0, 1), no_versions};

  ErrorCode error_code = ErrorCode::none;
  std::vector<std::string> mechanisms;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const SaslHandshakeResponse&) const = default;
  template <class T = SaslHandshakeResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("errorCode", &T::error_code, since(0)),
        field("mechanisms", &T::mechanisms, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
