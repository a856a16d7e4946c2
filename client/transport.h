// The network as the client sees it: connect, send a frame, receive a frame. The TCP transport and
// the simulated one implement these two interfaces, so that both run the very same client code.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <memory>
#include <string>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::client {

// A coroutine that ends with a value or the reason why there is none.
template <class T>
using Task = asio::awaitable<Result<T>>;

// One open connection. At most one send and one receive are under way at a time.
class Channel {
 public:
  virtual ~Channel() = default;

  // Hands one frame, without the length in front of it, to the network. Returning does not mean
  // that it arrived. Errors: closed, nothing more can be sent; not_encodable, the frame is above
  // the limit, nothing of it was sent and the connection is as before.
  virtual Task<void> send(Frame frame) = 0;
  // The next frame, without its length. Errors: closed when the other side or close() ended the
  // connection, malformed when the length is impossible.
  virtual Task<SharedBytes> receive() = 0;
  // Ends the connection; a send or receive under way returns with closed.
  virtual void close() = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Error cannot_connect, with the address and the step that failed.
  virtual Task<std::unique_ptr<Channel>> connect(std::string host, int port) = 0;
  // In a copy of a network: what the channel of the other one, `original`, is here. nullptr where
  // networks cannot be copied.
  virtual std::unique_ptr<Channel> copy_of(const Channel&, asio::any_io_executor) {
    return nullptr;
  }
};

}  // namespace fencepost::client
