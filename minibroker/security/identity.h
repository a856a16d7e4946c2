// Who is at the other end of a connection, and which way he came.
#pragma once

#include <string>

namespace fencepost::minibroker::security {

enum class Protocol { plaintext, ssl, sasl_plaintext, sasl_ssl };

constexpr bool uses_sasl(Protocol protocol) {
  return protocol == Protocol::sasl_plaintext || protocol == Protocol::sasl_ssl;
}
constexpr bool uses_tls(Protocol protocol) {
  return protocol == Protocol::ssl || protocol == Protocol::sasl_ssl;
}

constexpr const char* plaintext_listener = "PLAINTEXT";
constexpr const char* anonymous = "User:ANONYMOUS";

// A connection as whoever accepts it describes it.
struct Origin {
  std::string address = "127.0.0.1";
  Protocol protocol = Protocol::plaintext;
  // Kafka's name of the listener; clients are told the brokers' addresses on the same one.
  std::string listener = plaintext_listener;
  // From the client's certificate, where there is one: "User:CN=client".
  std::string principal = anonymous;
  bool is_broker = false;
};

// On whose behalf a request is handled.
struct Identity {
  std::string principal = anonymous;
  std::string host;  // "127.0.0.1"
  std::string listener = plaintext_listener;
  bool is_broker = false;  // brokers may do everything
};

}  // namespace fencepost::minibroker::security
