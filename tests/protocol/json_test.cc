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

// What Java's String makes of the same bytes: one U+FFFD for as much as begins like a character.
TEST_CASE("bytes that are no UTF-8 become the replacement character, so that JSON stays JSON",
          "[protocol][json]") {
  const auto read_back = [](std::string_view text) {
    std::string json;
    append_json_string(json, text);
    return parse(json).root().text().value();
  };
  const std::string bad = "\xef\xbf\xbd";
  CHECK(read_back("a\xff"
                  "b") == "a" + bad + "b");
  CHECK(read_back("\x80\xbf") == bad + bad);
  CHECK(read_back("\xc3") == bad);
  CHECK(read_back("\xc3(") == bad + "(");
  CHECK(read_back("\xc0\xaf") == bad + bad);  // a longer form of '/'
  CHECK(read_back("\xe2\x82") == bad);        // cut off
  CHECK(read_back("\xe2\x82"
                  "x") == bad + "x");
  CHECK(read_back("\xe0\x80\x80") == bad + bad + bad);  // a longer form
  CHECK(read_back("\xed\xa0\x80") == bad + bad + bad);  // a surrogate
  CHECK(read_back("\xf0\x9f\xa6") == bad);
  CHECK(read_back("\xf4\x90\x80\x80") == bad + bad + bad + bad);  // above the last character
  CHECK(read_back("\xf5") == bad);
  CHECK(read_back("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf") ==
        "\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf");  // next to the surrogates, and the last
}

TEST_CASE("every byte anywhere in a string leaves valid JSON", "[protocol][json]") {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second)
      for (std::string_view around : {"", "\xf0\x9f", "\xc3"}) {
        std::string text(around);
        text += static_cast<char>(first);
        text += static_cast<char>(second);
        std::string json;
        append_json_string(json, text);
        if (!JsonDocument::parse(json)) FAIL(first << " " << second);
      }
}

TEST_CASE("what is not JSON is refused with the place", "[protocol][json]") {
  const Result<JsonDocument> document = JsonDocument::parse("{\"a\": }");
  REQUIRE(!document.ok());
  CHECK(document.error().kind == ErrorKind::malformed);
  CHECK(document.error().offset == 7);
}

TEST_CASE("a number beyond any double is refused, it does not end the program",
          "[protocol][json]") {
  for (std::string_view text : {"1e999", "-87065e619", "{\"a\":[1e400]}"}) {
    const Result<JsonDocument> document = JsonDocument::parse(text);
    REQUIRE(!document.ok());
    CHECK(document.error().kind == ErrorKind::malformed);
    CHECK(document.error().text.find("number overflow") != std::string::npos);
  }
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
