#include "protocol/reader.h"

#include <limits>

#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

Reader reader_of(std::string_view hex) {
  return Reader(golden::from_hex(hex));
}

TEST_CASE("numbers are big-endian and signed as their type says", "[protocol][reader]") {
  Reader reader = reader_of(
      "ff"
      "fffe"
      "fffe"
      "80000000"
      "80000000"
      "7fffffffffffffff"
      "02");
  CHECK(reader.int8() == -1);
  CHECK(reader.int16() == -2);
  CHECK(reader.uint16() == 65534);
  CHECK(reader.int32() == std::numeric_limits<std::int32_t>::min());
  CHECK(reader.uint32() == 2147483648U);
  CHECK(reader.int64() == std::numeric_limits<std::int64_t>::max());
  CHECK(reader.boolean());
  CHECK(reader.remaining() == 0);
  CHECK(!reader.failed());
}

TEST_CASE("the first failure sticks and everything after it reads as zero", "[protocol][reader]") {
  Reader reader = reader_of("000102");
  CHECK(reader.int32() == 0);
  REQUIRE(reader.failed());
  CHECK(reader.error().offset == 0);
  CHECK(reader.error().text == "needs 4 bytes, 3 are left");
  CHECK(reader.int8() == 0);
  CHECK(reader.varint() == 0);
  CHECK(reader.shared(1).empty());
  CHECK(reader.offset() == 0);
  CHECK(!reader.fail("another"));
  CHECK(reader.error().text == "needs 4 bytes, 3 are left");
}

TEST_CASE("varints are zig-zag base 128", "[protocol][reader]") {
  CHECK(reader_of("00").varint() == 0);
  CHECK(reader_of("01").varint() == -1);
  CHECK(reader_of("02").varint() == 1);
  CHECK(reader_of("ac02").varint() == 150);
  CHECK(reader_of("feffffff0f").varint() == std::numeric_limits<std::int32_t>::max());
  CHECK(reader_of("ffffffff0f").varint() == std::numeric_limits<std::int32_t>::min());
  CHECK(reader_of("feffffffffffffffff01").varlong() == std::numeric_limits<std::int64_t>::max());
  CHECK(reader_of("ffffffffffffffffff01").varlong() == std::numeric_limits<std::int64_t>::min());
  CHECK(reader_of("ffffffff0f").unsigned_varint() == 4294967295U);
}

TEST_CASE("varints with too many bits or without an end are refused", "[protocol][reader]") {
  for (const char* hex : {"ffffffff1f", "808080808000", "8080808080", "80", ""}) {
    INFO(hex);
    Reader reader = reader_of(hex);
    CHECK(reader.unsigned_varint() == 0);
    CHECK(reader.failed());
  }
  for (const char* hex : {"ffffffffffffffffff02", "8080808080808080808000", "80", ""}) {
    INFO(hex);
    Reader reader = reader_of(hex);
    CHECK(reader.varlong() == 0);
    CHECK(reader.failed());
  }
}

TEST_CASE("lengths stand for null at -1 and are refused below", "[protocol][reader]") {
  CHECK(reader_of("ffff").string_length(false) == -1);
  CHECK(reader_of("00").string_length(true) == -1);
  CHECK(reader_of("01").string_length(true) == 0);
  CHECK(reader_of("0001ff").string_length(false) == 1);
  CHECK(reader_of("ffffffff").bytes_length(false) == -1);
  CHECK(reader_of("00").array_length(true) == -1);
  Reader negative = reader_of("fffe");
  CHECK(negative.string_length(false) == -1);
  CHECK(negative.failed());
  Reader huge = reader_of("ffffffff0f");
  CHECK(huge.bytes_length(true) == -1);
  CHECK(huge.failed());
}

TEST_CASE("a length above what is left is refused before anything is allocated",
          "[protocol][reader]") {
  Reader reader = reader_of("7fffffff00");
  CHECK(reader.bytes_length(false) == -1);
  REQUIRE(reader.failed());
  CHECK(reader.error().text == "a length of 2147483647, 1 bytes are left");
}

TEST_CASE("a string above 32767 bytes is refused in its compact form too", "[protocol][reader]") {
  ByteVector bytes(40000, 'x');
  bytes[0] = 0x81;  // 32769: 32768 bytes
  bytes[1] = 0x80;
  bytes[2] = 0x02;
  Reader too_long{ByteView(bytes)};
  too_long.string_length(true);
  CHECK(too_long.failed());
  bytes[0] = 0x80;
  Reader longest{ByteView(bytes)};
  CHECK(longest.string_length(true) == 32767);
}

TEST_CASE("bytes are slices of the buffer they came in", "[protocol][reader]") {
  const SharedBytes buffer = golden::from_hex("0001020304");
  Reader reader(buffer);
  reader.skip(1);
  const SharedBytes slice = reader.shared(3);
  CHECK(slice.data() == buffer.data() + 1);
  CHECK(to_hex(slice.view()) == "010203");
}

TEST_CASE("the path of a failed field grows from the inside", "[protocol][reader]") {
  Reader reader = reader_of("");
  reader.prefix_field("ignored while nothing failed");
  reader.int8();
  reader.prefix_field("partitionIndex");
  reader.prefix_field("[3]");
  reader.prefix_field("topics");
  CHECK(reader.error().field == "topics[3].partitionIndex");
}

}  // namespace
}  // namespace fencepost::protocol
