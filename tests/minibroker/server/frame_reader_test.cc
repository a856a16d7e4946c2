// Streams of bytes, whole and in pieces, good and bad, through the frame reader.
#include "minibroker/server/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/catch.h"

namespace fencepost::minibroker::server {

namespace {

constexpr std::size_t limit = 100 * 1024 * 1024;

ByteVector frame_of(std::size_t size, std::uint8_t fill) {
  ByteVector bytes = {
      static_cast<std::uint8_t>(size >> 24),
      static_cast<std::uint8_t>(size >> 16),
      static_cast<std::uint8_t>(size >> 8),
      static_cast<std::uint8_t>(size),
  };
  bytes.resize(4 + size, fill);
  return bytes;
}

ByteVector join(const std::vector<ByteVector>& parts) {
  ByteVector all;
  for (const ByteVector& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

struct Cut {
  std::vector<SharedBytes> frames;
  std::optional<Error> error;
};

// Feeds the bytes in pieces of at most `step` and collects what comes out.
Cut cut(FrameReader& reader, ByteView bytes, std::size_t step) {
  Cut result;
  while (!bytes.empty()) {
    const std::span<std::uint8_t> space = reader.space();
    const std::size_t count = std::min({step, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    reader.commit(count);
    bytes = bytes.subspan(count);
    while (true) {
      Result<std::optional<SharedBytes>> frame = reader.next();
      if (!frame.ok()) {
        result.error = frame.error();
        return result;
      }
      if (!frame->has_value()) break;
      result.frames.push_back(std::move(**frame));
    }
  }
  return result;
}

ByteVector first_bytes(const ByteVector& bytes, std::size_t count) {
  return ByteVector(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

TEST_CASE("Frames come out whole however the stream was cut", "[minibroker][server]") {
  const std::vector<std::size_t> sizes = {8, 100, 30000, 32768, 32769, 65536, 9, 3000000, 12};
  std::vector<ByteVector> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parts.push_back(frame_of(sizes[i], static_cast<std::uint8_t>(i + 1)));
  }
  const ByteVector stream = join(parts);
  for (std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{40000}, stream.size()}) {
    INFO("pieces of " << step);
    FrameReader reader(limit);
    const Cut result = cut(reader, stream, step);
    REQUIRE(result.frames.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const ByteVector expected(sizes[i], static_cast<std::uint8_t>(i + 1));
      CHECK(std::ranges::equal(result.frames[i].view(), expected));
    }
    CHECK(reader.pending_bytes() == 0);
  }
}

TEST_CASE("Many small frames come out of one read", "[minibroker][server]") {
  FrameReader reader(limit);
  const ByteVector frame = frame_of(28, 7);
  std::vector<ByteVector> parts(2000, frame);
  CHECK(cut(reader, join(parts), 64 * 1024).frames.size() == 2000);
}

TEST_CASE("A frame that was cut out stays as it is while the next ones are read",
          "[minibroker][server]") {
  FrameReader reader(limit);
  const Cut first = cut(reader, frame_of(50, 1), 64);
  cut(reader, frame_of(50, 2), 64);
  CHECK(std::ranges::equal(first.frames.at(0).view(), ByteVector(50, 1)));
}

// ---- what cannot be

TEST_CASE("A length that no request can have is an error", "[minibroker][server]") {
  const std::vector<ByteVector> wrong = {
      {0xff, 0xff, 0xff, 0xff},  // -1
      {0x80, 0, 0, 0},           // the smallest there is
      {0, 0, 0, 0},
      {0, 0, 0, 7},
      {'G', 'E', 'T', ' '},  // another protocol
      {0x16, 0x03, 0x01, 0x02},
  };
  for (const ByteVector& bytes : wrong) {
    FrameReader reader(limit);
    const Cut result = cut(reader, bytes, 4);
    REQUIRE(result.error.has_value());
    CHECK(result.error->kind == ErrorKind::malformed);
  }
}

TEST_CASE("The error of an impossible length names it and the limits", "[minibroker][server]") {
  FrameReader reader(1000);
  const Cut result = cut(reader, frame_of(1001, 0), 4);
  REQUIRE(result.error.has_value());
  CHECK(result.error->text == "a frame of 1001 bytes; possible are 8 to 1000");
}

TEST_CASE("Frames before an impossible length still come out", "[minibroker][server]") {
  FrameReader reader(limit);
  const Cut result = cut(reader, join({frame_of(20, 1), {0xff, 0xff, 0xff, 0xff}}), 1024);
  CHECK(result.frames.size() == 1);
  CHECK(result.error.has_value());
}

TEST_CASE("A raised limit holds for the next frame", "[minibroker][server]") {
  FrameReader reader(100);
  CHECK(cut(reader, frame_of(100, 1), 1024).frames.size() == 1);
  reader.set_frame_bytes_max(200);
  CHECK(cut(reader, frame_of(200, 1), 1024).frames.size() == 1);
}

TEST_CASE("A huge claimed length gets little memory until its bytes arrive",
          "[minibroker][server]") {
  FrameReader reader(limit);
  const ByteVector stream = first_bytes(frame_of(90 * 1024 * 1024, 3), 5000);
  CHECK(cut(reader, stream, 5000).frames.empty());
  CHECK(reader.space().size() <= 1024 * 1024);
  CHECK(reader.pending_bytes() == 4996);
}

TEST_CASE("Half a small frame is pending", "[minibroker][server]") {
  FrameReader reader(limit);
  CHECK(cut(reader, first_bytes(frame_of(100, 3), 54), 10).frames.empty());
  CHECK(reader.pending_bytes() == 54);
}

TEST_CASE("A large frame that has begun claims all that it will take", "[minibroker][server]") {
  FrameReader reader(limit);
  CHECK(reader.claimed_bytes() == 0);
  CHECK(cut(reader, first_bytes(frame_of(3'000'000, 3), 100), 100).frames.empty());
  CHECK(reader.claimed_bytes() == 3'000'000);
}

TEST_CASE("Raw tokens may be of any size, even empty", "[minibroker][server]") {
  FrameReader reader(100);
  reader.allow_small_frames();
  const Cut result = cut(reader, join({frame_of(3, 1), frame_of(0, 0), frame_of(100, 2)}), 5);
  REQUIRE(result.frames.size() == 3);
  CHECK(result.frames[0].size() == 3);
  CHECK(result.frames[1].size() == 0);
  CHECK(cut(reader, ByteVector{0xff, 0xff, 0xff, 0xff}, 4).error.has_value());
}

}  // namespace fencepost::minibroker::server
