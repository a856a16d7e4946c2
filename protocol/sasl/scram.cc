// Hashes come from OpenSSL; what is here is how SCRAM puts them together.
#include "protocol/sasl/scram.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace fencepost::protocol::sasl {

namespace {

const EVP_MD* digest_of(ScramMechanism mechanism) {
  switch (mechanism) {
    case ScramMechanism::sha_256:
      return EVP_sha256();
    case ScramMechanism::sha_512:
      return EVP_sha512();
  }
  return nullptr;
}

std::size_t digest_bytes(ScramMechanism mechanism) {
  return static_cast<std::size_t>(EVP_MD_get_size(digest_of(mechanism)));
}

SharedBytes hash(ScramMechanism mechanism, ByteView bytes) {
  ByteVector out(digest_bytes(mechanism));
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), out.data(), &size, digest_of(mechanism), nullptr) ==
        1);
  return SharedBytes(std::move(out));
}

SharedBytes sign(ScramMechanism mechanism, ByteView key, std::string_view text) {
  ByteVector out(digest_bytes(mechanism));
  unsigned int size = 0;
  CHECK(HMAC(digest_of(mechanism), key.data(), static_cast<int>(key.size()), as_bytes(text).data(),
             text.size(), out.data(), &size) != nullptr);
  return SharedBytes(std::move(out));
}

SharedBytes exclusive_or(ByteView one, ByteView other) {
  CHECK(one.size() == other.size());
  ByteVector out(one.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(one[i] ^ other[i]);
  return SharedBytes(std::move(out));
}

}  // namespace

std::string_view to_string(ScramMechanism mechanism) {
  switch (mechanism) {
    case ScramMechanism::sha_256:
      return "SCRAM-SHA-256";
    case ScramMechanism::sha_512:
      return "SCRAM-SHA-512";
  }
  return "";
}

std::optional<ScramMechanism> find_scram_mechanism(std::string_view name) {
  for (const ScramMechanism mechanism : {ScramMechanism::sha_256, ScramMechanism::sha_512})
    if (to_string(mechanism) == name) return mechanism;
  return std::nullopt;
}

std::optional<ScramMechanism> find_scram_mechanism(std::int8_t number) {
  const auto mechanism = static_cast<ScramMechanism>(number);
  if (to_string(mechanism).empty()) return std::nullopt;
  return mechanism;
}

SharedBytes salted_password(ScramMechanism mechanism, std::string_view password, ByteView salt,
                            int iterations) {
  CHECK(iterations > 0);
  ByteVector out(digest_bytes(mechanism));
  CHECK(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), salt.data(),
                          static_cast<int>(salt.size()), iterations, digest_of(mechanism),
                          static_cast<int>(out.size()), out.data()) == 1);
  return SharedBytes(std::move(out));
}

ScramCredential credential_of(ScramMechanism mechanism, ByteView salted_password, SharedBytes salt,
                              int iterations) {
  const SharedBytes client_key = sign(mechanism, salted_password, "Client Key");
  return {std::move(salt), hash(mechanism, client_key.view()),
          server_key_of(mechanism, salted_password), iterations};
}

std::string signed_text(std::string_view client_first_bare, std::string_view server_first,
                        std::string_view client_final_without_proof) {
  std::string out(client_first_bare);
  out.append(",").append(server_first).append(",").append(client_final_without_proof);
  return out;
}

SharedBytes client_proof(ScramMechanism mechanism, ByteView salted_password,
                         std::string_view signed_text) {
  const SharedBytes client_key = sign(mechanism, salted_password, "Client Key");
  const SharedBytes stored_key = hash(mechanism, client_key.view());
  return exclusive_or(client_key.view(), sign(mechanism, stored_key.view(), signed_text).view());
}

bool is_proof_valid(ScramMechanism mechanism, const ScramCredential& credential, ByteView proof,
                    std::string_view signed_text) {
  const SharedBytes signature = sign(mechanism, credential.stored_key.view(), signed_text);
  if (proof.size() != signature.size()) return false;
  const SharedBytes client_key = exclusive_or(signature.view(), proof);
  return is_equal_in_constant_time(hash(mechanism, client_key.view()).view(),
                                   credential.stored_key.view());
}

SharedBytes server_signature(ScramMechanism mechanism, ByteView server_key,
                             std::string_view signed_text) {
  return sign(mechanism, server_key, signed_text);
}

SharedBytes server_key_of(ScramMechanism mechanism, ByteView salted_password) {
  return sign(mechanism, salted_password, "Server Key");
}

bool is_equal_in_constant_time(ByteView one, ByteView other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace fencepost::protocol::sasl
