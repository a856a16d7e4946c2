#include "client/sasl.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "client/connection.h"
#include "protocol/messages/sasl_authenticate.h"
#include "protocol/messages/sasl_handshake.h"

namespace fencepost::client {

using protocol::ErrorCode;
using protocol::sasl::ScramServerFinal;
using protocol::sasl::ScramServerFirst;

namespace {

constexpr int handshake_version = 1;  // 0 would send tokens without a request around them
// A broker that asks for more wants to keep us busy.
constexpr int iterations_max = 10'000'000;

std::string random_nonce() {
  std::array<std::uint8_t, 18> bytes{};
  CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1);
  return to_base64(bytes);
}

Error refusal(const Connection& connection, const std::string& text) {
  return {ErrorKind::cannot_connect,
          "cannot authenticate with " + connection.address() + ": " + text,
          0,
          {}};
}

std::string join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Task<void> shake_hands(Connection& connection, std::string mechanism) {
  protocol::SaslHandshakeRequest request;
  request.mechanism = mechanism;
  Result<protocol::SaslHandshakeResponse> response =
      co_await connection.call_exactly(std::move(request), handshake_version);
  if (!response) co_return refusal(connection, response.error().text);
  if (response->error_code == ErrorCode::none) co_return Result<void>();
  if (response->error_code == ErrorCode::unsupported_sasl_mechanism)
    co_return refusal(connection, "it does not offer " + mechanism + ", but " +
                                      join(response->mechanisms) + "; check sasl.mechanism");
  co_return refusal(connection, "SaslHandshake is answered with " +
                                    to_string(response->error_code) + "; check security.protocol");
}

}  // namespace

Result<SharedBytes> SaslClient::start() {
  if (options_.mechanism == "PLAIN") {
    std::string token;
    token.append(1, '\0').append(options_.username).append(1, '\0').append(options_.password);
    return SharedBytes::copy_of(token);
  }
  scram_ = protocol::sasl::find_scram_mechanism(options_.mechanism);
  if (!scram_)
    return Error{ErrorKind::invalid_argument,
                 "the SASL mechanism '" + options_.mechanism +
                     "' is not known; it can be PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
                 0,
                 {}};
  first_ = protocol::sasl::make_client_first(
      options_.username, options_.nonce.empty() ? random_nonce() : options_.nonce);
  return SharedBytes::copy_of(to_text(first_));
}

Result<std::optional<SharedBytes>> SaslClient::take(ByteView challenge) {
  if (!scram_) return std::optional<SharedBytes>();
  return expected_signature_.empty() ? take_server_first(as_text(challenge))
                                     : take_server_final(as_text(challenge));
}

Result<std::optional<SharedBytes>> SaslClient::take_server_first(std::string_view challenge) {
  const Result<ScramServerFirst> message = protocol::sasl::parse_server_first(challenge);
  if (!message) return message.error();
  const bool is_ours =
      message->nonce.starts_with(first_.nonce) && message->nonce.size() > first_.nonce.size();
  if (!is_ours)
    return Error{ErrorKind::malformed, "the broker's nonce does not extend ours", 0, {}};
  const bool is_sound = message->iterations >= protocol::sasl::scram_iterations_min &&
                        message->iterations <= iterations_max;
  if (!is_sound)
    return Error{ErrorKind::malformed,
                 "the broker asks for " + std::to_string(message->iterations) +
                     " iterations; possible are " +
                     std::to_string(protocol::sasl::scram_iterations_min) + " to " +
                     std::to_string(iterations_max),
                 0,
                 {}};
  const SharedBytes salted = protocol::sasl::salted_password(
      *scram_, options_.password, message->salt.view(), message->iterations);
  protocol::sasl::ScramClientFinal final_message =
      protocol::sasl::make_client_final(message->nonce);
  const std::string text =
      protocol::sasl::signed_text(first_.bare, challenge, final_message.without_proof);
  final_message.proof = protocol::sasl::client_proof(*scram_, salted.view(), text);
  expected_signature_ = protocol::sasl::server_signature(
      *scram_, protocol::sasl::server_key_of(*scram_, salted.view()).view(), text);
  return std::optional(SharedBytes::copy_of(to_text(final_message)));
}

Result<std::optional<SharedBytes>> SaslClient::take_server_final(std::string_view challenge) const {
  const Result<ScramServerFinal> message = protocol::sasl::parse_server_final(challenge);
  if (!message) return message.error();
  if (!message->error.empty())
    return Error{ErrorKind::malformed, "the broker says " + message->error, 0, {}};
  if (!protocol::sasl::is_equal_in_constant_time(message->signature.view(),
                                                 expected_signature_.view()))
    return Error{ErrorKind::malformed,
                 "the broker does not know the password: this may be somebody else's broker",
                 0,
                 {}};
  return std::optional<SharedBytes>();
}

Task<Duration> authenticate(Connection& connection, SaslOptions options) {
  SaslClient client(options);
  Result<SharedBytes> first = client.start();
  if (!first) co_return refusal(connection, first.error().text);
  std::string mechanism = options.mechanism;
  Result<void> agreed = co_await shake_hands(connection, std::move(mechanism));
  if (!agreed) co_return agreed.error();
  std::optional<SharedBytes> token = first.value();
  std::int64_t lifetime_ms = 0;
  while (token.has_value()) {
    protocol::SaslAuthenticateRequest request;
    request.auth_bytes = *token;
    Result<protocol::SaslAuthenticateResponse> response =
        co_await connection.call(std::move(request));
    if (!response) co_return refusal(connection, response.error().text);
    if (response->error_code != ErrorCode::none)
      co_return refusal(connection, "user '" + options.username +
                                        "' is refused: " + response->error_message.value_or("") +
                                        "; check sasl.username and sasl.password");
    lifetime_ms = response->session_lifetime_ms;
    Result<std::optional<SharedBytes>> next = client.take(response->auth_bytes.view());
    if (!next) co_return refusal(connection, next.error().text);
    token = std::move(next).value();
  }
  co_return milliseconds(lifetime_ms);
}

}  // namespace fencepost::client
