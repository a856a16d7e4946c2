// SCRAM (RFC 5802, RFC 7677): keys, proofs and the four messages, as both sides compute them.
// Bytes in, bytes out; nonces and salts are made by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::protocol::sasl {

// The numbers are those of DescribeUserScramCredentials.
enum class ScramMechanism : std::int8_t { sha_256 = 1, sha_512 = 2 };

// "SCRAM-SHA-256"
std::string_view to_string(ScramMechanism mechanism);
std::optional<ScramMechanism> find_scram_mechanism(std::string_view name);
std::optional<ScramMechanism> find_scram_mechanism(std::int8_t number);

// Kafka's limits of the iterations of a credential; its clients refuse fewer.
constexpr int scram_iterations_min = 4096;
constexpr int scram_iterations_max = 16384;

// What a server keeps of a password.
struct ScramCredential {
  SharedBytes salt;
  SharedBytes stored_key;
  SharedBytes server_key;
  std::int32_t iterations = scram_iterations_min;

  bool operator==(const ScramCredential&) const = default;
};

SharedBytes salted_password(ScramMechanism mechanism, std::string_view password, ByteView salt,
                            int iterations);
ScramCredential credential_of(ScramMechanism mechanism, ByteView salted_password, SharedBytes salt,
                              int iterations);

// ---- the messages, in the order they travel

struct ScramClientFirst {
  std::string authorization_id;  // empty: the user himself
  std::string username;
  std::string nonce;
  std::string bare;  // the message without its header: what is signed
};
struct ScramServerFirst {
  std::string nonce;
  SharedBytes salt;
  int iterations = 0;
};
struct ScramClientFinal {
  std::string nonce;
  SharedBytes proof;
  std::string without_proof;
};
struct ScramServerFinal {
  std::string error;  // empty: the signature counts
  SharedBytes signature;
};

std::string to_text(const ScramServerFirst& message);
std::string to_text(const ScramServerFinal& message);
// Without authorization id; `username` is escaped as RFC 5802 wants it.
ScramClientFirst make_client_first(std::string_view username, std::string nonce);
std::string to_text(const ScramClientFirst& message);
ScramClientFinal make_client_final(std::string nonce);
std::string to_text(const ScramClientFinal& message);

// Error malformed names the message; the text never holds what was sent.
Result<ScramClientFirst> parse_client_first(std::string_view text);
Result<ScramServerFirst> parse_server_first(std::string_view text);
Result<ScramClientFinal> parse_client_final(std::string_view text);
Result<ScramServerFinal> parse_server_final(std::string_view text);

// ---- proofs

// What both sides sign: client-first-bare, server-first, client-final-without-proof.
std::string signed_text(std::string_view client_first_bare, std::string_view server_first,
                        std::string_view client_final_without_proof);
SharedBytes client_proof(ScramMechanism mechanism, ByteView salted_password,
                         std::string_view signed_text);
// Whether the proof was made by one who knows the password.
bool is_proof_valid(ScramMechanism mechanism, const ScramCredential& credential, ByteView proof,
                    std::string_view signed_text);
SharedBytes server_signature(ScramMechanism mechanism, ByteView server_key,
                             std::string_view signed_text);
SharedBytes server_key_of(ScramMechanism mechanism, ByteView salted_password);
// Takes as long for any two byte strings of one length, wherever they differ.
bool is_equal_in_constant_time(ByteView one, ByteView other);

}  // namespace fencepost::protocol::sasl
