// JSON laid out for people says what it said on one line.
#include "tools/wire/json_layout.h"

#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::tools::wire {
namespace {

// Without the white space outside strings.
std::string packed(std::string_view json) {
  std::string out;
  bool is_inside = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') is_inside = !is_inside;
    if (is_inside && json[i] == '\\') out += json[i++];
    if (is_inside || (json[i] != ' ' && json[i] != '\n')) out += json[i];
  }
  return out;
}

TEST_CASE("short values stay on one line, longer ones take a line for each member",
          "[tools][wire]") {
  CHECK(indented_json("7") == "7");
  CHECK(indented_json("{}") == "{}");
  CHECK(indented_json("[]") == "[]");
  CHECK(indented_json(R"({"a":1,"b":[]})") == "{\n  \"a\": 1,\n  \"b\": []\n}");
  CHECK(indented_json(R"({"a":1,"b":"x,y:{"})") == R"({"a": 1, "b": "x,y:{"})");
  CHECK(indented_json(R"([{"a":[1,2]},null])") == "[\n  {\n    \"a\": [1, 2]\n  },\n  null\n]");
}

TEST_CASE("no character of the JSON is lost or changed", "[tools][wire]") {
  for (const char* file : {"messages.tsv.gz", "unknown-tags.tsv.gz"})
    for (const golden::Row& row : golden::rows(file)) {
      const std::string laid_out = indented_json(row[4]);
      if (packed(laid_out) != packed(row[4])) FAIL(laid_out);
      if (laid_out.find(" \n") != std::string::npos) FAIL(laid_out);
    }
}

}  // namespace
}  // namespace fencepost::tools::wire
