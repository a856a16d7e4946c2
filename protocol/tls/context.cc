// Certificates, keys and authorities out of PEM text.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "protocol/tls/session.h"

namespace fencepost::protocol::tls {

namespace {

using BioPointer = std::unique_ptr<BIO, decltype(&BIO_free)>;
using CertificatePointer = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Error unusable(const std::string& what) {
  ERR_clear_error();
  return {ErrorKind::invalid_argument, what, 0, {}};
}

BioPointer open(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

CertificatePointer next_certificate(BIO* bio) {
  return {PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), &X509_free};
}

// Never asks on the terminal.
int give_password(char* buffer, int size, int, void* password) {
  const std::string& text = *static_cast<const std::string*>(password);
  if (static_cast<int>(text.size()) > size) return -1;
  text.copy(buffer, text.size());
  return static_cast<int>(text.size());
}

Result<void> use_certificate(SSL_CTX* context, const ContextSettings& settings) {
  const BioPointer chain = open(settings.certificate_chain);
  CertificatePointer certificate = next_certificate(chain.get());
  if (certificate == nullptr || SSL_CTX_use_certificate(context, certificate.get()) != 1)
    return unusable("the certificate is not one in PEM form");
  while (CertificatePointer next = next_certificate(chain.get()))
    SSL_CTX_add1_chain_cert(context, next.get());
  const BioPointer text = open(settings.private_key);
  std::string password = settings.key_password;
  const KeyPointer key(PEM_read_bio_PrivateKey(text.get(), nullptr, &give_password, &password),
                       &EVP_PKEY_free);
  if (key == nullptr)
    return unusable("the private key is not one in PEM form, or its password is another");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return unusable("the private key does not belong to the certificate");
  return {};
}

Result<void> trust(SSL_CTX* context, const std::string& authorities) {
  const BioPointer text = open(authorities);
  int count = 0;
  while (CertificatePointer authority = next_certificate(text.get())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get());
    SSL_CTX_add_client_CA(context, authority.get());
    ++count;
  }
  if (count == 0) return unusable("there is no certificate in PEM form among the trusted ones");
  return {};
}

int verify_mode(Context::Side side, ClientAuth client_auth) {
  if (side == Context::Side::client) return SSL_VERIFY_PEER;
  switch (client_auth) {
    case ClientAuth::none:
      return SSL_VERIFY_NONE;
    case ClientAuth::requested:
      return SSL_VERIFY_PEER;
    case ClientAuth::required:
      return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  return SSL_VERIFY_PEER;
}

}  // namespace

Result<Context> Context::make(Side side, const ContextSettings& settings) {
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_method()), &SSL_CTX_free);
  CHECK(context != nullptr);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Who asks for a new handshake again and again costs the other side more than himself.
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(context.get(), verify_mode(side, settings.client_auth), nullptr);
  const std::string session_id = "fencepost";
  SSL_CTX_set_session_id_context(context.get(), as_bytes(session_id).data(),
                                 static_cast<unsigned int>(session_id.size()));
  if (!settings.certificate_chain.empty()) {
    if (Result<void> used = use_certificate(context.get(), settings); !used.ok())
      return used.error();
  } else if (side == Side::server) {
    return unusable("a server needs a certificate");
  }
  if (!settings.authorities.empty()) {
    if (Result<void> trusted = trust(context.get(), settings.authorities); !trusted.ok())
      return trusted.error();
  } else if (side == Side::client) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else if (settings.client_auth != ClientAuth::none) {
    return unusable("to ask clients for certificates, a server needs to know whom to trust");
  }
  ERR_clear_error();
  return Context(context, side);
}

}  // namespace fencepost::protocol::tls
