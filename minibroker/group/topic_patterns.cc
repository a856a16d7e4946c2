#include "minibroker/group/topic_patterns.h"

#include <re2/re2.h>

namespace fencepost::minibroker {

namespace {

// RE2's words for its errors are Kafka's, but for a few.
std::string problem_of(const re2::RE2& pattern) {
  const std::string& text = pattern.error();
  const std::size_t colon = text.find(':');
  return colon == std::string::npos ? text : text.substr(0, colon);
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
