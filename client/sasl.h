// The client's side of SASL: PLAIN and SCRAM, as requests on a connection that has just been made.
#pragma once

#include <optional>
#include <string>

#include "client/transport.h"
#include "protocol/base/time.h"
#include "protocol/sasl/scram.h"

namespace fencepost::client {

class Connection;

struct SaslOptions {
  std::string mechanism = "PLAIN";  // or SCRAM-SHA-256, SCRAM-SHA-512
  std::string username;
  std::string password;
  std::string nonce = {};  // empty: random
};

// One exchange, without I/O: tokens go out, challenges come in.
class SaslClient {
 public:
  explicit SaslClient(SaslOptions options) : options_(std::move(options)) {}

  // The first token. Error invalid_argument for a mechanism that is not known here.
  Result<SharedBytes> start();
  // The next token; nothing once the exchange is complete. Errors: malformed for a challenge that
  // cannot be read, or that one who knows the password would not have sent.
  Result<std::optional<SharedBytes>> take(ByteView challenge);

 private:
  Result<std::optional<SharedBytes>> take_server_first(std::string_view challenge);
  Result<std::optional<SharedBytes>> take_server_final(std::string_view challenge) const;

  SaslOptions options_;
  std::optional<protocol::sasl::ScramMechanism> scram_;
  protocol::sasl::ScramClientFirst first_;
  SharedBytes expected_signature_;  // after the server's first message
};

// Proves to the broker who we are. Answers how long that lasts; zero: as long as the connection.
// Error cannot_connect: one line with the broker, the step and what to check.
Task<Duration> authenticate(Connection& connection, SaslOptions options);

}  // namespace fencepost::client
