#include "protocol/base/uuid.h"

#include <algorithm>

#include "protocol/base/bytes.h"

namespace fencepost {

std::string to_string(const Uuid& uuid) {
  std::string text = to_base64(uuid.bytes);
  text.resize(22);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != 22) return std::nullopt;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  Uuid uuid;
  std::uint32_t bits = 0;
  int bit_count = 0;
  std::size_t filled = 0;
  for (char letter : text) {
    const std::size_t digit = digits.find(letter);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      uuid.bytes[filled++] = static_cast<std::uint8_t>(bits >> bit_count);
      bits &= (1U << bit_count) - 1;
    }
  }
  if (bits != 0) return std::nullopt;
  return uuid;
}

}  // namespace fencepost
