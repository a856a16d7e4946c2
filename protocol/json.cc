#include "protocol/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/base/base64.h"

namespace fencepost::protocol {

namespace {

using Json = nlohmann::json;
const Json& json_of(const void* node) {
  return *static_cast<const Json*>(node);
}

// The character of UTF-8 that the text begins with, or what begins as one and is none.
struct Character {
  std::size_t size = 1;
  bool is_valid = false;
};

// Bytes that follow the first one of a character, by that one; 0 when none begins with it.
std::size_t continuation_bytes(std::uint8_t first) {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : 0;
}

// Whether it may be the second byte: no longer form than needed, no surrogate, nothing too high.
bool may_follow(std::uint8_t first, std::uint8_t second) {
  if (first == 0xe0) return second >= 0xa0 && second <= 0xbf;
  if (first == 0xed) return second >= 0x80 && second <= 0x9f;
  if (first == 0xf0) return second >= 0x90 && second <= 0xbf;
  if (first == 0xf4) return second >= 0x80 && second <= 0x8f;
  return second >= 0x80 && second <= 0xbf;
}

Character character_at(ByteView text) {
  if (text[0] < 0x80) return {1, true};
  const std::size_t size = 1 + continuation_bytes(text[0]);
  if (size == 1) return {};
  for (std::size_t i = 1; i < size; ++i) {
    const bool is_next = i < text.size() && (i == 1 ? may_follow(text[0], text[1])
                                                    : text[i] >= 0x80 && text[i] <= 0xbf);
    if (!is_next) return {i, false};
  }
  return {size, true};
}

}  // namespace

bool JsonValue::is_null() const {
  return json_of(node_).is_null();
}
bool JsonValue::is_object() const {
  return json_of(node_).is_object();
}
bool JsonValue::is_array() const {
  return json_of(node_).is_array();
}

std::optional<bool> JsonValue::boolean() const {
  if (!json_of(node_).is_boolean()) return std::nullopt;
  return json_of(node_).get<bool>();
}

std::optional<std::int64_t> JsonValue::integer(std::int64_t min, std::int64_t max) const {
  const Json& json = json_of(node_);
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::max<std::int64_t>(max, 0)))
    return std::nullopt;
  const auto value = json.get<std::int64_t>();
  if (value < min || value > max) return std::nullopt;
  return value;
}

std::optional<double> JsonValue::number() const {
  if (!json_of(node_).is_number()) return std::nullopt;
  return json_of(node_).get<double>();
}

std::optional<std::string> JsonValue::text() const {
  if (!json_of(node_).is_string()) return std::nullopt;
  return json_of(node_).get<std::string>();
}

std::optional<ByteVector> JsonValue::base64() const {
  const std::optional<std::string> in = text();
  return in ? parse_base64(*in) : std::nullopt;
}

std::size_t JsonValue::size() const {
  return json_of(node_).size();
}
JsonValue JsonValue::element(std::size_t index) const {
  return JsonValue(&json_of(node_).at(index));
}

std::optional<JsonValue> JsonValue::member(std::string_view name) const {
  const Json& json = json_of(node_);
  const auto found = json.find(std::string(name));
  if (found == json.end()) return std::nullopt;
  return JsonValue(&*found);
}

std::optional<std::string> JsonValue::member_not_in(const std::string_view* names,
                                                    std::size_t count) const {
  for (const auto& [name, value] : json_of(node_).items())
    if (std::find(names, names + count, std::string_view(name)) == names + count) return name;
  return std::nullopt;
}

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  try {
    return JsonDocument(std::make_shared<const Json>(Json::parse(text)));
  } catch (const Json::parse_error& failure) {
    return Error{
        ErrorKind::malformed, "not JSON: " + std::string(failure.what()), failure.byte, {}};
  } catch (const Json::exception& failure) {  // a number beyond any double
    return Error{ErrorKind::malformed, "not JSON: " + std::string(failure.what()), 0, {}};
  }
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char letter = text[i];
    const Character character = character_at(as_bytes(text.substr(i)));
    if (!character.is_valid) {
      out += replacement;
    } else if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (static_cast<unsigned char>(letter) < 0x20) {
      out += "\\u00";
      out += digits[static_cast<unsigned char>(letter) >> 4];
      out += digits[static_cast<unsigned char>(letter) & 15];
    } else {
      out += text.substr(i, character.size);
    }
    i += character.size;
  }
  out += '"';
}

}  // namespace fencepost::protocol
