// What a worker reaches its brokers through: a SOCKS5 proxy whose links can be cut, so that a
// worker is alone for a while, whatever addresses the brokers tell it.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>

#include "client/address.h"
#include "protocol/base/result.h"

namespace fencepost::tools {

class Proxy {
 public:
  explicit Proxy(asio::any_io_executor executor);
  // Ends every link.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Begins to accept, on 127.0.0.1; the address. Error io.
  Result<client::Address> listen();
  // From now on nothing passes, either way; who connects waits.
  void cut();
  // It passes again. What was sent meanwhile arrives now, late; or, when the links are dropped,
  // never.
  void heal(bool drops_links);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::tools
