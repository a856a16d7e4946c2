// Cuts a stream of bytes into request frames. Bytes go in where space() points, frames come out of
// next(); memory grows with the bytes that have arrived, not with a length that is merely claimed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker::server {

class FrameReader {
 public:
  // An API key, a version and a correlation id: no request is shorter.
  static constexpr std::size_t frame_bytes_min = 8;
  static constexpr std::size_t buffer_bytes = 64 * 1024;

  explicit FrameReader(std::size_t frame_bytes_max);

  // Frames may be of any size, even empty: SASL tokens of old clients.
  void allow_small_frames() { frame_bytes_min_ = 0; }
  // Holds for the frames whose length has not been read yet.
  void set_frame_bytes_max(std::size_t bytes) { frame_bytes_max_ = bytes; }

  // Where the next bytes belong; never empty. Valid until any other call.
  std::span<std::uint8_t> space();
  // That many bytes have been put at the front of space().
  void commit(std::size_t count);

  // The next complete frame, without its length; nothing when bytes are still missing.
  // Errors: malformed for a length that no request can have. The stream cannot be read further.
  Result<std::optional<SharedBytes>> next();

  // What the frame that has not arrived as a whole will take; 0 when there is none.
  std::size_t claimed_bytes() const { return large_size_ > 0 ? large_size_ : end_ - begin_; }
  // Bytes of a frame that has not arrived as a whole.
  std::size_t pending_bytes() const { return large_filled_ + (end_ - begin_); }

 private:
  void begin_large_frame(std::size_t size);
  void grow_large(std::size_t capacity);
  std::optional<SharedBytes> take_large_frame();

  std::size_t frame_bytes_min_ = frame_bytes_min;
  std::size_t frame_bytes_max_;

  // What has been read and not yet cut: [begin_, end_) of the buffer.
  std::unique_ptr<std::uint8_t[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;

  // A frame that would not fit well into the buffer is read straight into its own memory.
  std::unique_ptr<std::uint8_t[]> large_;
  std::size_t large_capacity_ = 0;
  std::size_t large_size_ = 0;  // 0: no such frame is being read
  std::size_t large_filled_ = 0;
};

}  // namespace fencepost::minibroker::server
