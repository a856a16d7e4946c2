// The users that may authenticate: passwords for PLAIN, credentials for SCRAM. Nothing here prints
// a secret.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/digest.h"
#include "protocol/base/random.h"
#include "protocol/base/result.h"
#include "protocol/base/time.h"
#include "protocol/sasl/scram.h"

namespace fencepost::minibroker::security {

struct SaslSettings {
  // Kafka's names, in the order in which clients are told of them.
  std::vector<std::string> mechanisms = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};
  // Password by user; each user has it for every mechanism.
  std::map<std::string, std::string> users = {};
  // How long an authentication lasts; 0: as long as the connection.
  Duration connections_max_reauth{};
  // Mixed into nonces and salts, so that those of a served cluster cannot be foretold.
  std::uint64_t entropy = 0;
};

// `count` random bytes, drawn from that stream.
SharedBytes random_bytes(Random& random, std::size_t count);

class Credentials {
 public:
  using Mechanism = protocol::sasl::ScramMechanism;

  Credentials() = default;
  // Salts are drawn from the stream.
  Credentials(const SaslSettings& settings, Random random);

  bool is_password(const std::string& user, std::string_view password) const;
  const protocol::sasl::ScramCredential* find(const std::string& user, Mechanism mechanism) const;
  void set(const std::string& user, Mechanism mechanism,
           protocol::sasl::ScramCredential credential);
  void remove(const std::string& user, Mechanism mechanism);
  // The settings name the user: his credentials are made of them, and not kept on a disk.
  bool is_given(const std::string& user) const { return passwords_.contains(user); }
  const std::map<std::pair<std::string, Mechanism>, protocol::sasl::ScramCredential>& scram()
      const {
    return scram_;
  }
  // Users that have SCRAM credentials, by name.
  std::vector<std::string> scram_users() const;
  void add_to(Digest& digest) const;

 private:
  std::map<std::string, std::string> passwords_;
  std::map<std::pair<std::string, Mechanism>, protocol::sasl::ScramCredential> scram_;
};

// One user of a users file or an option: "name:password", the password up to the end.
// Error invalid_argument; its text holds nothing of what was given.
Result<std::pair<std::string, std::string>> parse_user(std::string_view text);
// Adds the users of a whole file; empty lines and lines that begin with '#' are skipped. The error
// names the line.
Result<void> add_users(std::map<std::string, std::string>& users, std::string_view text);

}  // namespace fencepost::minibroker::security
