// A running digest (FNV-1a, 64 bits) of everything that happened in a run. Two runs that should be
// equal are equal exactly when their digests are; it is no protection against an adversary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"

namespace fencepost {

class Digest {
 public:
  void add(ByteView bytes) {
    for (std::uint8_t byte : bytes) value_ = (value_ ^ byte) * 0x100000001b3U;
  }
  void add(std::string_view text) { add(as_bytes(text)); }
  void add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8)
      value_ = (value_ ^ ((static_cast<std::uint64_t>(number) >> shift) & 0xff)) * 0x100000001b3U;
  }
  std::uint64_t value() const { return value_; }

  bool operator==(const Digest&) const = default;

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace fencepost
