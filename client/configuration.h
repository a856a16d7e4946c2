// The settings of a client by Kafka's and librdkafka's names: from "key=value", or from a property
// file as Kafka's own tools read it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/address.h"
#include "client/connection.h"
#include "client/tcp_transport.h"

namespace fencepost::client {

struct TransactionalProducerOptions;

class Configuration {
 public:
  // Errors: invalid_argument for an unknown key, with the nearest known one, or a value that cannot
  // be. The text never holds the value of a secret. Nothing is set then.
  Result<void> set(std::string_view name, std::string_view value);
  // "name=value"
  Result<void> set(std::string_view assignment);
  // A whole property file: '#' and '!' begin comments, '\' at the end continues a line. Keys that
  // are Kafka's but mean nothing here (serializers, ...) are passed over. The error names the line.
  Result<void> read_properties(std::string_view text);
  // The same from a file. Error io when it cannot be read.
  Result<void> read_file(const std::string& path);

  // Empty: nobody has said.
  const std::vector<Address>& bootstrap() const { return bootstrap_; }
  // With client id, timeout and SASL user. Error invalid_argument when the settings do not fit each
  // other (SASL without a user).
  Result<ConnectionOptions> connection() const;
  // Codec, batch size, memory and timeouts of a producer, where they are set. Error
  // invalid_argument when they do not fit each other.
  Result<TransactionalProducerOptions> producer() const;
  // Nothing without TLS. Reads the certificate files. Errors: invalid_argument, io; they name the
  // key.
  Result<std::optional<TlsOptions>> tls() const;

 private:
  bool uses_tls() const;
  bool uses_sasl() const;
  std::string text_of(std::string_view name) const;
  // The text of the first of the keys that is set: PEM itself, or the name of a file with it.
  Result<std::string> pem_of(std::initializer_list<std::string_view> inline_names,
                             std::initializer_list<std::string_view> file_names) const;

  std::vector<Address> bootstrap_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace fencepost::client
