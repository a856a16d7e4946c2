#include "protocol/json.h"

#include <limits>

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

JsonDocument parse(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(text);
  REQUIRE(document.ok());
  return *document;
}

TEST_CASE("whole numbers are read with all their digits", "[protocol][json]") {
  constexpr auto min = std::numeric_limits<std::int64_t>::min();
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  CHECK(parse("9223372036854775807").root().integer(min, max) == max);
  CHECK(parse("-9223372036854775808").root().integer(min, max) == min);
  CHECK(parse("9007199254740993").root().integer(min, max) == 9007199254740993);
}

TEST_CASE("numbers out of range, with a fraction or in quotes are no whole numbers",
          "[protocol][json]") {
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  CHECK(parse("127").root().integer(-128, 127) == 127);
  CHECK(!parse("128").root().integer(-128, 127).has_value());
  CHECK(!parse("-129").root().integer(-128, 127).has_value());
  CHECK(!parse("9223372036854775808").root().integer(0, max).has_value());
  CHECK(!parse("18446744073709551615").root().integer(-1, max).has_value());
  CHECK(!parse("1.0").root().integer(0, 9).has_value());
  CHECK(!parse("\"1\"").root().integer(0, 9).has_value());
  CHECK(!parse("true").root().integer(0, 9).has_value());
}

TEST_CASE("base64 is read with and without padding where it belongs", "[protocol][json]") {
  const auto bytes = [](std::string_view text) { return parse(text).root().base64(); };
  CHECK(bytes("\"\"") == ByteVector{});
  CHECK(bytes("\"AA==\"") == ByteVector{0});
  CHECK(bytes("\"AAE=\"") == ByteVector{0, 1});
  CHECK(bytes("\"AAEC\"") == ByteVector{0, 1, 2});
  CHECK(bytes("\"+/+/\"") == ByteVector{0xfb, 0xff, 0xbf});
}

TEST_CASE("base64 with other letters, lengths or padding is refused", "[protocol][json]") {
  for (std::string_view text :
       {"\"AA\"", "\"A===\"", "\"AA=A\"", "\"-_-_\"", "\"AAE=AAE=\"", "\"====\"", "7", "null"}) {
    INFO(text);
    CHECK(!parse(text).root().base64().has_value());
  }
}

TEST_CASE("strings are escaped so that any reader gets them back", "[protocol][json]") {
  std::string text = "a\"b\\c\n\x01\x1f/é🦊";
  text += '\0';
  std::string json;
  append_json_string(json, text);
  CHECK(json.find('\n') == std::string::npos);
  CHECK(parse(json).root().text() == text);
}

TEST_CASE("what is not JSON is refused with the place", "[protocol][json]") {
  const Result<JsonDocument> document = JsonDocument::parse("{\"a\": }");
  REQUIRE(!document.ok());
  CHECK(document.error().kind == ErrorKind::malformed);
  CHECK(document.error().offset == 7);
}

TEST_CASE("members that no schema names are found", "[protocol][json]") {
  const JsonDocument document = parse(R"({"a":1,"b":{"c":null}})");
  const std::string_view both[] = {"a", "b"};
  CHECK(!document.root().member_not_in(both, 2).has_value());
  CHECK(document.root().member_not_in(both, 1) == "b");
  CHECK(document.root().member("b")->member("c")->is_null());
  CHECK(!document.root().member("c").has_value());
}

}  // namespace
}  // namespace fencepost::protocol
