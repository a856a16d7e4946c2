#include "minibroker/group/topic_patterns.h"

#include <re2/re2.h>

namespace fencepost::minibroker {

namespace {

// In the words of RE2J, the twin in Java that Kafka uses.
std::string problem_of(const re2::RE2& pattern) {
  switch (pattern.error_code()) {
    case re2::RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "invalid character class range";
    case re2::RE2::ErrorMissingBracket:
      return "missing closing ]";
    case re2::RE2::ErrorMissingParen:
      return "missing closing )";
    case re2::RE2::ErrorUnexpectedParen:
      return "regexp/syntax: internal error";
    case re2::RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case re2::RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case re2::RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case re2::RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case re2::RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case re2::RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return pattern.error();
  }
}

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

std::optional<std::string> regex_problem(const std::string& regex) {
  const re2::RE2 pattern(regex, quiet());
  if (pattern.ok()) return std::nullopt;
  return problem_of(pattern);
}

std::map<std::string, ResolvedRegex> resolve(const std::set<std::string>& regexes,
                                             const TopicDirectory& topics, Instant now) {
  std::map<std::string, ResolvedRegex> resolved;
  for (const std::string& regex : regexes) {
    ResolvedRegex& result = resolved[regex];
    result.version = topics.version();
    result.timestamp = to_timestamp(now);
    const re2::RE2 pattern(regex, quiet());
    if (!pattern.ok()) continue;
    for (const auto& [name, facts] : topics.topics())
      if (re2::RE2::FullMatch(name, pattern)) result.topics.insert(name);
  }
  return resolved;
}

}  // namespace fencepost::minibroker
