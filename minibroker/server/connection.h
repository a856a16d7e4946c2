// One client's socket: reads many requests at a time, writes answers without waiting, and stops
// reading while the client does not take its answers.
#pragma once

#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "minibroker/cluster.h"
#include "minibroker/server/frame_reader.h"
#include "minibroker/server/write_queue.h"
#include "protocol/tls/session.h"

namespace fencepost::minibroker::server {

class Connection;

// What a connection tells the server that it belongs to.
class ConnectionOwner {
 public:
  // Whether the connection may go on reading; one that may not is told to resume() later.
  virtual bool may_read(const Connection& connection) = 0;
  // TLS is established; `principal` is of the client's certificate ("CN=client"), or empty.
  virtual void secured(Connection& connection, std::string principal) = 0;
  virtual void frame_arrived(ConnectionId connection, SharedBytes frame) = 0;
  // How large the next frame of a connection that speaks Kafka may be.
  virtual std::size_t frame_bytes_max(ConnectionId connection) const = 0;
  // All frames that came with one read have been handed over: time to answer.
  virtual void read_ended() = 0;
  // The socket is closed; `reason` is empty when there is nothing to tell.
  virtual void connection_ended(Connection& connection, std::string_view reason) = 0;

 protected:
  ~ConnectionOwner() = default;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Options {
    std::size_t frame_bytes_max = 0;  // of the first frame
    // Old clients send SASL tokens as they are, of any size.
    bool may_send_raw_tokens = false;
    const protocol::tls::Context* tls = nullptr;  // null: plain
  };
  // `owner` has to outlive the io_context's handlers.
  Connection(asio::ip::tcp::socket socket, const Options& options, ConnectionOwner& owner);

  // The cluster knows the connection by this number from now on.
  void set_id(ConnectionId id) { id_ = id; }
  // 0 until TLS is established.
  ConnectionId id() const { return id_; }
  // Bytes that it holds, or has promised to send, of a request that has not arrived as a whole.
  std::size_t pending_bytes() const { return reader_.claimed_bytes(); }
  // Reads again if it may.
  void resume() { read(); }

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
  Result<void> take_bytes(std::size_t count);
  Result<void> decrypt();
  Result<void> hand_over_frames();
  bool write_some();
  bool encrypt();
  std::string reason_of_end(const asio::error_code& error) const;

  asio::ip::tcp::socket socket_;
  ConnectionId id_ = 0;
  ConnectionOwner& owner_;
  FrameReader reader_;
  WriteQueue queue_;
  std::optional<protocol::tls::Session> tls_;
  std::vector<std::uint8_t> encrypted_in_;  // space for what the network brings
  ByteVector encrypted_out_;                // has to go out before anything of queue_
  std::size_t encrypted_out_written_ = 0;
  bool has_spoken_kafka_ = false;  // its first request named an API that exists
  bool is_reading_ = false;
  bool is_waiting_to_write_ = false;
  bool is_closing_ = false;
  bool is_ended_ = false;
  bool is_active_ = true;
};

}  // namespace fencepost::minibroker::server
