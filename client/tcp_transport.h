// Frames over TCP, plain or through TLS: a four-byte length and then the frame.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "client/address.h"
#include "client/transport.h"
#include "protocol/tls/session.h"

namespace fencepost::client {

// Kafka's default for socket.request.max.bytes.
constexpr std::size_t default_frame_bytes_max = std::size_t{100} << 20;

struct TlsOptions {
  protocol::tls::Context context;
  bool verifies_host = true;  // ssl.endpoint.identification.algorithm
};

class TcpTransport : public Transport {
 public:
  // A frame above the limit is neither sent nor read; reading one ends the connection.
  explicit TcpTransport(std::size_t frame_bytes_max = default_frame_bytes_max)
      : frame_bytes_max_(frame_bytes_max) {}
  explicit TcpTransport(std::optional<TlsOptions> tls,
                        std::size_t frame_bytes_max = default_frame_bytes_max)
      : tls_(std::move(tls)), frame_bytes_max_(frame_bytes_max) {}

  // Every connection from now on goes through this SOCKS5 proxy, which looks up the host names.
  void use_proxy(Address proxy) { proxy_ = std::move(proxy); }
  // Tries each address that the host name stands for, without a timeout of its own.
  Task<std::unique_ptr<Channel>> connect(std::string host, int port) override;

 private:
  std::optional<TlsOptions> tls_;
  std::optional<Address> proxy_;
  std::size_t frame_bytes_max_;
};

}  // namespace fencepost::client
