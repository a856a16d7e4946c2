#include "protocol/reader.h"

#include <bit>
#include <limits>

namespace fencepost::protocol {

bool Reader::fail(std::string text) {
  if (!error_) error_ = Error{ErrorKind::malformed, std::move(text), offset_, {}};
  return false;
}

void Reader::prefix_field(std::string_view name) {
  if (!error_) return;
  std::string path(name);
  if (!error_->field.empty()) {
    if (error_->field.front() != '[') path += '.';
    path += error_->field;
  }
  error_->field = std::move(path);
}

ByteView Reader::missing(std::size_t size) {
  if (!failed())
    fail("needs " + std::to_string(size) + " bytes, " + std::to_string(remaining()) + " are left");
  return {};
}

SharedBytes Reader::shared(std::size_t size) {
  const std::size_t start = offset_;
  const ByteView out = view(size);
  if (failed() || out.empty()) return {};
  return shared_.empty() ? SharedBytes::copy_of(out) : shared_.slice(start, size);
}

std::string Reader::text(std::size_t size) {
  return std::string(as_text(view(size)));
}

double Reader::float64() {
  return std::bit_cast<double>(big_endian<std::int64_t>());
}

std::uint32_t Reader::unsigned_varint() {
  std::uint32_t value = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    const ByteView byte = view(1);
    if (failed()) return 0;
    const std::uint32_t part = byte[0] & 0x7f;
    if (shift == 28 && part > 0x0f) break;
    value |= part << shift;
    if ((byte[0] & 0x80) == 0) return value;
  }
  fail("a varint of more than 32 bits");
  return 0;
}

std::int32_t Reader::varint() {
  const std::uint32_t value = unsigned_varint();
  return static_cast<std::int32_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::int64_t Reader::varlong() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    const ByteView byte = view(1);
    if (failed()) return 0;
    const std::uint64_t part = byte[0] & 0x7f;
    if (shift == 63 && part > 1) break;
    value |= part << shift;
    if ((byte[0] & 0x80) == 0) return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  fail("a varlong of more than 64 bits");
  return 0;
}

Uuid Reader::uuid() {
  Uuid uuid;
  const ByteView in = view(uuid.bytes.size());
  for (std::size_t i = 0; i < in.size(); ++i) uuid.bytes[i] = in[i];
  return uuid;
}

std::int32_t Reader::compact_length() {
  const std::uint32_t length_plus_one = unsigned_varint();
  if (failed()) return -1;
  if (length_plus_one > std::uint32_t{std::numeric_limits<std::int32_t>::max()}) {
    fail("a length of " + std::to_string(length_plus_one));
    return -1;
  }
  return static_cast<std::int32_t>(length_plus_one) - 1;
}

std::int32_t Reader::checked_length(std::int32_t length) {
  if (failed()) return -1;
  if (length < -1) {
    fail("a length of " + std::to_string(length));
    return -1;
  }
  if (length > 0 && static_cast<std::size_t>(length) > remaining()) {
    fail("a length of " + std::to_string(length) + ", " + std::to_string(remaining()) +
         " bytes are left");
    return -1;
  }
  return length;
}

std::int32_t Reader::string_length(bool compact) {
  const std::int32_t length = checked_length(compact ? compact_length() : int16());
  if (length > std::numeric_limits<std::int16_t>::max()) {
    fail("a string of " + std::to_string(length) + " bytes, 32767 is the most");
    return -1;
  }
  return length;
}

std::int32_t Reader::bytes_length(bool compact) {
  return checked_length(compact ? compact_length() : int32());
}

std::int32_t Reader::array_length(bool compact) {
  return bytes_length(compact);
}

}  // namespace fencepost::protocol
