#include "tools/wire/json_layout.h"

namespace fencepost::tools::wire {

namespace {

constexpr std::size_t short_letters = 72;

// The end of the string that begins at `at`.
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at + 1;
}

// The length of the object or array at `at` if it is to stay on one line, otherwise 0.
std::size_t short_length(std::string_view json, std::size_t at) {
  for (std::size_t i = at + 1; i < json.size() && i - at < short_letters;) {
    if (json[i] == '{' || json[i] == '[') return 0;
    if (json[i] == '}' || json[i] == ']') return i + 1 - at;
    i = json[i] == '"' ? string_end(json, i) : i + 1;
  }
  return 0;
}

// The text with a space behind each comma and colon outside strings.
void append_spaced(std::string& out, std::string_view json) {
  for (std::size_t i = 0; i < json.size();) {
    const std::size_t end = json[i] == '"' ? string_end(json, i) : i + 1;
    out += json.substr(i, end - i);
    if (json[i] == ',' || json[i] == ':') out += ' ';
    i = end;
  }
}

}  // namespace

std::string indented_json(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out += '\n' + std::string(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size();) {
    const char letter = json[i];
    std::size_t length = 1;
    if (letter == '"') {
      length = string_end(json, i) - i;
      out += json.substr(i, length);
    } else if (letter == '{' || letter == '[') {
      const std::size_t whole = short_length(json, i);
      if (whole > 0) {
        append_spaced(out, json.substr(i, whole));
        length = whole;
      } else {
        out += letter;
        ++depth;
        new_line();
      }
    } else if (letter == '}' || letter == ']') {
      --depth;
      new_line();
      out += letter;
    } else {
      out += letter;
      if (letter == ':') out += ' ';
      if (letter == ',') new_line();
    }
    i += length;
  }
  return out;
}

}  // namespace fencepost::tools::wire
