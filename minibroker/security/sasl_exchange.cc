#include "minibroker/security/sasl_exchange.h"

#include <algorithm>

namespace fencepost::minibroker::security {

using protocol::sasl::ScramClientFinal;
using protocol::sasl::ScramClientFirst;
using protocol::sasl::ScramServerFirst;

namespace {

constexpr const char* other_user =
    "Authentication failed: Client requested an authorization id that is different from username";

SaslExchange::Step refuse(std::string reason = {}) {
  return {SaslExchange::State::failed, {}, std::move(reason)};
}

}  // namespace

SaslExchange::SaslExchange(std::string mechanism, std::string nonce)
    : mechanism_(std::move(mechanism)),
      nonce_(std::move(nonce)),
      scram_(protocol::sasl::find_scram_mechanism(mechanism_)) {}

SaslExchange::Step SaslExchange::take(const Credentials& credentials, ByteView token) {
  if (!scram_) return take_plain(credentials, as_text(token));
  return credential_ ? take_scram_final(as_text(token))
                     : take_scram_first(credentials, as_text(token));
}

// RFC 4616: authorization id, user and password with NUL between them.
SaslExchange::Step SaslExchange::take_plain(const Credentials& credentials,
                                            std::string_view token) {
  constexpr std::ptrdiff_t part_count = 3;
  const std::ptrdiff_t parts = std::ranges::count(token, '\0') + 1;
  if (parts != part_count)
    return refuse("Invalid SASL/PLAIN response: expected 3 tokens, got " +
                  std::to_string(std::min(parts, part_count + 1)));
  const std::size_t first = token.find('\0');
  const std::size_t second = token.find('\0', first + 1);
  const std::string_view authorization_id = token.substr(0, first);
  const std::string user(token.substr(first + 1, second - first - 1));
  const std::string_view password = token.substr(second + 1);
  if (user.empty()) return refuse("Authentication failed: username not specified");
  if (password.empty()) return refuse("Authentication failed: password not specified");
  if (!credentials.is_password(user, password))
    return refuse("Authentication failed: Invalid username or password");
  if (!authorization_id.empty() && authorization_id != user) return refuse(other_user);
  user_ = user;
  return {State::complete, {}, {}};
}

SaslExchange::Step SaslExchange::take_scram_first(const Credentials& credentials,
                                                  std::string_view token) {
  const Result<ScramClientFirst> message = protocol::sasl::parse_client_first(token);
  if (!message) return refuse();
  const protocol::sasl::ScramCredential* credential = credentials.find(message->username, *scram_);
  if (credential == nullptr) return refuse();
  if (!message->authorization_id.empty() && message->authorization_id != message->username)
    return refuse(other_user);
  user_ = message->username;
  credential_ = *credential;
  client_first_bare_ = message->bare;
  nonce_ = message->nonce + nonce_;
  server_first_ =
      to_text(ScramServerFirst{nonce_, credential->salt, static_cast<int>(credential->iterations)});
  return {State::goes_on, SharedBytes::copy_of(server_first_), {}};
}

SaslExchange::Step SaslExchange::take_scram_final(std::string_view token) {
  const Result<ScramClientFinal> message = protocol::sasl::parse_client_final(token);
  // librdkafka before 2.2 puts its own nonce in front once more, which Kafka lets pass: what has to
  // be fresh is ours, and the proof is over the text as it was sent.
  if (!message || !message->nonce.ends_with(nonce_)) return refuse();
  const std::string text =
      protocol::sasl::signed_text(client_first_bare_, server_first_, message->without_proof);
  if (!protocol::sasl::is_proof_valid(*scram_, *credential_, message->proof.view(), text))
    return refuse();
  const SharedBytes signature =
      protocol::sasl::server_signature(*scram_, credential_->server_key.view(), text);
  return {State::complete,
          SharedBytes::copy_of(to_text(protocol::sasl::ScramServerFinal{{}, signature})),
          {}};
}

}  // namespace fencepost::minibroker::security
