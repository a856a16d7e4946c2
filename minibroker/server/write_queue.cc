// A partial write leaves an offset into the first piece; pieces are dropped as they are written.
#include "minibroker/server/write_queue.h"

#include <limits>

#include "protocol/base/check.h"

namespace fencepost::minibroker::server {

namespace {

SharedBytes length_of(const Frame& frame) {
  CHECK(frame.size() <= std::numeric_limits<std::int32_t>::max());
  const auto size = static_cast<std::uint32_t>(frame.size());
  return SharedBytes(ByteVector{
      static_cast<std::uint8_t>(size >> 24),
      static_cast<std::uint8_t>(size >> 16),
      static_cast<std::uint8_t>(size >> 8),
      static_cast<std::uint8_t>(size),
  });
}

}  // namespace

void WriteQueue::push(Frame frame) {
  pieces_.push_back(length_of(frame));
  size_ += pieces_.back().size() + frame.size();
  for (const SharedBytes& piece : frame.pieces()) {
    if (!piece.empty()) pieces_.push_back(piece);
  }
}

std::vector<ByteView> WriteQueue::gather(std::size_t pieces_max) const {
  std::vector<ByteView> views;
  for (const SharedBytes& piece : pieces_) {
    if (views.size() == pieces_max) break;
    views.push_back(views.empty() ? piece.view().subspan(written_) : piece.view());
  }
  return views;
}

void WriteQueue::consume(std::size_t count) {
  CHECK(count <= size_);
  size_ -= count;
  written_ += count;
  while (!pieces_.empty() && written_ >= pieces_.front().size()) {
    written_ -= pieces_.front().size();
    pieces_.pop_front();
  }
}

}  // namespace fencepost::minibroker::server
