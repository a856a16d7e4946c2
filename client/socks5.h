// The first bytes of a connection through a SOCKS5 proxy (RFC 1928), such as `ssh -D` offers.
#pragma once

#include <asio/ip/tcp.hpp>
#include <string>

#include "client/transport.h"

namespace fencepost::client {

// On a connection to the proxy: asks it, without authentication, to connect to host and port, whose
// name the proxy looks up. After it the socket is that connection. Error cannot_connect, with what
// the proxy says.
Task<void> ask_proxy(asio::ip::tcp::socket& socket, std::string host, int port);

}  // namespace fencepost::client
