// The house rules that a machine can check: which folder may include which, sizes, names, and what
// lies where. A message names the file and the rule; the rules are not to be loosened for a file.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/source_text.h"

#include "tests/catch.h"

namespace fencepost::tests {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t source_lines_max = 500;
constexpr std::size_t header_lines_max = 250;
constexpr std::size_t function_lines_max = 70;

// Field tables and the walks over them, and the map of the coordinator: one list that splitting
// would only scatter.
const std::set<std::string> long_headers = {
    "minibroker/group/coordinator.h",
    "minibroker/transaction/coordinator.h",
    "protocol/messages/fetch.h",
    "protocol/records/consumer_group_log.h",
};

// The folders that a folder may include; a longer name is looked at first.
const std::map<std::string, std::vector<std::string>> arrows = {
    {"protocol", {"protocol"}},
    {"client", {"protocol", "client"}},
    {"fencing", {"protocol", "client", "fencing"}},
    {"minibroker", {"protocol", "minibroker"}},
    {"minibroker/server", {"protocol", "minibroker", "minibroker/server"}},
    {"tools", {"protocol", "client", "fencing", "minibroker", "minibroker/server", "tools"}},
    {"tests",
     {"protocol", "client", "fencing", "minibroker", "minibroker/server", "tools", "tests"}},
};

// Libraries that only some folders may use, by how their headers begin.
const std::map<std::string, std::set<std::string>> libraries = {
    {"<asio", {"client", "fencing", "minibroker/server", "tools", "tests"}},
    {"<thread>", {"minibroker/server", "tools", "tests"}},
    {"<CLI/", {"tools"}},
    {"<yaml-cpp/", {"tools"}},
    {"<random>", {}},
};

struct SourceFile {
  std::string path;  // from the root
  std::string folder;
  std::string text;
  bool is_header = false;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string folder_of(const std::string& path) {
  if (path.starts_with("minibroker/server/")) return "minibroker/server";
  return path.substr(0, path.find('/'));
}

std::vector<SourceFile> load_sources() {
  std::vector<SourceFile> sources;
  const fs::path root = FENCEPOST_SOURCE_ROOT;
  for (const auto& [folder, allowed] : arrows) {
    if (folder.find('/') != std::string::npos || !fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc") continue;
      const std::string path = fs::relative(entry.path(), root);
      sources.push_back({path, folder_of(path), read_file(entry.path()), extension == ".h"});
    }
  }
  std::ranges::sort(sources, {}, &SourceFile::path);
  return sources;
}

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> loaded = load_sources();
  return loaded;
}

// Every violation in one message: a test that shows one at a time is no help.
void require_none(const std::vector<std::string>& violations) {
  std::string all;
  for (const std::string& violation : violations) all += "\n  " + violation;
  INFO(all);
  CHECK(violations.empty());
}

}  // namespace

TEST_CASE("Includes follow the arrows between the folders", "[tidy]") {
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    const std::vector<std::string>& allowed = arrows.at(source.folder);
    for (const std::string& include : includes_of(source.text)) {
      if (!include.starts_with('"')) continue;
      if (std::ranges::find(allowed, folder_of(include.substr(1))) == allowed.end()) {
        violations.push_back(source.path + " includes " + include);
      }
    }
  }
  REQUIRE(sources().size() > 100);
  require_none(violations);
}

TEST_CASE("Libraries are used only in the folders that may", "[tidy]") {
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    for (const std::string& include : includes_of(source.text)) {
      for (const auto& [library, folders] : libraries) {
        if (include.starts_with(library) && !folders.contains(source.folder)) {
          violations.push_back(source.path + " includes " + include);
        }
      }
    }
  }
  require_none(violations);
}

TEST_CASE("Only a driver reads the clock", "[tidy]") {
  const std::set<std::string> drivers = {"client", "minibroker/server", "tools", "tests"};
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    const std::string code = without_comments_and_literals(source.text);
    const bool reads = code.find("_clock::now") != std::string::npos;
    if (reads && !drivers.contains(source.folder)) violations.push_back(source.path);
  }
  require_none(violations);
}

TEST_CASE("Files and functions keep to their sizes", "[tidy]") {
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    const std::size_t lines = lines_of(source.text).size();
    const std::size_t lines_max = source.is_header ? header_lines_max : source_lines_max;
    if (lines > lines_max && source.folder != "tests" && !long_headers.contains(source.path)) {
      violations.push_back(source.path + " has " + std::to_string(lines) + " lines");
    }
    for (const FunctionSpan& it : functions_of(without_comments_and_literals(source.text))) {
      if (it.line_count <= function_lines_max) continue;
      violations.push_back(source.path + ":" + std::to_string(it.first_line) + ": a function of " +
                           std::to_string(it.line_count) + " lines");
    }
  }
  require_none(violations);
}

TEST_CASE("Names are Kafka's terms, whole", "[tidy]") {
  const std::set<std::string> banned = {"pid", "txid", "lso", "seq"};
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    for (const std::string& word : identifier_words(without_comments_and_literals(source.text))) {
      if (banned.contains(word)) violations.push_back(source.path + " names something " + word);
    }
    const std::string fix_me = std::string("FIX") + "ME";
    if (source.text.find(fix_me) != std::string::npos) {
      violations.push_back(source.path + " has a " + fix_me);
    }
  }
  require_none(violations);
}

TEST_CASE("No file is called after a drawer", "[tidy]") {
  const std::set<std::string> banned = {"util",   "utils",   "common", "manager",
                                        "helper", "helpers", "impl"};
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    for (const std::string& word : identifier_words(source.path)) {
      if (banned.contains(word)) violations.push_back(source.path);
    }
  }
  require_none(violations);
}

TEST_CASE("CHECK is the only macro", "[tidy]") {
  const std::set<std::string> allowed = {"protocol/base/check.h", "tests/test_main.cc"};
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    for (const std::string& line : lines_of(without_comments_and_literals(source.text))) {
      if (line.starts_with("#define") && !allowed.contains(source.path)) {
        violations.push_back(source.path + ": " + line);
      }
    }
  }
  require_none(violations);
}

TEST_CASE("A header, and a source without one, opens with what it is", "[tidy]") {
  std::set<std::string> headers;
  for (const SourceFile& source : sources()) {
    if (source.is_header) headers.insert(source.path.substr(0, source.path.rfind('.')));
  }
  std::vector<std::string> violations;
  for (const SourceFile& source : sources()) {
    const bool has_header = headers.contains(source.path.substr(0, source.path.rfind('.')));
    const bool has_to_tell = source.is_header || (!has_header && source.folder != "tests");
    if (has_to_tell && !source.text.starts_with("// ")) violations.push_back(source.path);
    if (source.is_header && source.text.find("\n#pragma once\n") == std::string::npos) {
      violations.push_back(source.path + " lacks #pragma once");
    }
  }
  require_none(violations);
}

TEST_CASE("The top level holds nothing but what the layout names", "[tidy]") {
  const std::set<std::string> allowed = {".cache",    ".ci",         ".clang-format", ".clang-tidy",
                                         ".git",      ".gitignore",  "README.md",     "client",
                                         "fencing",   "meson.build", "minibroker",    "protocol",
                                         "scenarios", "tests",       "tools"};
  std::vector<std::string> violations;
  for (const auto& entry : fs::directory_iterator(FENCEPOST_SOURCE_ROOT)) {
    const std::string name = entry.path().filename();
    if (!allowed.contains(name) && !name.starts_with("build")) violations.push_back(name);
  }
  require_none(violations);
}

// ---- the rules' own eyes

TEST_CASE("Comments and literals are no code", "[tidy]") {
  CHECK(without_comments_and_literals("a; // pid\nb /* x\ny */ c") == "a;       \nb     \n     c");
  CHECK(without_comments_and_literals(R"(f("p\"id", 'x', 1'000))") == "f(       ,    , 1'000)");
  CHECK(without_comments_and_literals("R\"x(a)\" b)x\" c") == "R" + std::string(12, ' ') + "c");
}

TEST_CASE("A function's lines are counted from brace to brace", "[tidy]") {
  const std::string code =
      "namespace a {\nstruct B {\n  int f() const {\n    if (x) {\n    }\n  }\n  int g;\n};\n"
      "constexpr int t[] = {\n  f(1),\n};\nvoid h(\n    int) {}\n}\n";
  const std::vector<FunctionSpan> functions = functions_of(code);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].first_line == 3);
  CHECK(functions[0].line_count == 4);
  CHECK(functions[1].line_count == 1);
}

TEST_CASE("An identifier is taken apart at its underscores", "[tidy]") {
  CHECK(identifier_words("my_pid->x(rapid);") ==
        std::vector<std::string>{"my", "pid", "x", "rapid"});
}

}  // namespace fencepost::tests
