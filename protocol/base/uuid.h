// A 16-byte identifier, big-endian, printed as Kafka prints it: URL-safe base64 in 22 letters.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fencepost {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  bool is_zero() const { return *this == Uuid{}; }
  auto operator<=>(const Uuid&) const = default;
};

std::string to_string(const Uuid& uuid);
// The identifier of those 22 letters; nothing if they are not one.
std::optional<Uuid> parse_uuid(std::string_view text);

}  // namespace fencepost
