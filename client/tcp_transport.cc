// Asio's errors become ours here; none of its exceptions leave this file.
#include "client/tcp_transport.h"

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/redirect_error.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "client/socks5.h"

namespace fencepost::client {

namespace {

using asio::ip::tcp;
using LengthBytes = std::array<std::uint8_t, 4>;

// A peer that promises a huge frame gets memory only as the bytes arrive.
constexpr std::size_t read_bytes_at_once = std::size_t{1} << 20;
constexpr std::size_t encrypted_bytes_at_once = std::size_t{64} << 10;

LengthBytes encode_length(std::size_t size) {
  const auto length = static_cast<std::uint32_t>(size);
  return {static_cast<std::uint8_t>(length >> 24), static_cast<std::uint8_t>(length >> 16),
          static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)};
}

std::int32_t decode_length(const LengthBytes& bytes) {
  std::uint32_t length = 0;
  for (const std::uint8_t byte : bytes) length = length << 8 | byte;
  return static_cast<std::int32_t>(length);
}

class TcpChannel : public Channel {
 public:
  TcpChannel(tcp::socket socket, std::string address, std::size_t frame_bytes_max)
      : socket_(std::move(socket)),
        address_(std::move(address)),
        frame_bytes_max_(frame_bytes_max) {}

  // Once, before anything else. Error cannot_connect.
  Task<void> establish_tls(protocol::tls::Session session);

  Task<void> send(Frame frame) override;
  Task<SharedBytes> receive() override;
  void close() override;

 private:
  Error closed(const std::string& step, const asio::error_code& failure) const;
  Error broken(const std::string& step, const Error& error) const;
  // Fills the space, decrypted.
  Task<void> read(std::span<std::uint8_t> space);
  Task<void> read_encrypted();
  Task<void> write_encrypted();

  tcp::socket socket_;
  std::string address_;
  std::size_t frame_bytes_max_;
  std::optional<protocol::tls::Session> tls_;
  ByteVector encrypted_in_;  // space for what the network brings
  bool is_writing_encrypted_ = false;
  bool was_heard_ = false;  // something came over TLS
};

Error TcpChannel::closed(const std::string& step, const asio::error_code& failure) const {
  const std::string reason =
      failure == asio::error::eof ? "the other side closed the connection" : failure.message();
  return Error{ErrorKind::closed, step + " " + address_ + ": " + reason};
}

Error TcpChannel::broken(const std::string& step, const Error& error) const {
  return Error{ErrorKind::closed, step + " " + address_ + ": " + error.text};
}

Task<void> TcpChannel::read(std::span<std::uint8_t> space) {
  if (!tls_) {
    asio::error_code failure;
    co_await asio::async_read(socket_, asio::buffer(space.data(), space.size()),
                              asio::redirect_error(asio::use_awaitable, failure));
    if (failure) co_return closed("reading from", failure);
    co_return Result<void>();
  }
  while (!space.empty()) {
    const Result<std::size_t> count = tls_->read(space);
    if (!count) co_return broken("reading from", count.error());
    space = space.subspan(*count);
    if (*count > 0) continue;
    if (tls_->is_closed()) co_return closed("reading from", asio::error::eof);
    Result<void> more = co_await read_encrypted();
    if (!more) co_return more.error();
  }
  co_return Result<void>();
}

Task<void> TcpChannel::read_encrypted() {
  asio::error_code failure;
  const std::size_t count = co_await socket_.async_read_some(
      asio::buffer(encrypted_in_), asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return closed("reading from", failure);
  was_heard_ = true;
  Result<void> received = tls_->receive(std::span(encrypted_in_).first(count));
  // An alert for the other side goes out even then.
  Result<void> written = co_await write_encrypted();
  if (!received) co_return broken("reading from", received.error());
  co_return written;
}

// Whoever comes while another writes leaves his bytes to him.
Task<void> TcpChannel::write_encrypted() {
  if (is_writing_encrypted_) co_return Result<void>();
  is_writing_encrypted_ = true;
  asio::error_code failure;
  for (ByteVector out = tls_->take_output(); !out.empty() && !failure; out = tls_->take_output())
    co_await asio::async_write(socket_, asio::buffer(out),
                               asio::redirect_error(asio::use_awaitable, failure));
  is_writing_encrypted_ = false;
  if (failure) co_return closed("sending to", failure);
  co_return Result<void>();
}

Task<void> TcpChannel::establish_tls(protocol::tls::Session session) {
  tls_.emplace(std::move(session));
  encrypted_in_.resize(encrypted_bytes_at_once);
  Result<void> step = co_await write_encrypted();
  while (step.ok() && !tls_->is_established()) step = co_await read_encrypted();
  if (!step)
    co_return Error{ErrorKind::cannot_connect, "cannot connect to " + address_ +
                                                   ": establishing TLS: " + step.error().text +
                                                   (was_heard_ ? "" : "; check security.protocol")};
  co_return Result<void>();
}

Task<void> TcpChannel::send(Frame frame) {
  if (frame.size() > frame_bytes_max_)
    co_return Error{ErrorKind::not_encodable, "a frame of " + std::to_string(frame.size()) +
                                                  " bytes is above the limit of " +
                                                  std::to_string(frame_bytes_max_)};
  const LengthBytes length = encode_length(frame.size());
  std::vector<asio::const_buffer> pieces;
  pieces.reserve(frame.pieces().size() + 1);
  pieces.push_back(asio::buffer(length));
  for (const SharedBytes& piece : frame.pieces())
    pieces.push_back(asio::buffer(piece.data(), piece.size()));
  if (tls_) {
    Result<void> encrypted = tls_->write(length);
    for (const SharedBytes& piece : frame.pieces())
      if (encrypted.ok()) encrypted = tls_->write(piece.view());
    if (!encrypted) co_return broken("sending to", encrypted.error());
    co_return co_await write_encrypted();
  }
  asio::error_code failure;
  co_await asio::async_write(socket_, pieces, asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return closed("sending to", failure);
  co_return Result<void>();
}

Task<SharedBytes> TcpChannel::receive() {
  LengthBytes length_bytes{};
  Result<void> filled = co_await read(length_bytes);
  if (!filled) co_return filled.error();
  const std::int32_t length = decode_length(length_bytes);
  if (length < 0 || static_cast<std::size_t>(length) > frame_bytes_max_)
    co_return Error{ErrorKind::malformed, "reading from " + address_ + ": a frame of " +
                                              std::to_string(length) +
                                              " bytes; is this a Kafka broker, without TLS?"};
  const auto size = static_cast<std::size_t>(length);
  ByteVector bytes;
  while (bytes.size() < size) {
    const std::size_t begin = bytes.size();
    bytes.resize(std::min(size, begin + read_bytes_at_once));
    filled = co_await read(std::span(bytes).subspan(begin));
    if (!filled) co_return filled.error();
  }
  co_return SharedBytes(std::move(bytes));
}

void TcpChannel::close() {
  asio::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

// What a person can do about it; empty when the reason says it all.
std::string_view advice_on(const asio::error_code& failure) {
  if (failure == asio::error::connection_refused)
    return "; check that a broker listens there, on that port";
  if (failure == asio::error::host_not_found) return "; check the spelling of the name";
  return {};
}

Error cannot_connect(const std::string& address, const std::string& step,
                     const asio::error_code& failure) {
  return Error{ErrorKind::cannot_connect, "cannot connect to " + address + ": " + step + ": " +
                                              failure.message() + std::string(advice_on(failure))};
}

// A literal address is not looked up: that would take a thread.
Task<std::vector<tcp::endpoint>> resolve(std::string host, int port) {
  const std::string address = host + ":" + std::to_string(port);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  asio::error_code failure;
  const asio::ip::address literal = asio::ip::make_address(host, failure);
  if (!failure) {
    endpoints.emplace_back(literal, static_cast<std::uint16_t>(port));
    co_return endpoints;
  }
  tcp::resolver resolver(executor);
  const tcp::resolver::results_type found =
      co_await resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                                      asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return cannot_connect(address, "looking up the host name", failure);
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  co_return endpoints;
}

Task<void> open_socket(tcp::socket& socket, Address to) {
  const std::string address = to_string(to);
  Result<std::vector<tcp::endpoint>> endpoints = co_await resolve(std::move(to.host), to.port);
  if (!endpoints) co_return endpoints.error();
  asio::error_code failure;
  co_await asio::async_connect(socket, endpoints.value(),
                               asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return cannot_connect(address, "opening the connection", failure);
  socket.set_option(tcp::no_delay(true), failure);
  if (failure) co_return cannot_connect(address, "setting TCP_NODELAY", failure);
  co_return Result<void>();
}

}  // namespace

Task<std::unique_ptr<Channel>> TcpTransport::connect(std::string host, int port) {
  const std::string address = host + ":" + std::to_string(port);
  if (port < 1 || port > 65535)
    co_return Error{ErrorKind::cannot_connect, "cannot connect to " + address + ": no such port"};
  const std::string name = host;  // what the certificate has to be for
  tcp::socket socket(co_await asio::this_coro::executor);
  const Address to = proxy_.value_or(Address{host, port});
  Result<void> opened = co_await open_socket(socket, to);
  if (opened.ok() && proxy_.has_value()) {
    opened = co_await ask_proxy(socket, std::move(host), port);
    if (!opened)
      co_return Error{ErrorKind::cannot_connect, "cannot connect to " + address + " through " +
                                                     to_string(to) + ": " + opened.error().text};
  }
  if (!opened) co_return opened.error();
  auto channel = std::make_unique<TcpChannel>(std::move(socket), address, frame_bytes_max_);
  if (tls_) {
    protocol::tls::Session session(tls_->context, name, tls_->verifies_host);
    Result<void> established = co_await channel->establish_tls(std::move(session));
    if (!established) co_return established.error();
  }
  co_return std::unique_ptr<Channel>(std::move(channel));
}

}  // namespace fencepost::client
