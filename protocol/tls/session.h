// TLS without sockets: encrypted bytes go in and come out, plain bytes come out and go in. Clients
// and brokers use the same class; whoever has the socket carries the bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::protocol::tls {

enum class ClientAuth { none, requested, required };

// Certificates and keys in PEM form, as text.
struct ContextSettings {
  std::string certificate_chain;  // the own one first; a server has to have one
  std::string private_key;
  std::string key_password;
  std::string authorities;  // who vouches for the other side; empty: a client asks the system's
  ClientAuth client_auth = ClientAuth::none;  // of a server
};

// What all connections of one side share.
class Context {
 public:
  enum class Side { server, client };
  // Error invalid_argument says which part cannot be used, and never holds any of it.
  static Result<Context> make(Side side, const ContextSettings& settings);

 private:
  friend class Session;
  explicit Context(std::shared_ptr<void> context, Side side)
      : context_(std::move(context)), side_(side) {}
  std::shared_ptr<void> context_;  // an SSL_CTX
  Side side_;
};

class Session {
 public:
  // `host` is who a client wants to speak to: its certificate has to be for that name or address,
  // unless `verifies_host` is false.
  explicit Session(const Context& context, const std::string& host = {}, bool verifies_host = true);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Bytes of the network. Error malformed: no TLS, or not one we accept; take_output() then has
  // the alert for the other side.
  Result<void> receive(ByteView bytes);
  // Plain bytes that have arrived, at most as many as fit; 0: none for now.
  Result<std::size_t> read(std::span<std::uint8_t> space);
  // Only once established.
  Result<void> write(ByteView bytes);
  // What has to go to the network now. A client's first flight is there from the start.
  ByteVector take_output();

  bool is_established() const;
  // The other side has said that nothing more will come.
  bool is_closed() const { return is_closed_; }
  // The subject of the other side's certificate in RFC 2253's form; empty when it showed none.
  std::string peer_name() const;

 private:
  struct Parts;
  Result<void> shake_hands();
  Error failure() const;

  std::unique_ptr<Parts> parts_;
  bool is_closed_ = false;
};

}  // namespace fencepost::protocol::tls
