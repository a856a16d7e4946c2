// Writes Kafka's primitive types into a Frame. Large byte fields are spliced into the frame rather
// than copied.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"

namespace fencepost::protocol {

class Writer {
 public:
  void boolean(bool value) { int8(value ? 1 : 0); }
  void int8(std::int8_t value) { big_endian(static_cast<std::uint8_t>(value)); }
  void int16(std::int16_t value) { big_endian(static_cast<std::uint16_t>(value)); }
  void uint16(std::uint16_t value) { big_endian(value); }
  void int32(std::int32_t value) { big_endian(static_cast<std::uint32_t>(value)); }
  void uint32(std::uint32_t value) { big_endian(value); }
  void int64(std::int64_t value) { big_endian(static_cast<std::uint64_t>(value)); }
  void float64(double value);
  void unsigned_varint(std::uint32_t value);
  void varint(std::int32_t value);
  void varlong(std::int64_t value);
  void uuid(const Uuid& value) { raw(value.bytes); }

  // Lengths in front of strings, bytes and arrays; -1 stands for null.
  void string_length(std::int32_t length, bool compact);
  void bytes_length(std::int32_t length, bool compact);
  void array_length(std::int32_t length, bool compact) { bytes_length(length, compact); }

  void raw(ByteView bytes) { std::ranges::copy(bytes, extend(bytes.size())); }
  void raw(std::string_view text) { raw(as_bytes(text)); }
  // Copied when small, spliced in when large.
  void shared(const SharedBytes& bytes);
  // What another writer has collected.
  void append(Writer other);

  std::size_t size() const { return frame_.size() + buffer_.size(); }
  // Everything written so far; the writer is empty afterwards.
  Frame finish();

 private:
  // Room for a usual message: growing from nothing would take seven allocations.
  static constexpr std::size_t first_capacity = 128;

  template <class Number>
  void big_endian(Number value) {
    std::uint8_t* out = extend(sizeof(Number));
    for (int shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8)
      *out++ = static_cast<std::uint8_t>(value >> shift);
  }
  // Where that many more bytes belong.
  std::uint8_t* extend(std::size_t count) {
    const std::size_t size = buffer_.size();
    if (size == 0) buffer_.reserve(first_capacity);
    buffer_.resize(size + count);
    return buffer_.data() + size;
  }
  void flush();

  ByteVector buffer_;
  Frame frame_;
};

}  // namespace fencepost::protocol
