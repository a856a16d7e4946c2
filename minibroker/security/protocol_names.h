// Kafka's names of the security protocols.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "minibroker/security/identity.h"

namespace fencepost::minibroker::security {

constexpr std::array protocols{Protocol::plaintext, Protocol::ssl, Protocol::sasl_plaintext,
                               Protocol::sasl_ssl};

constexpr std::string_view to_string(Protocol protocol) {
  switch (protocol) {
    case Protocol::plaintext:
      return "PLAINTEXT";
    case Protocol::ssl:
      return "SSL";
    case Protocol::sasl_plaintext:
      return "SASL_PLAINTEXT";
    case Protocol::sasl_ssl:
      return "SASL_SSL";
  }
  return "";
}

constexpr std::optional<Protocol> find_protocol(std::string_view name) {
  for (const Protocol protocol : protocols)
    if (to_string(protocol) == name) return protocol;
  return std::nullopt;
}

}  // namespace fencepost::minibroker::security
