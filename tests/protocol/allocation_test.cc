// How much memory hostile bytes can make a decoder take: counted at operator new, which this
// program has to itself for that.
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "protocol/records/record_batch.h"
#include "protocol/writer.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace {

// Bytes in use, and the most that ever were.
struct Usage {
  std::size_t now = 0;
  std::size_t most = 0;
};

Usage& usage() {
  static Usage bytes;
  return bytes;
}

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  usage().now += malloc_usable_size(memory);
  usage().most = std::max(usage().most, usage().now);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) usage().now -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace fencepost::protocol {
namespace {

// The most that the work had in use beyond what was in use before it.
template <class Work>
std::size_t peak_bytes(Work&& work) {
  const std::size_t before = usage().now;
  usage().most = before;
  work();
  return usage().most - before;
}

// A string takes one byte on the wire and 32 here, and a growing array has its old half beside it;
// with the message encoded again that is the worst.
constexpr std::size_t per_byte_max = 128;
constexpr std::size_t always_allowed_bytes = 8192;

std::size_t allowed_bytes(std::size_t input) {
  return per_byte_max * input + always_allowed_bytes;
}

SharedBytes with_int32(const SharedBytes& bytes, std::size_t at, std::uint32_t value) {
  ByteVector out(bytes.view().begin(), bytes.view().end());
  for (std::size_t i = 0; i < 4 && at + i < out.size(); ++i)
    out[at + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  return SharedBytes(std::move(out));
}

TEST_CASE("a message takes memory in proportion to its bytes, whatever lengths it claims",
          "[protocol][allocation]") {
  std::size_t tried = 0;
  for (const golden::Row& row : golden::rows("messages.tsv.gz")) {
    const MessageType type =
        message_type_named(row[0] + (row[2] == "request" ? "Request" : "Response"));
    const SharedBytes golden_bytes = golden::from_hex(row[3]);
    const std::size_t stride = golden_bytes.size() / 16 + 1;
    for (std::size_t at = 0; at < golden_bytes.size(); at += stride)
      // As a length of int32, of int16 and of a varint: as large as there are.
      for (std::uint32_t claim : {0x7fffffffU, 0x7fff7fffU, 0xfeffff07U, 0xffffff07U}) {
        const SharedBytes bytes = with_int32(golden_bytes, at, claim);
        const std::size_t peak =
            peak_bytes([&] { (void)type.recode(bytes, std::stoi(row[1])).ok(); });
        INFO(type.info->name << " v" << row[1] << " at " << at);
        if (peak > allowed_bytes(bytes.size())) FAIL(peak << " bytes for " << bytes.size());
        ++tried;
      }
  }
  CHECK(tried > 50000);
}

TEST_CASE("an array of what is smallest on the wire takes memory in proportion to its bytes",
          "[protocol][allocation]") {
  constexpr std::int32_t elements = 100000;
  Writer groups;
  groups.array_length(elements, true);
  for (std::int32_t i = 0; i < elements; ++i) groups.string_length(0, true);
  groups.boolean(false);
  groups.unsigned_varint(0);
  const SharedBytes bytes = groups.finish().flatten();
  const MessageType type = message_type_named("DescribeGroupsRequest");
  bool is_read = false;
  const std::size_t peak = peak_bytes([&] { is_read = type.recode(bytes, 5).ok(); });
  CHECK(is_read);
  CHECK(peak <= allowed_bytes(bytes.size()));
  CHECK(peak > 32 * bytes.size());  // or nothing was counted
}

TEST_CASE("records take memory in proportion to their batch, whatever counts it claims",
          "[protocol][allocation]") {
  std::size_t tried = 0;
  for (const char* file : {"record-batches.tsv.gz", "bad-batches.tsv.gz"})
    for (const golden::Row& row : golden::rows(file)) {
      const SharedBytes golden_bytes = golden::from_hex(row[1]);
      const std::size_t stride = golden_bytes.size() / 16 + 1;
      for (std::size_t at = 0; at < golden_bytes.size(); at += stride) {
        const SharedBytes bytes = with_int32(golden_bytes, at, 0x7fffffff);
        const Result<RecordBatchView> batch = RecordBatchView::open(bytes);
        if (!batch || batch->header().compression_id() != 0) continue;
        const std::size_t peak = peak_bytes([&] { (void)batch->records().ok(); });
        INFO(row[0] << " at " << at);
        if (peak > allowed_bytes(bytes.size())) FAIL(peak << " bytes for " << bytes.size());
        ++tried;
      }
    }
  CHECK(tried > 1000);
}

TEST_CASE("a compressed batch takes no more than three times what it may unpack to",
          "[protocol][allocation]") {
  constexpr std::size_t unpacked_bytes_max = std::size_t{1} << 20;
  for (CompressionType codec : {CompressionType::gzip, CompressionType::snappy,
                                CompressionType::lz4, CompressionType::zstd}) {
    const ByteVector bomb = compress(codec, ByteVector(std::size_t{64} << 20, 0));
    std::optional<Error> error;
    const std::size_t peak = peak_bytes([&] {
      const Result<ByteVector> unpacked = decompress(codec, bomb, unpacked_bytes_max);
      if (!unpacked) error = unpacked.error();
    });
    INFO(to_string(codec) << " of " << bomb.size() << " bytes");
    REQUIRE(error.has_value());
    CHECK(error->text == "unpacks to more than 1048576 bytes");
    CHECK(peak <= 3 * unpacked_bytes_max + 2 * bomb.size() + always_allowed_bytes);
  }
}

}  // namespace
}  // namespace fencepost::protocol
