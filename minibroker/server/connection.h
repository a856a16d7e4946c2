// One client's socket: reads many requests at a time, writes answers without waiting, and stops
// reading while the client does not take its answers.
#pragma once

#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "minibroker/cluster.h"
#include "minibroker/server/frame_reader.h"
#include "minibroker/server/write_queue.h"

namespace fencepost::minibroker::server {

// What a connection tells the server that it belongs to.
class ConnectionOwner {
 public:
  virtual void frame_arrived(ConnectionId connection, SharedBytes frame) = 0;
  // All frames that came with one read have been handed over: time to answer.
  virtual void read_ended() = 0;
  // The socket is closed; `reason` is empty when there is nothing to tell.
  virtual void connection_ended(ConnectionId connection, std::string_view reason) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `owner` has to outlive the io_context's handlers.
  Connection(asio::ip::tcp::socket socket, ConnectionId id, std::size_t frame_bytes_max,
             ConnectionOwner& owner);

  ConnectionId id() const { return id_; }

  void start() { read(); }
  // Queues an answer; flush() writes it.
  void push(Frame frame) { queue_.push(std::move(frame)); }
  // Writes what the socket takes now; the rest follows by itself.
  void flush();
  // Closes once everything queued has been written.
  void close_when_flushed() { is_closing_ = true; }
  // Closes now and tells the owner, once.
  void end(std::string_view reason);

  // Whether bytes have arrived since the last call.
  bool was_active();

 private:
  void read();
  void after_read(const asio::error_code& error, std::size_t count);
  Result<void> hand_over_frames();
  std::string reason_of_end(const asio::error_code& error) const;

  asio::ip::tcp::socket socket_;
  ConnectionId id_;
  std::size_t frame_bytes_max_;
  ConnectionOwner& owner_;
  FrameReader reader_;
  WriteQueue queue_;
  bool has_spoken_kafka_ = false;  // its first request named an API that exists
  bool is_reading_ = false;
  bool is_waiting_to_write_ = false;
  bool is_closing_ = false;
  bool is_ended_ = false;
  bool is_active_ = true;
};

}  // namespace fencepost::minibroker::server
