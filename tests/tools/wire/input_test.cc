// Bytes as people paste them.
#include "tools/wire/input.h"

#include "tests/catch.h"

namespace fencepost::tools::wire {
namespace {

std::string hex_of(std::string_view text, Encoding encoding = Encoding::automatic) {
  const Result<SharedBytes> bytes = parse_bytes(text, encoding);
  return bytes ? to_hex(bytes->view()) : "refused: " + bytes.error().text;
}

TEST_CASE("hex is read in every spelling that tools print", "[tools][wire]") {
  for (std::string_view text :
       {"04782d30", "04782D30", "04 78 2d 30", "0x04782d30", "0X04782D30", "0x04, 0x78, 0x2d, 0x30",
        "04:78:2d:30", "  04782d\n30\r\n", "0x04 782d 0x30", "0 4 7 8 2 d 3 0"}) {
    INFO(text);
    CHECK(hex_of(text) == "04782d30");
    CHECK(hex_of(text, Encoding::hex) == "04782d30");
  }
  CHECK(hex_of("") == "");
  CHECK(hex_of("0x") == "");
  CHECK(hex_of(" \n") == "");
}

TEST_CASE("base64 is known by its signs, its padding or its mixed case", "[tools][wire]") {
  CHECK(hex_of("BHgtMA==") == "04782d30");
  CHECK(hex_of("BHgt\nMA==\n") == "04782d30");
  CHECK(hex_of("BHgt") == "04782d");
  CHECK(hex_of("+/+/") == "fbffbf");
  // Hex digits alone are hex, unless it is said that they are not.
  CHECK(hex_of("00000000") == "00000000");
  CHECK(hex_of("00000000", Encoding::base64) == "d34d34d34d34");
}

TEST_CASE("what no person types is taken as it is", "[tools][wire]") {
  using namespace std::string_view_literals;
  CHECK(hex_of("\x00\x1a"sv) == "001a");
  CHECK(hex_of("04\x01"sv) == "303401");
  CHECK(hex_of("\xc3\xa9"sv) == "c3a9");
  CHECK(hex_of("0478", Encoding::raw) == "30343738");
}

TEST_CASE("bad hex is refused with the character and its place", "[tools][wire]") {
  CHECK(hex_of("04 7g") == "refused: bad hex: 'g' at character 5 is not a hex digit");
  CHECK(hex_of("0x04 0y") == "refused: bad hex: 'y' at character 7 is not a hex digit");
  CHECK(hex_of("040x78") == "refused: bad hex: 'x' at character 4 is not a hex digit");
  CHECK(hex_of("04 7") == "refused: bad hex: the digit at character 4 has no second one");
  CHECK(hex_of("04\x01", Encoding::hex) ==
        "refused: bad hex: byte 01 at character 3 is not a hex digit");
}

TEST_CASE("bad base64 is refused with the character and its place", "[tools][wire]") {
  CHECK(hex_of("BHg-MA==", Encoding::base64) == "refused: bad base64: '-' at character 4");
  for (std::string_view text : {"BHgtMA=", "BHgtM", "BHgt====", "BH=t"})
    CHECK(hex_of(text, Encoding::base64) ==
          "refused: bad base64: the padding is missing or misplaced");
}

}  // namespace
}  // namespace fencepost::tools::wire
