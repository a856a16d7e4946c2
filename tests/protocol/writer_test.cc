#include "protocol/writer.h"

#include "protocol/base/random.h"
#include "protocol/reader.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

TEST_CASE("what the writer writes the reader reads", "[protocol][writer]") {
  Random random(7);
  for (int i = 0; i < 2000; ++i) {
    // All lengths of varints: as many random bits as the draw says.
    const auto bits = static_cast<std::int64_t>(random.next() >> random.below(64));
    Writer writer;
    writer.varlong(bits);
    writer.varint(static_cast<std::int32_t>(bits));
    writer.unsigned_varint(static_cast<std::uint32_t>(bits));
    writer.int16(static_cast<std::int16_t>(bits));
    writer.int64(-bits);
    const SharedBytes bytes = writer.finish().flatten();
    Reader reader(bytes);
    REQUIRE(reader.varlong() == bits);
    REQUIRE(reader.varint() == static_cast<std::int32_t>(bits));
    REQUIRE(reader.unsigned_varint() == static_cast<std::uint32_t>(bits));
    REQUIRE(reader.int16() == static_cast<std::int16_t>(bits));
    REQUIRE(reader.int64() == -bits);
    REQUIRE(reader.remaining() == 0);
  }
}

TEST_CASE("floats are the bits of IEEE 754", "[protocol][writer]") {
  Writer writer;
  writer.float64(-1.5);
  const SharedBytes bytes = writer.finish().flatten();
  CHECK(to_hex(bytes.view()) == "bff8000000000000");
  CHECK(Reader(bytes).float64() == -1.5);
}

TEST_CASE("null lengths are -1, or 0 in the compact form", "[protocol][writer]") {
  Writer writer;
  writer.string_length(-1, false);
  writer.bytes_length(-1, false);
  writer.array_length(-1, true);
  writer.string_length(0, true);
  writer.string_length(127, true);
  CHECK(to_hex(writer.finish().flatten().view()) ==
        "ffff"
        "ffffffff"
        "00"
        "01"
        "8001");
}

TEST_CASE("large bytes are spliced in and small ones copied, in order", "[protocol][writer]") {
  const SharedBytes large(ByteVector(100000, 0xaa));
  Writer writer;
  writer.int8(1);
  writer.shared(large);
  writer.int8(2);
  writer.shared(SharedBytes::copy_of("s"));
  CHECK(writer.size() == 100003);
  const Frame frame = writer.finish();
  CHECK(frame.size() == 100003);
  REQUIRE(frame.pieces().size() == 3);
  CHECK(frame.pieces()[1].data() == large.data());
  CHECK(to_hex(frame.pieces()[2].view()) == "0273");
  CHECK(writer.size() == 0);
}

TEST_CASE("a writer takes over what another one collected", "[protocol][writer]") {
  Writer inner;
  inner.int8(2);
  inner.shared(SharedBytes(ByteVector(100000, 3)));
  inner.int8(4);
  Writer outer;
  outer.int8(1);
  outer.append(std::move(inner));
  outer.int8(5);
  const SharedBytes bytes = outer.finish().flatten();
  REQUIRE(bytes.size() == 100004);
  CHECK(to_hex(bytes.slice(0, 3).view()) == "010203");
  CHECK(to_hex(bytes.slice(100001, 3).view()) == "030405");
}

}  // namespace
}  // namespace fencepost::protocol
