#include "minibroker/security/credentials.h"

#include <algorithm>

namespace fencepost::minibroker::security {

using protocol::sasl::ScramCredential;
using protocol::sasl::ScramMechanism;

namespace {

constexpr std::size_t salt_bytes = 16;

}  // namespace

SharedBytes random_bytes(Random& random, std::size_t count) {
  ByteVector out(count);
  for (std::uint8_t& byte : out) byte = static_cast<std::uint8_t>(random.next() >> 56);
  return SharedBytes(std::move(out));
}

Credentials::Credentials(const SaslSettings& settings, Random random) : passwords_(settings.users) {
  for (const std::string& name : settings.mechanisms) {
    const std::optional<ScramMechanism> mechanism = protocol::sasl::find_scram_mechanism(name);
    if (!mechanism) continue;
    for (const auto& [user, password] : settings.users) {
      const SharedBytes salt = random_bytes(random, salt_bytes);
      const int iterations = protocol::sasl::scram_iterations_min;
      const SharedBytes salted =
          protocol::sasl::salted_password(*mechanism, password, salt.view(), iterations);
      set(user, *mechanism,
          protocol::sasl::credential_of(*mechanism, salted.view(), salt, iterations));
    }
  }
}

bool Credentials::is_password(const std::string& user, std::string_view password) const {
  const auto found = passwords_.find(user);
  if (found == passwords_.end()) return false;
  return protocol::sasl::is_equal_in_constant_time(as_bytes(found->second), as_bytes(password));
}

const ScramCredential* Credentials::find(const std::string& user, ScramMechanism mechanism) const {
  const auto found = scram_.find({user, mechanism});
  return found == scram_.end() ? nullptr : &found->second;
}

void Credentials::set(const std::string& user, ScramMechanism mechanism,
                      ScramCredential credential) {
  scram_[{user, mechanism}] = std::move(credential);
}

void Credentials::remove(const std::string& user, ScramMechanism mechanism) {
  scram_.erase({user, mechanism});
}

std::vector<std::string> Credentials::scram_users() const {
  std::vector<std::string> users;
  for (const auto& [key, credential] : scram_)
    if (users.empty() || users.back() != key.first) users.push_back(key.first);
  return users;
}

void Credentials::add_to(Digest& digest) const {
  for (const auto& [key, credential] : scram_) {
    digest.add(key.first);
    digest.add(static_cast<std::int64_t>(key.second));
    digest.add(credential.stored_key.view());
  }
}

Result<std::pair<std::string, std::string>> parse_user(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
    return Error{ErrorKind::invalid_argument, "a user is written name:password", 0, {}};
  return std::pair(std::string(text.substr(0, colon)), std::string(text.substr(colon + 1)));
}

Result<void> add_users(std::map<std::string, std::string>& users, std::string_view text) {
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    Result<std::pair<std::string, std::string>> user = parse_user(line);
    if (!user)
      return Error{ErrorKind::invalid_argument,
                   "line " + std::to_string(line_number) + ": " + user.error().text,
                   0,
                   {}};
    users.insert_or_assign(user->first, user->second);
  }
  return {};
}

}  // namespace fencepost::minibroker::security
