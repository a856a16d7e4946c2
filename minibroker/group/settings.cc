#include "minibroker/group/settings.h"

#include <algorithm>
#include <utility>

namespace fencepost::minibroker {

std::optional<MigrationPolicy> migration_policy(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  constexpr std::pair<std::string_view, MigrationPolicy> policies[] = {
      {"disabled", MigrationPolicy::disabled},
      {"upgrade", MigrationPolicy::upgrade},
      {"downgrade", MigrationPolicy::downgrade},
      {"bidirectional", MigrationPolicy::bidirectional},
  };
  for (const auto& [known, policy] : policies)
    if (known == lower) return policy;
  return std::nullopt;
}

std::vector<std::string> split_at_commas(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

}  // namespace fencepost::minibroker
