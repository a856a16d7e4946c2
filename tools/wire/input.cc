#include "tools/wire/input.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/base/base64.h"

namespace fencepost::tools::wire {

namespace {

bool is_space(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

bool is_separator(char letter) {
  return is_space(letter) || letter == ':' || letter == ',';
}

int hex_digit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

// Whether 0x stands here, in front of a digit or of nothing.
bool is_prefix(std::string_view text, std::size_t at) {
  if (text.size() - at < 2 || text[at] != '0' || (text[at + 1] != 'x' && text[at + 1] != 'X'))
    return false;
  return at == 0 || is_separator(text[at - 1]);
}

Error wrong(std::string text, std::size_t offset) {
  return Error{ErrorKind::invalid_argument, std::move(text), offset, {}};
}

std::string shown(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte > 0x20 && byte < 0x7f ? fmt::format("'{}'", letter)
                                    : fmt::format("byte {:02x}", byte);
}

Result<SharedBytes> parse_hex(std::string_view text) {
  ByteVector bytes;
  bytes.reserve(text.size() / 2);
  int high = -1;
  std::size_t high_at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_prefix(text, i)) {
      ++i;
      continue;
    }
    if (is_separator(text[i])) continue;
    const int digit = hex_digit(text[i]);
    if (digit < 0)
      return wrong(
          fmt::format("bad hex: {} at character {} is not a hex digit", shown(text[i]), i + 1), i);
    if (high < 0) {
      high = digit;
      high_at = i;
    } else {
      bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit));
      high = -1;
    }
  }
  if (high >= 0)
    return wrong(fmt::format("bad hex: the digit at character {} has no second one", high_at + 1),
                 high_at);
  return SharedBytes(std::move(bytes));
}

Result<SharedBytes> parse_base64_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (is_space(letter)) continue;
    const bool is_digit = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= '0' && letter <= '9') || letter == '+' || letter == '/';
    if (!is_digit && letter != '=')
      return wrong(fmt::format("bad base64: {} at character {}", shown(letter), i + 1), i);
    plain += letter;
  }
  std::optional<ByteVector> bytes = parse_base64(plain);
  if (bytes) return SharedBytes(std::move(*bytes));
  return wrong("bad base64: the padding is missing or misplaced", text.size());
}

bool is_text(char letter) {
  return is_space(letter) || (letter > 0x20 && letter < 0x7f);
}

Encoding guess(std::string_view text) {
  if (!std::ranges::all_of(text, is_text)) return Encoding::raw;
  bool has_sign = false;
  bool has_upper = false;
  bool has_lower = false;
  bool is_hex = true;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (is_space(letter)) continue;
    ++letters;
    is_hex = is_hex && (hex_digit(letter) >= 0 || is_separator(letter));
    has_sign = has_sign || letter == '=' || letter == '+' || letter == '/';
    has_upper = has_upper || (letter >= 'A' && letter <= 'Z');
    has_lower = has_lower || (letter >= 'a' && letter <= 'z');
  }
  const bool is_base64 = !is_hex && letters % 4 == 0 && !text.starts_with("0x") &&
                         (has_sign || (has_upper && has_lower));
  return is_base64 ? Encoding::base64 : Encoding::hex;
}

}  // namespace

Result<SharedBytes> parse_bytes(std::string_view text, Encoding encoding) {
  switch (encoding) {
    case Encoding::automatic:
      return parse_bytes(text, guess(text));
    case Encoding::hex:
      return parse_hex(text);
    case Encoding::base64:
      return parse_base64_text(text);
    case Encoding::raw:
      return SharedBytes::copy_of(text);
  }
  return SharedBytes();
}

}  // namespace fencepost::tools::wire
