// Certificates for tests, made anew by OpenSSL: an authority, and what it vouches for.
#pragma once

#include <string>

namespace fencepost::tests {

struct Certificate {
  std::string certificate;  // PEM
  std::string private_key;  // PEM
};

// `name` as "CN"; `hosts` as "DNS:localhost,IP:127.0.0.1", or empty.
Certificate make_authority(const std::string& name);
Certificate make_certificate(const Certificate& authority, const std::string& name,
                             const std::string& hosts);

}  // namespace fencepost::tests
