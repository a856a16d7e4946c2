#include "tests/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

#include "protocol/base/check.h"

namespace fencepost::tests {

namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;

std::string text_of(BIO* bio) {
  std::string out(BIO_ctrl_pending(bio), '\0');
  CHECK(BIO_read(bio, out.data(), static_cast<int>(out.size())) == static_cast<int>(out.size()));
  return out;
}

Bio bio_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free};
}

void extend(X509* certificate, int kind, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
  CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate make(const Certificate* authority, const std::string& name, const std::string& hosts) {
  const Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const X509Pointer certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), authority == nullptr ? 1 : 2);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  if (authority == nullptr) {
    extend(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_set_issuer_name(certificate.get(), subject);
    X509_sign(certificate.get(), key.get(), EVP_sha256());
  } else {
    if (!hosts.empty()) extend(certificate.get(), NID_subject_alt_name, hosts);
    const X509Pointer issuer(
        PEM_read_bio_X509(bio_of(authority->certificate).get(), nullptr, nullptr, nullptr),
        &X509_free);
    const Key issuer_key(
        PEM_read_bio_PrivateKey(bio_of(authority->private_key).get(), nullptr, nullptr, nullptr),
        &EVP_PKEY_free);
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
    X509_sign(certificate.get(), issuer_key.get(), EVP_sha256());
  }
  const Bio out(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_X509(out.get(), certificate.get());
  Certificate made{text_of(out.get()), {}};
  PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  made.private_key = text_of(out.get());
  return made;
}

}  // namespace

Certificate make_authority(const std::string& name) {
  return make(nullptr, name, {});
}

Certificate make_certificate(const Certificate& authority, const std::string& name,
                             const std::string& hosts) {
  return make(&authority, name, hosts);
}

}  // namespace fencepost::tests
