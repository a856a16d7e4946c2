#include "protocol/writer.h"

#include <bit>

namespace fencepost::protocol {

namespace {
// Below this size a copy is cheaper than one more piece in the frame.
constexpr std::size_t spliced_bytes_min = 2048;
}  // namespace

void Writer::float64(double value) {
  big_endian(std::bit_cast<std::uint64_t>(value));
}

void Writer::unsigned_varint(std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) int8(static_cast<std::int8_t>(value | 0x80));
  int8(static_cast<std::int8_t>(value));
}

void Writer::varint(std::int32_t value) {
  unsigned_varint((static_cast<std::uint32_t>(value) << 1) ^
                  static_cast<std::uint32_t>(value >> 31));
}

void Writer::varlong(std::int64_t value) {
  std::uint64_t bits =
      (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) int8(static_cast<std::int8_t>(bits | 0x80));
  int8(static_cast<std::int8_t>(bits));
}

void Writer::string_length(std::int32_t length, bool compact) {
  if (compact)
    unsigned_varint(static_cast<std::uint32_t>(length + 1));
  else
    int16(static_cast<std::int16_t>(length));
}

void Writer::bytes_length(std::int32_t length, bool compact) {
  if (compact)
    unsigned_varint(static_cast<std::uint32_t>(length + 1));
  else
    int32(length);
}

void Writer::shared(const SharedBytes& bytes) {
  if (bytes.size() < spliced_bytes_min) return raw(bytes.view());
  flush();
  frame_.append(bytes);
}

void Writer::append(Writer other) {
  if (other.frame_.size() == 0) return raw(other.buffer_);
  flush();
  frame_.append(other.finish());
}

void Writer::flush() {
  if (buffer_.empty()) return;
  frame_.append(SharedBytes(std::move(buffer_)));
  buffer_ = {};
}

Frame Writer::finish() {
  flush();
  Frame out = std::move(frame_);
  frame_ = {};
  return out;
}

}  // namespace fencepost::protocol
