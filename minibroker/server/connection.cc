// Reading is asynchronous; writing is tried at once, in the same turn of the loop as the request,
// and falls back to waiting for the socket only when its buffer is full.
#include "minibroker/server/connection.h"

#include <algorithm>
#include <asio/buffer.hpp>
#include <vector>

#include "protocol/api.h"
#include "protocol/reader.h"

namespace fencepost::minibroker::server {

namespace {

// What a stranger may send before it has named an API: far above any client's first request, far
// below what four letters of another protocol mean as a length.
constexpr std::size_t first_frame_bytes_max = 4 * 1024 * 1024;
// Above this many bytes of unread answers no further request is read.
constexpr std::size_t queued_bytes_max = 16 * 1024 * 1024;
// The most pieces that Asio hands to one writev.
constexpr std::size_t write_pieces_max = 64;

bool names_an_api(const SharedBytes& frame) {
  const auto key = protocol::Reader(frame.view()).int16();
  return protocol::find_api(static_cast<protocol::ApiKey>(key)) != nullptr;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, ConnectionId id, std::size_t frame_bytes_max,
                       ConnectionOwner& owner)
    : socket_(std::move(socket)),
      id_(id),
      frame_bytes_max_(frame_bytes_max),
      owner_(owner),
      reader_(std::min(frame_bytes_max, first_frame_bytes_max)) {}

void Connection::read() {
  if (is_ended_ || is_reading_ || is_closing_ || queue_.size() > queued_bytes_max) return;
  is_reading_ = true;
  const std::span<std::uint8_t> space = reader_.space();
  socket_.async_read_some(asio::buffer(space.data(), space.size()),
                          [self = shared_from_this()](asio::error_code error, std::size_t count) {
                            self->after_read(error, count);
                          });
}

void Connection::after_read(const asio::error_code& error, std::size_t count) {
  is_reading_ = false;
  if (is_ended_) return;
  if (error) return end(reason_of_end(error));
  is_active_ = true;
  reader_.commit(count);
  const Result<void> handed_over = hand_over_frames();
  // What came before bad bytes is answered.
  owner_.read_ended();
  if (!handed_over.ok()) return end(handed_over.error().text);
  read();
}

Result<void> Connection::hand_over_frames() {
  while (!is_ended_) {
    Result<std::optional<SharedBytes>> frame = reader_.next();
    if (!frame.ok()) return frame.error();
    if (!frame->has_value()) break;
    if (!has_spoken_kafka_ && names_an_api(**frame)) {
      has_spoken_kafka_ = true;
      reader_.set_frame_bytes_max(frame_bytes_max_);
    }
    owner_.frame_arrived(id_, std::move(**frame));
  }
  return {};
}

std::string Connection::reason_of_end(const asio::error_code& error) const {
  if (error != asio::error::eof) return error.message();
  if (reader_.pending_bytes() == 0) return {};
  return "the client left in the middle of a frame, after " +
         std::to_string(reader_.pending_bytes()) + " bytes of it";
}

void Connection::flush() {
  while (!is_ended_ && !is_waiting_to_write_ && !queue_.empty()) {
    std::vector<asio::const_buffer> buffers;
    for (ByteView piece : queue_.gather(write_pieces_max)) {
      buffers.emplace_back(piece.data(), piece.size());
    }
    asio::error_code error;
    const std::size_t written = socket_.write_some(buffers, error);
    queue_.consume(written);
    if (error == asio::error::would_block) {
      is_waiting_to_write_ = true;
      socket_.async_wait(asio::ip::tcp::socket::wait_write,
                         [self = shared_from_this()](asio::error_code wait_error) {
                           self->is_waiting_to_write_ = false;
                           if (!wait_error) self->flush();
                         });
    } else if (error) {
      return end(error.message());
    }
  }
  if (is_ended_) return;
  if (is_closing_ && queue_.empty()) return end("");
  if (queue_.size() < queued_bytes_max / 2) read();
}

void Connection::end(std::string_view reason) {
  if (is_ended_) return;
  is_ended_ = true;
  asio::error_code ignored;
  socket_.close(ignored);
  owner_.connection_ended(id_, reason);
}

bool Connection::was_active() {
  return std::exchange(is_active_, false);
}

}  // namespace fencepost::minibroker::server
