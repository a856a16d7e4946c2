// One pass over the characters each; raw string literals included.
#include "tests/source_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace fencepost::tests {

namespace {

bool is_identifier(char it) {
  return std::isalnum(static_cast<unsigned char>(it)) || it == '_';
}

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// Where the literal that opens at `begin` ends: behind its closing quote.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != quote) at += text[at] == '\\' ? 2U : 1U;
  return at + 1;
}

// The same for R"x(...)x" with `begin` at its quote.
std::size_t end_of_raw_literal(std::string_view text, std::size_t begin) {
  const std::size_t paren = text.find('(', begin);
  const std::string close = ")" + std::string(text.substr(begin + 1, paren - begin - 1)) + "\"";
  const std::size_t at = text.find(close, paren);
  return at == std::string_view::npos ? text.size() : at + close.size();
}

// 0x1'000: a mark between digits, not the beginning of a character.
bool is_digit_separator(std::string_view text, std::size_t at) {
  return at > 0 && std::isxdigit(static_cast<unsigned char>(text[at - 1])) &&
         at + 1 < text.size() && std::isxdigit(static_cast<unsigned char>(text[at + 1])) &&
         (at + 2 >= text.size() || text[at + 2] != '\'');
}

// What begins at `at` and is no code ends here; `at` itself when code begins there.
std::size_t end_of_non_code(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") return std::min(text.find("*/", at), text.size() - 2) + 2;
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') return end_of_raw_literal(text, at);
  if (text[at] == '"') return end_of_literal(text, at);
  if (text[at] == '\'' && !is_digit_separator(text, at)) return end_of_literal(text, at);
  return at;
}

// Whether the text between the last statement and an opening brace announces a function's body.
bool announces_function(std::string_view head) {
  const std::size_t word = head.find_first_not_of(" \n");
  if (word == std::string_view::npos) return false;
  for (std::string_view other : {"namespace", "class", "struct", "enum", "union"}) {
    if (head.substr(word).starts_with(other)) return false;
  }
  return head.find('(') != std::string_view::npos && head.find(" = {") == std::string_view::npos;
}

std::size_t closing_brace(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at;
  }
  return code.size();
}

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string without_comments_and_literals(std::string_view text) {
  std::string code(text);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = end_of_non_code(text, at);
    blank(code, at, end);
    at = std::max(end, at + 1);
  }
  return code;
}

std::vector<FunctionSpan> functions_of(std::string_view code) {
  std::vector<FunctionSpan> functions;
  std::size_t head = 0;  // where the current statement began
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';' || code[at] == '}') head = at + 1;
    if (code[at] != '{') continue;
    if (announces_function(code.substr(head, at - head))) {
      const std::size_t first = line_of(code, at);
      at = closing_brace(code, at);
      functions.push_back({first, line_of(code, at) - first + 1});
    }
    head = at + 1;
  }
  return functions;
}

std::vector<std::string> identifier_words(std::string_view code) {
  std::vector<std::string> words;
  std::string word;
  for (char it : code) {
    if (is_identifier(it) && it != '_') {
      word += it;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

std::vector<std::string> includes_of(std::string_view text) {
  constexpr std::string_view directive = "#include ";
  std::vector<std::string> includes;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with(directive)) continue;
    const std::string rest = line.substr(directive.size());
    includes.push_back(rest.substr(0, rest.find_last_of("\">") + 1));
  }
  return includes;
}

}  // namespace fencepost::tests
