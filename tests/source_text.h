// C++ source as text, for rules about it: without comments and literals, cut into functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost::tests {

struct FunctionSpan {
  std::size_t first_line = 0;  // of the opening brace, counted from 1
  std::size_t line_count = 0;  // up to the closing brace
};

std::vector<std::string> lines_of(std::string_view text);

// The same text with every comment and the inside of every string and character literal blanked;
// line breaks stay.
std::string without_comments_and_literals(std::string_view text);

// The outermost braces that follow a parameter list. A simple count of braces, good enough for code
// that clang-format has laid out.
std::vector<FunctionSpan> functions_of(std::string_view code);

// Each identifier's words, as `producer_id` has `producer` and `id`.
std::vector<std::string> identifier_words(std::string_view code);

// The files that #include names; "..." and <...> keep their marks.
std::vector<std::string> includes_of(std::string_view text);

}  // namespace fencepost::tests
