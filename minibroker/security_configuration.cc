#include "minibroker/security_configuration.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace fencepost::minibroker {

namespace {

// The authorizer of KRaft clusters; an empty name is none.
constexpr std::string_view standard_authorizer =
    "org.apache.kafka.metadata.authorizer.StandardAuthorizer";
constexpr std::string_view principal_type = "User:";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The parts between separators that are not empty.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <class Parts>
std::string join(const Parts& parts, char separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

bool set_allow_everyone(ClusterSettings& settings, std::string_view value) {
  if (value != "true" && value != "false") return false;
  settings.authorizer.allows_everyone_if_no_acl_found = value == "true";
  return true;
}
std::string allow_everyone(const ClusterSettings& settings) {
  return settings.authorizer.allows_everyone_if_no_acl_found ? "true" : "false";
}

bool set_authorizer(ClusterSettings& settings, std::string_view value) {
  if (!value.empty() && value != standard_authorizer) return false;
  settings.authorizer.is_enabled = !value.empty();
  return true;
}
std::string authorizer(const ClusterSettings& settings) {
  return settings.authorizer.is_enabled ? std::string(standard_authorizer) : std::string();
}

bool set_max_reauth(ClusterSettings& settings, std::string_view value) {
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  constexpr std::int64_t year_ms = std::int64_t{365} * 24 * 60 * 60 * 1000;
  if (error != std::errc() || rest != end || number < 0 || number > year_ms) return false;
  settings.sasl.connections_max_reauth = milliseconds(number);
  return true;
}
std::string max_reauth(const ClusterSettings& settings) {
  return std::to_string(to_milliseconds(settings.sasl.connections_max_reauth));
}

bool set_mechanisms(ClusterSettings& settings, std::string_view value) {
  const std::vector<std::string> mechanisms = split(value, ',');
  const std::vector<std::string> known = security::SaslSettings().mechanisms;
  const bool are_known = std::ranges::all_of(mechanisms, [&](const std::string& name) {
    return std::ranges::find(known, name) != known.end();
  });
  if (!are_known || mechanisms.empty()) return false;
  settings.sasl.mechanisms = mechanisms;
  return true;
}
std::string mechanisms(const ClusterSettings& settings) {
  return join(settings.sasl.mechanisms, ',');
}

bool set_super_users(ClusterSettings& settings, std::string_view value) {
  const std::vector<std::string> users = split(value, ';');
  const bool are_principals = std::ranges::all_of(users, [](const std::string& user) {
    return user.starts_with(principal_type) && user.size() > principal_type.size();
  });
  if (!are_principals) return false;
  settings.authorizer.super_users = {users.begin(), users.end()};
  return true;
}
std::string super_users(const ClusterSettings& settings) {
  return join(settings.authorizer.super_users, ';');
}

}  // namespace

const ParsedSetting allow_everyone_setting{set_allow_everyone, allow_everyone, "true or false"};
const ParsedSetting authorizer_setting{
    set_authorizer, authorizer,
    "org.apache.kafka.metadata.authorizer.StandardAuthorizer, or empty for none"};
const ParsedSetting max_reauth_setting{set_max_reauth, max_reauth,
                                       "milliseconds from 0 to 31536000000"};
const ParsedSetting mechanisms_setting{set_mechanisms, mechanisms,
                                       "a list of PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512"};
const ParsedSetting super_users_setting{set_super_users, super_users,
                                        "principals as User:alice, with ';' between them"};

}  // namespace fencepost::minibroker
