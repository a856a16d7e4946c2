#include "protocol/records/snappy_frames.h"

#include <snappy.h>

#include <algorithm>
#include <array>

#include "protocol/base/check.h"
#include "protocol/reader.h"
#include "protocol/writer.h"

namespace fencepost::protocol {

namespace {

constexpr std::array<std::uint8_t, 8> magic = {0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
constexpr std::int32_t frame_version = 1;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t block_bytes_max = std::size_t{32} << 10;
// A copy of 64 bytes takes three; nothing in the format is denser.
constexpr std::size_t unpacked_per_byte_max = 22;

bool begins_with_magic(ByteView bytes) {
  return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

Error malformed(std::string text, std::size_t offset) {
  return Error{ErrorKind::malformed, std::move(text), offset, {}};
}

// Appends what the raw block unpacks to. The length it declares is believed only as far as the
// block's own size can bear it.
std::optional<Error> append_block(ByteVector& out, ByteView block, std::size_t offset,
                                  std::size_t unpacked_bytes_max) {
  const char* data = reinterpret_cast<const char*>(block.data());
  std::size_t size = 0;
  if (!snappy::GetUncompressedLength(data, block.size(), &size) ||
      size > block.size() * unpacked_per_byte_max)
    return malformed("not snappy data", offset);
  if (size > unpacked_bytes_max - out.size())
    return malformed("unpacks to more than " + std::to_string(unpacked_bytes_max) + " bytes",
                     offset);
  const std::size_t start = out.size();
  out.resize(start + size);
  if (!snappy::RawUncompress(data, block.size(), reinterpret_cast<char*>(out.data()) + start))
    return malformed("not snappy data", offset);
  return std::nullopt;
}

}  // namespace

ByteVector compress_snappy(ByteView bytes) {
  ByteVector out(magic.begin(), magic.end());
  const auto append_int32 = [&](std::size_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      out.push_back(static_cast<std::uint8_t>(value >> shift));
  };
  append_int32(frame_version);
  append_int32(frame_version);  // the oldest version that can read this
  while (!bytes.empty()) {
    const ByteView block = bytes.first(std::min(bytes.size(), block_bytes_max));
    std::string packed;
    snappy::Compress(reinterpret_cast<const char*>(block.data()), block.size(), &packed);
    append_int32(packed.size());
    out.insert(out.end(), packed.begin(), packed.end());
    bytes = bytes.subspan(block.size());
  }
  return out;
}

Result<ByteVector> decompress_snappy(ByteView bytes, std::size_t unpacked_bytes_max) {
  ByteVector out;
  if (!begins_with_magic(bytes)) {
    if (auto error = append_block(out, bytes, 0, unpacked_bytes_max)) return *error;
    return out;
  }
  Reader reader(bytes);
  // Fewer bytes than a block's length takes are left alone, as Kafka's library does.
  while (reader.remaining() >= sizeof(std::int32_t)) {
    // Streams may be concatenated, headers and all.
    if (begins_with_magic(bytes.subspan(reader.offset()))) {
      reader.skip(header_bytes);
      if (reader.failed()) return reader.error();
      continue;
    }
    const std::int32_t size = reader.int32();
    if (!reader.failed() && size < 0) reader.fail("a block of " + std::to_string(size) + " bytes");
    const std::size_t offset = reader.offset();
    const ByteView block = reader.view(static_cast<std::size_t>(size));
    if (reader.failed()) return reader.error();
    if (auto error = append_block(out, block, offset, unpacked_bytes_max)) return *error;
  }
  return out;
}

}  // namespace fencepost::protocol
