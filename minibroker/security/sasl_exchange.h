// The server's side of one SASL exchange: the client's bytes go in, the answer and the outcome come
// out. And what a connection remembers of its authentication.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "minibroker/security/credentials.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::security {

class SaslExchange {
 public:
  enum class State { goes_on, complete, failed };
  struct Step {
    State state = State::failed;
    SharedBytes answer;
    // Why it failed, as the client may be told; empty: only that the credentials are invalid.
    std::string reason;
  };

  // A mechanism of SaslSettings; `nonce` is the server's part, used by SCRAM.
  SaslExchange(std::string mechanism, std::string nonce);

  Step take(const Credentials& credentials, ByteView token);
  const std::string& mechanism() const { return mechanism_; }
  // Valid once complete.
  const std::string& user() const { return user_; }

 private:
  Step take_plain(const Credentials& credentials, std::string_view token);
  Step take_scram_first(const Credentials& credentials, std::string_view token);
  Step take_scram_final(std::string_view token);

  std::string mechanism_;
  std::string nonce_;
  std::string user_;
  std::optional<protocol::sasl::ScramMechanism> scram_;
  std::optional<protocol::sasl::ScramCredential> credential_;  // after SCRAM's first message
  std::string client_first_bare_;
  std::string server_first_;
};

// Where a connection of a SASL listener stands. Only what is `complete` may ask for anything else.
struct SaslSession {
  enum class State {
    handshake_or_versions,  // nothing has come
    handshake,              // ApiVersions has been answered
    authenticate,
    complete,
  };

  State state = State::handshake_or_versions;
  bool is_raw = false;  // SaslHandshake v0: the tokens come without a request around them
  std::optional<SaslExchange> exchange;
  std::string principal;  // of an authentication that was complete once
  std::string mechanism;  // likewise
  std::optional<Instant> expires;
  std::optional<Instant> repeated;  // when it last began to authenticate again

  bool is_again() const { return !principal.empty(); }
};

}  // namespace fencepost::minibroker::security
