// The frames that wait to be written to one connection, gathered into as few writes as possible;
// record data goes out from where it lies.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "protocol/base/bytes.h"

namespace fencepost::minibroker::server {

class WriteQueue {
 public:
  // Puts the length in front of the frame.
  void push(Frame frame);

  // The first pieces that wait, at most `pieces_max`, in order. Valid until push() or consume().
  std::vector<ByteView> gather(std::size_t pieces_max) const;
  // The first `count` bytes have been written.
  void consume(std::size_t count);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

 private:
  std::deque<SharedBytes> pieces_;
  std::size_t written_ = 0;  // of the first piece
  std::size_t size_ = 0;     // bytes that wait
};

}  // namespace fencepost::minibroker::server
