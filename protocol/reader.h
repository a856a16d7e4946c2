// Reads Kafka's primitive types from a span. The first failure sticks: every later read returns a
// zero, so that a caller may read a whole struct and look at failed() once.
// Source: the protocol types of Kafka's protocol guide; varints are zig-zag base 128.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/base/uuid.h"

namespace fencepost::protocol {

class Reader {
 public:
  explicit Reader(ByteView bytes) : bytes_(bytes) {}
  // Byte and record fields that are read become slices of this buffer instead of copies.
  explicit Reader(const SharedBytes& bytes) : bytes_(bytes.view()), shared_(bytes) {}

  bool boolean() { return int8() != 0; }
  std::int8_t int8() { return big_endian<std::int8_t>(); }
  std::int16_t int16() { return big_endian<std::int16_t>(); }
  std::uint16_t uint16() { return big_endian<std::uint16_t>(); }
  std::int32_t int32() { return big_endian<std::int32_t>(); }
  std::uint32_t uint32() { return big_endian<std::uint32_t>(); }
  std::int64_t int64() { return big_endian<std::int64_t>(); }
  double float64();
  std::uint32_t unsigned_varint();
  std::int32_t varint();
  std::int64_t varlong();
  Uuid uuid();

  // Lengths in front of strings, bytes and arrays; -1 stands for null. A length below -1, or above
  // what is left, fails: an element takes one byte at least.
  std::int32_t string_length(bool compact);
  std::int32_t bytes_length(bool compact);
  std::int32_t array_length(bool compact);

  // The next `size` bytes; fails when fewer are left.
  ByteView view(std::size_t size) {
    if (failed() || size > remaining()) return missing(size);
    const ByteView out = bytes_.subspan(offset_, size);
    offset_ += size;
    return out;
  }
  SharedBytes shared(std::size_t size);
  std::string text(std::size_t size);
  void skip(std::size_t size) { view(size); }

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  // Fails at the current offset unless it has failed already. Always returns false.
  bool fail(std::string text);
  // Puts a struct's or field's name in front of the path of the failed field.
  void prefix_field(std::string_view name);

 private:
  template <class Number>
  Number big_endian() {
    std::make_unsigned_t<Number> value = 0;
    for (std::uint8_t byte : view(sizeof(Number)))
      value = static_cast<std::make_unsigned_t<Number>>((std::uint64_t{value} << 8) | byte);
    return static_cast<Number>(value);
  }
  // Fails if it has not yet.
  ByteView missing(std::size_t size);
  std::int32_t compact_length();
  std::int32_t checked_length(std::int32_t length);

  ByteView bytes_;
  SharedBytes shared_;
  std::size_t offset_ = 0;
  std::optional<Error> error_;
};

}  // namespace fencepost::protocol
