// Small frames are copied out of the buffer, so that a record of 100 bytes in a log does not keep
// 64 KiB alive; large ones are read in place.
#include "minibroker/server/frame_reader.h"

#include <algorithm>
#include <cstring>

#include "protocol/base/check.h"
#include "protocol/reader.h"

namespace fencepost::minibroker::server {

namespace {

constexpr std::size_t length_bytes = 4;
// Above this a frame is read in place.
constexpr std::size_t small_frame_bytes_max = FrameReader::buffer_bytes / 2;
// How much memory a claimed length gets before its bytes arrive.
constexpr std::size_t claimed_bytes_max = 1024 * 1024;

}  // namespace

FrameReader::FrameReader(std::size_t frame_bytes_max)
    : frame_bytes_max_(frame_bytes_max),
      buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(buffer_bytes)) {}

std::span<std::uint8_t> FrameReader::space() {
  if (large_size_ > 0) {
    if (large_filled_ == large_capacity_) grow_large(std::min(large_size_, 2 * large_capacity_));
    return {large_.get() + large_filled_, large_capacity_ - large_filled_};
  }
  // The front of a frame moves to the front of the buffer, where all of a small frame has room.
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, buffer_bytes - end_};
}

void FrameReader::commit(std::size_t count) {
  if (large_size_ > 0) {
    large_filled_ += count;
    CHECK(large_filled_ <= large_capacity_);
  } else {
    end_ += count;
    CHECK(end_ <= buffer_bytes);
  }
}

Result<std::optional<SharedBytes>> FrameReader::next() {
  if (large_size_ > 0) return take_large_frame();
  const ByteView arrived(buffer_.get() + begin_, end_ - begin_);
  if (arrived.size() < length_bytes) return std::optional<SharedBytes>();

  const std::int32_t length = protocol::Reader(arrived).int32();
  const auto size = static_cast<std::size_t>(std::max(length, 0));
  if (length < 0 || size < frame_bytes_min_ || size > frame_bytes_max_) {
    return Error{ErrorKind::malformed,
                 "a frame of " + std::to_string(length) + " bytes; possible are " +
                     std::to_string(frame_bytes_min_) + " to " + std::to_string(frame_bytes_max_),
                 0,
                 {}};
  }
  if (arrived.size() - length_bytes >= size) {
    begin_ += length_bytes + size;
    return std::optional(SharedBytes::copy_of(arrived.subspan(length_bytes, size)));
  }
  if (size > small_frame_bytes_max) begin_large_frame(size);
  return std::optional<SharedBytes>();
}

void FrameReader::begin_large_frame(std::size_t size) {
  const ByteView arrived(buffer_.get() + begin_ + length_bytes, end_ - begin_ - length_bytes);
  grow_large(std::min(size, claimed_bytes_max));
  std::memcpy(large_.get(), arrived.data(), arrived.size());
  large_size_ = size;
  large_filled_ = arrived.size();
  begin_ = end_ = 0;
}

// Not cleared: a byte is written before anybody is given it.
void FrameReader::grow_large(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
  if (large_filled_ > 0) std::memcpy(larger.get(), large_.get(), large_filled_);
  large_ = std::move(larger);
  large_capacity_ = capacity;
}

std::optional<SharedBytes> FrameReader::take_large_frame() {
  if (large_filled_ < large_size_) return std::nullopt;
  const std::shared_ptr<std::uint8_t[]> owner(std::move(large_));
  SharedBytes frame(owner, {owner.get(), large_size_});
  large_size_ = large_filled_ = large_capacity_ = 0;
  return frame;
}

}  // namespace fencepost::minibroker::server
