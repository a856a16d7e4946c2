#include "protocol/records/compression.h"

#include <lz4frame.h>

#include "protocol/base/random.h"
#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

constexpr CompressionType codecs[] = {CompressionType::none, CompressionType::gzip,
                                      CompressionType::snappy, CompressionType::lz4,
                                      CompressionType::zstd};
constexpr CompressionType real_codecs[] = {CompressionType::gzip, CompressionType::snappy,
                                           CompressionType::lz4, CompressionType::zstd};

// Half noise, half repetition.
ByteVector some_bytes(std::size_t size) {
  Random random(size);
  ByteVector bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::uint8_t>(i % 64 < 32 ? i / 64 : random.next());
  return bytes;
}

TEST_CASE("what a codec packs it unpacks", "[protocol][compression]") {
  for (CompressionType codec : codecs)
    for (std::size_t size : {0U, 1U, 100U, 32768U, 32769U, 200000U}) {
      INFO(to_string(codec) << " " << size);
      const ByteVector bytes = some_bytes(size);
      const Result<ByteVector> unpacked =
          decompress(codec, compress(codec, bytes), default_unpacked_bytes_max);
      REQUIRE(unpacked.ok());
      CHECK(*unpacked == bytes);
    }
}

TEST_CASE("the limit is exact: that much is unpacked, one byte more is refused",
          "[protocol][compression]") {
  const ByteVector bytes(100000, 'a');
  for (CompressionType codec : codecs) {
    INFO(to_string(codec));
    const ByteVector packed = compress(codec, bytes);
    CHECK(decompress(codec, packed, bytes.size()).ok());
    for (std::size_t limit : {bytes.size() - 1, std::size_t{10}, std::size_t{0}}) {
      const Result<ByteVector> unpacked = decompress(codec, packed, limit);
      REQUIRE(!unpacked.ok());
      CHECK(unpacked.error().kind == ErrorKind::malformed);
      CHECK(unpacked.error().text == "unpacks to more than " + std::to_string(limit) + " bytes");
    }
  }
}

TEST_CASE("a frame that declares more than the limit is refused before it is read",
          "[protocol][compression]") {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentSize = 1000;
  const ByteVector bytes(1000, 'a');
  ByteVector packed(LZ4F_compressFrameBound(bytes.size(), &preferences));
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), bytes.data(), bytes.size(), &preferences));
  CHECK(decompress(CompressionType::lz4, packed, 1000).ok());
  packed.resize(packed.size() - 10);  // reading it would find that it is cut off
  const Result<ByteVector> unpacked = decompress(CompressionType::lz4, packed, 999);
  REQUIRE(!unpacked.ok());
  CHECK(unpacked.error().text == "unpacks to more than 999 bytes");
}

TEST_CASE("data that is cut off anywhere is refused", "[protocol][compression]") {
  for (CompressionType codec : real_codecs) {
    const ByteVector packed = compress(codec, some_bytes(1000));
    for (std::size_t size = 1; size < packed.size(); size += 7) {
      INFO(to_string(codec) << " cut off at " << size << " of " << packed.size());
      // Framed snappy has no end mark: its header alone is the empty stream.
      if (codec == CompressionType::snappy && size == 16) continue;
      const auto cut = ByteView(packed).first(size);
      REQUIRE(!decompress(codec, cut, default_unpacked_bytes_max).ok());
    }
  }
}

TEST_CASE("what is no compressed data is refused", "[protocol][compression]") {
  const ByteVector garbage(40, 0xfe);
  for (CompressionType codec : real_codecs) {
    INFO(to_string(codec));
    CHECK(!decompress(codec, garbage, default_unpacked_bytes_max).ok());
  }
}

TEST_CASE("raw snappy is read as well as framed", "[protocol][compression]") {
  // Length 5, then a literal of 5 bytes.
  const SharedBytes raw = golden::from_hex(
      "0510"
      "68656c6c6f");
  const Result<ByteVector> unpacked = decompress(CompressionType::snappy, raw.view(), 100);
  REQUIRE(unpacked.ok());
  CHECK(as_text(*unpacked) == "hello");
}

TEST_CASE("snappy is framed as Kafka's Java client frames it", "[protocol][compression]") {
  const ByteVector packed = compress(CompressionType::snappy, ByteVector(40000, 'a'));
  CHECK(to_hex(ByteView(packed).first(16)) ==
        "82534e4150505900"
        "00000001"
        "00000001");
  // Two blocks: the second begins where the length of the first says.
  const std::size_t first = static_cast<std::size_t>(packed[18] << 8 | packed[19]);
  const std::size_t second =
      static_cast<std::size_t>(packed[20 + first + 2] << 8 | packed[20 + first + 3]);
  CHECK(packed.size() == 16 + 4 + first + 4 + second);
}

TEST_CASE("framed snappy streams may follow one another", "[protocol][compression]") {
  ByteVector twice = compress(CompressionType::snappy, as_bytes("one"));
  const ByteVector second = compress(CompressionType::snappy, as_bytes("two"));
  twice.insert(twice.end(), second.begin(), second.end());
  const Result<ByteVector> unpacked = decompress(CompressionType::snappy, twice, 100);
  REQUIRE(unpacked.ok());
  CHECK(as_text(*unpacked) == "onetwo");
}

TEST_CASE("a snappy block that claims to unpack to far more than it can is refused",
          "[protocol][compression]") {
  // 0x0fffffff bytes out of six.
  const SharedBytes raw = golden::from_hex(
      "ffffff7f"
      "0061");
  const Result<ByteVector> unpacked =
      decompress(CompressionType::snappy, raw.view(), std::size_t{1} << 31);
  REQUIRE(!unpacked.ok());
  CHECK(unpacked.error().text == "not snappy data");
}

TEST_CASE("gzip members may follow one another", "[protocol][compression]") {
  ByteVector twice = compress(CompressionType::gzip, as_bytes("one"));
  const ByteVector second = compress(CompressionType::gzip, as_bytes("two"));
  twice.insert(twice.end(), second.begin(), second.end());
  const Result<ByteVector> unpacked = decompress(CompressionType::gzip, twice, 100);
  REQUIRE(unpacked.ok());
  CHECK(as_text(*unpacked) == "onetwo");
}

// What Kafka 4.4.0's readers make of these bytes behind a stream of "x".
struct Trailer {
  CompressionType codec;
  const char* hex;
  bool is_accepted;
};

TEST_CASE("bytes behind a stream are taken or refused as Kafka does", "[protocol][compression]") {
  const std::string gzip_header = "1f8b0800000000000000";
  const std::string ones = "ffffffffffffffff";
  const std::string begins_a_member = gzip_header + ones + ones;
  const std::string too_short_for_one = gzip_header + ones;
  const std::string name_without_end = "1f8b0808000000000000" + std::string(40, '7');
  const Trailer trailers[] = {
      {CompressionType::gzip, "00", true},
      {CompressionType::gzip, "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", true},
      {CompressionType::gzip, too_short_for_one.c_str(), true},
      {CompressionType::gzip, name_without_end.c_str(), true},
      {CompressionType::gzip, begins_a_member.c_str(), false},
      {CompressionType::snappy, "eeeeee", true},
      {CompressionType::snappy, "eeeeeeee", false},
      {CompressionType::snappy, "00000000", false},
      {CompressionType::lz4, "00", true},
      {CompressionType::lz4, "04224d186040820100000078", true},
      {CompressionType::zstd, "00", false},
      {CompressionType::zstd, "eeeeeeee", false},
  };
  for (const Trailer& trailer : trailers) {
    INFO(to_string(trailer.codec) << " " << trailer.hex);
    ByteVector packed = compress(trailer.codec, as_bytes("x"));
    const SharedBytes behind = golden::from_hex(trailer.hex);
    packed.insert(packed.end(), behind.view().begin(), behind.view().end());
    const Result<ByteVector> unpacked = decompress(trailer.codec, packed, 100);
    REQUIRE(unpacked.ok() == trailer.is_accepted);
    if (unpacked) CHECK(as_text(*unpacked) == "x");
  }
}

TEST_CASE("an lz4 frame that is to be skipped is no data", "[protocol][compression]") {
  const SharedBytes skippable = golden::from_hex(
      "502a4d18"
      "00000000");
  CHECK(!decompress(CompressionType::lz4, skippable.view(), 100).ok());
}

TEST_CASE("lz4 blocks that depend on the ones before are read", "[protocol][compression]") {
  ByteVector bytes = some_bytes(60000);
  const ByteVector once = bytes;
  bytes.insert(bytes.end(), once.begin(), once.end());
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.blockMode = LZ4F_blockLinked;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  ByteVector packed(LZ4F_compressFrameBound(bytes.size(), &preferences));
  packed.resize(
      LZ4F_compressFrame(packed.data(), packed.size(), bytes.data(), bytes.size(), &preferences));
  CHECK(packed.size() < once.size());  // the second block is a copy of the first
  const Result<ByteVector> unpacked = decompress(CompressionType::lz4, packed, bytes.size());
  REQUIRE(unpacked.ok());
  CHECK(*unpacked == bytes);
}

TEST_CASE("codecs have Kafka's numbers and names", "[protocol][compression]") {
  CHECK(compression_of(0) == CompressionType::none);
  CHECK(compression_of(4) == CompressionType::zstd);
  CHECK(!compression_of(5).has_value());
  CHECK(!compression_of(-1).has_value());
  for (CompressionType codec : codecs) CHECK(parse_compression(to_string(codec)) == codec);
  CHECK(to_string(CompressionType::lz4) == "lz4");
  CHECK(!parse_compression("LZ4").has_value());
}

TEST_CASE("CRC-32C has its published check values", "[protocol][compression]") {
  CHECK(crc32c(as_bytes("123456789")) == 0xe3069283);
  CHECK(crc32c(ByteVector(32, 0)) == 0x8a9136aa);
  CHECK(crc32c({}) == 0);
}

}  // namespace
}  // namespace fencepost::protocol
