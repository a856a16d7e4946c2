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
// How much is encrypted or decrypted in one go.
constexpr std::size_t encrypted_bytes_at_once = 64 * 1024;
// The most pieces that Asio hands to one writev.
constexpr std::size_t write_pieces_max = 64;

bool names_an_api(const SharedBytes& frame) {
  const auto key = protocol::Reader(frame.view()).int16();
  return protocol::find_api(static_cast<protocol::ApiKey>(key)) != nullptr;
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, const Options& options, ConnectionOwner& owner)
    : socket_(std::move(socket)),
      owner_(owner),
      reader_(std::min(options.frame_bytes_max, first_frame_bytes_max)) {
  if (options.may_send_raw_tokens) reader_.allow_small_frames();
  if (options.tls == nullptr) return;
  tls_.emplace(*options.tls);
  encrypted_in_.resize(encrypted_bytes_at_once);
}

void Connection::read() {
  if (is_ended_ || is_reading_ || is_closing_ || queue_.size() > queued_bytes_max) return;
  if (!owner_.may_read(*this)) return;
  is_reading_ = true;
  const std::span<std::uint8_t> space = tls_ ? std::span(encrypted_in_) : reader_.space();
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
  const Result<void> taken = take_bytes(count);
  // What came before bad bytes is answered.
  owner_.read_ended();
  flush();
  if (!taken.ok()) return end(taken.error().text);
  read();
}

Result<void> Connection::take_bytes(std::size_t count) {
  if (!tls_) {
    reader_.commit(count);
    return hand_over_frames();
  }
  const bool was_established = tls_->is_established();
  if (Result<void> received = tls_->receive(std::span(encrypted_in_).first(count)); !received.ok())
    return received;
  if (!was_established && tls_->is_established()) owner_.secured(*this, tls_->peer_name());
  return decrypt();
}

Result<void> Connection::decrypt() {
  while (!is_ended_) {
    const Result<std::size_t> count = tls_->read(reader_.space());
    if (!count.ok()) return count.error();
    if (*count == 0) break;
    reader_.commit(*count);
    if (Result<void> handed_over = hand_over_frames(); !handed_over.ok()) return handed_over;
  }
  if (!is_ended_ && tls_->is_closed()) end("");
  return {};
}

Result<void> Connection::hand_over_frames() {
  while (!is_ended_) {
    Result<std::optional<SharedBytes>> frame = reader_.next();
    if (!frame.ok()) return frame.error();
    if (!frame->has_value()) break;
    has_spoken_kafka_ = has_spoken_kafka_ || names_an_api(**frame);
    owner_.frame_arrived(id_, std::move(**frame));
    if (has_spoken_kafka_) reader_.set_frame_bytes_max(owner_.frame_bytes_max(id_));
  }
  return {};
}

std::string Connection::reason_of_end(const asio::error_code& error) const {
  if (error != asio::error::eof) return error.message();
  if (reader_.pending_bytes() == 0) return {};
  return "the client left in the middle of a frame, after " +
         std::to_string(reader_.pending_bytes()) + " bytes of it";
}

// Turns the next answers into what goes over the network. False when there is nothing.
bool Connection::encrypt() {
  if (encrypted_out_written_ == encrypted_out_.size()) {
    encrypted_out_ = tls_->take_output();
    encrypted_out_written_ = 0;
    while (encrypted_out_.size() < encrypted_bytes_at_once && !queue_.empty() &&
           tls_->is_established()) {
      const ByteView piece = queue_.gather(1).front();
      const ByteView part = piece.first(std::min(piece.size(), encrypted_bytes_at_once));
      if (!tls_->write(part).ok()) return false;
      queue_.consume(part.size());
      const ByteVector more = tls_->take_output();
      encrypted_out_.insert(encrypted_out_.end(), more.begin(), more.end());
    }
  }
  return encrypted_out_written_ < encrypted_out_.size();
}

// Writes what the socket takes at once. False when it takes no more, or there is nothing.
bool Connection::write_some() {
  std::vector<asio::const_buffer> buffers;
  if (tls_) {
    if (!encrypt()) return false;
    buffers.push_back(asio::buffer(encrypted_out_) + encrypted_out_written_);
  } else {
    for (ByteView piece : queue_.gather(write_pieces_max))
      buffers.emplace_back(piece.data(), piece.size());
    if (buffers.empty()) return false;
  }
  asio::error_code error;
  const std::size_t written = socket_.write_some(buffers, error);
  if (tls_)
    encrypted_out_written_ += written;
  else
    queue_.consume(written);
  if (!error) return true;
  if (error != asio::error::would_block) {
    end(error.message());
    return false;
  }
  is_waiting_to_write_ = true;
  socket_.async_wait(asio::ip::tcp::socket::wait_write,
                     [self = shared_from_this()](asio::error_code wait_error) {
                       self->is_waiting_to_write_ = false;
                       if (!wait_error) self->flush();
                     });
  return false;
}

void Connection::flush() {
  while (!is_ended_ && !is_waiting_to_write_ && write_some()) {
  }
  if (is_ended_ || is_waiting_to_write_) return;
  if (is_closing_ && queue_.empty()) return end("");
  if (queue_.size() < queued_bytes_max / 2) read();
}

void Connection::end(std::string_view reason) {
  if (is_ended_) return;
  is_ended_ = true;
  asio::error_code ignored;
  socket_.close(ignored);
  owner_.connection_ended(*this, reason);
}

bool Connection::was_active() {
  return std::exchange(is_active_, false);
}

}  // namespace fencepost::minibroker::server
