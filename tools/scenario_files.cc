#include "tools/scenario_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "minibroker/era.h"
#include "tools/exit_code.h"
#include "tools/scenario/parser.h"

namespace fencepost::tools {

namespace {

std::optional<std::string> read_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  if (file.bad() || text.fail()) return std::nullopt;
  return text.str();
}

}  // namespace

int refuse(const std::string& text) {
  fmt::print(stderr, "{}\n", text);
  return exit_wrong_input;
}

std::optional<std::vector<scenario::Scenario>> read_scenarios(const std::vector<std::string>& files,
                                                              const Refusals& refusals) {
  std::vector<scenario::Scenario> scenarios;
  bool is_good = true;
  for (const std::string& file : files) {
    const std::optional<std::string> text = read_file(file);
    if (!text) {
      refuse(file + ": cannot be read");
      is_good = false;
      continue;
    }
    scenario::ParsedScenario parsed = scenario::parse_scenario(file, *text);
    std::vector<scenario::Mistake> mistakes = std::move(parsed.mistakes);
    if (mistakes.empty()) mistakes = refusals(parsed.scenario);
    for (const scenario::Mistake& mistake : mistakes) refuse(to_string(file, mistake));
    is_good = is_good && mistakes.empty();
    scenarios.push_back(std::move(parsed.scenario));
  }
  if (!is_good) return std::nullopt;
  return scenarios;
}

bool check_as_version(const std::string& command, const std::string& as_version) {
  if (minibroker::find_era(as_version)) return true;
  std::string names;
  for (const minibroker::Era& era : minibroker::eras())
    names += (names.empty() ? "" : ", ") + era.name;
  refuse(fmt::format("{}: no brokers of version '{}'; one of {}", command, as_version, names));
  return false;
}

}  // namespace fencepost::tools
