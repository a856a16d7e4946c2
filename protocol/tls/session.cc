// OpenSSL works on two memory buffers: what came from the network, and what has to go there.
#include "protocol/tls/session.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace fencepost::protocol::tls {

struct Session::Parts {
  std::shared_ptr<void> context;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl;
  BIO* in;   // owned by ssl
  BIO* out;  // owned by ssl
};

namespace {

bool is_address(const std::string& host) {
  const std::unique_ptr<ASN1_OCTET_STRING, decltype(&ASN1_OCTET_STRING_free)> address(
      a2i_IPADDRESS(host.c_str()), &ASN1_OCTET_STRING_free);
  return address != nullptr;
}

void expect_host(SSL* ssl, const std::string& host, bool verifies_host) {
  const bool is_literal = is_address(host);
  if (!host.empty() && !is_literal) SSL_set_tlsext_host_name(ssl, host.c_str());
  if (host.empty() || !verifies_host) return;
  X509_VERIFY_PARAM* parameters = SSL_get0_param(ssl);
  if (is_literal)
    X509_VERIFY_PARAM_set1_ip_asc(parameters, host.c_str());
  else
    X509_VERIFY_PARAM_set1_host(parameters, host.data(), host.size());
}

// What to look at, by why OpenSSL refused a certificate.
std::string certificate_problem(long result) {
  switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "its certificate is for another host name; check the address, or "
             "ssl.endpoint.identification.algorithm";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "its certificate is not vouched for by a trusted authority; check ssl.ca.location";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "its certificate has expired";
    default:
      return std::string("its certificate is refused: ") + X509_verify_cert_error_string(result);
  }
}

bool is_certificate_alert(int reason) {
  return reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
         reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
         reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN ||
         reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA || reason == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE;
}

}  // namespace

Session::Session(const Context& context, const std::string& host, bool verifies_host) {
  auto* shared = static_cast<SSL_CTX*>(context.context_.get());
  parts_ = std::make_unique<Parts>(Parts{
      context.context_, {SSL_new(shared), &SSL_free}, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem())});
  CHECK(parts_->ssl != nullptr && parts_->in != nullptr && parts_->out != nullptr);
  SSL_set_bio(parts_->ssl.get(), parts_->in, parts_->out);
  if (context.side_ == Context::Side::server) {
    SSL_set_accept_state(parts_->ssl.get());
    return;
  }
  expect_host(parts_->ssl.get(), host, verifies_host);
  SSL_set_connect_state(parts_->ssl.get());
  static_cast<void>(shake_hands().ok());  // writes the first flight; nothing has come to fail on
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Error Session::failure() const {
  const unsigned long code = ERR_peek_error();
  const int reason = ERR_GET_REASON(code);
  const long verified = SSL_get_verify_result(parts_->ssl.get());
  std::string text;
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK)
    text = certificate_problem(verified);
  else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)
    text = "it does not speak TLS; check security.protocol and the port";
  else if (is_certificate_alert(reason))
    text =
        "it does not accept our certificate; check ssl.certificate.location and ssl.key.location";
  else if (code != 0)
    text = std::string("TLS: ") + ERR_reason_error_string(code);
  else
    text = "TLS failed";
  ERR_clear_error();
  return {ErrorKind::malformed, std::move(text), 0, {}};
}

Result<void> Session::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(parts_->ssl.get());
  if (result == 1) return {};
  const int error = SSL_get_error(parts_->ssl.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return {};
  return failure();
}

Result<void> Session::receive(ByteView bytes) {
  CHECK(BIO_write(parts_->in, bytes.data(), static_cast<int>(bytes.size())) ==
        static_cast<int>(bytes.size()));
  return is_established() ? Result<void>() : shake_hands();
}

Result<std::size_t> Session::read(std::span<std::uint8_t> space) {
  if (!is_established()) return std::size_t{0};
  ERR_clear_error();
  std::size_t count = 0;
  if (SSL_read_ex(parts_->ssl.get(), space.data(), space.size(), &count) == 1) return count;
  switch (SSL_get_error(parts_->ssl.get(), 0)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return std::size_t{0};
    case SSL_ERROR_ZERO_RETURN:
      is_closed_ = true;
      return std::size_t{0};
    default:
      return failure();
  }
}

Result<void> Session::write(ByteView bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    std::size_t count = 0;
    if (SSL_write_ex(parts_->ssl.get(), bytes.data(), bytes.size(), &count) != 1) return failure();
    bytes = bytes.subspan(count);
  }
  return {};
}

ByteVector Session::take_output() {
  ByteVector out(BIO_ctrl_pending(parts_->out));
  if (!out.empty()) BIO_read(parts_->out, out.data(), static_cast<int>(out.size()));
  return out;
}

bool Session::is_established() const {
  return SSL_is_init_finished(parts_->ssl.get()) == 1;
}

std::string Session::peer_name() const {
  const X509* certificate = SSL_get0_peer_certificate(parts_->ssl.get());
  if (certificate == nullptr) return {};
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new(BIO_s_mem()), &BIO_free);
  // Letters beyond ASCII as they are, as Java prints them.
  constexpr unsigned long flags =
      XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
  X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, flags);
  std::string out(BIO_ctrl_pending(text.get()), '\0');
  if (!out.empty()) BIO_read(text.get(), out.data(), static_cast<int>(out.size()));
  return out;
}

}  // namespace fencepost::protocol::tls
