// One connection to one broker: headers, correlation ids, several requests in flight, the versions
// that both sides know, and the difference between "not sent" and "sent, and no answer".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/clock.h"
#include "client/sasl.h"
#include "client/transport.h"
#include "protocol/api.h"

namespace fencepost::client {

struct ConnectionOptions {
  std::string client_id = "fencepost";
  Duration request_timeout = std::chrono::seconds(30);
  std::optional<SaslOptions> sasl = std::nullopt;  // nothing: the broker asks for no user
};

// What a caller may ask of one call.
struct CallOptions {
  std::optional<int> version_max = std::nullopt;   // no higher than this; a version both sides know
  std::optional<Duration> timeout = std::nullopt;  // instead of the connection's request_timeout
  bool fresh_lookup = false;    // ask for the leader or coordinator again (used when routing)
  bool own_connection = false;  // on a connection of its own: nothing waits behind it
};

// Every call ends with an answer or one of these errors:
//   closed               the connection ended before the request was sent: it has no effect
//   unknown_outcome      sent, and no answer in time or before the connection ended; nothing may be
//                        assumed. The connection is closed, as Kafka's clients do: the answers
//                        behind the missing one would be late too
//   malformed            an answer came whose body cannot be read; the outcome is as unknown
//   unsupported_version  no version that both sides and the cap allow; nothing was sent
//   not_encodable        the request holds a value that the version cannot carry; nothing was sent
// Do not cancel a call with Asio; close() ends all of them. Hold the connection during a call.
class Connection {
 public:
  // Connects, agrees on versions (ApiVersions v4, and down to v0 as the broker asks for it,
  // KIP-511) and authenticates where options say as whom. Errors: cannot_connect, with the address
  // and the step. Transport and clock must outlive the connection and the io_context's coroutines.
  static Task<std::shared_ptr<Connection>> open(Transport& transport, Clock& clock,
                                                std::string host, int port,
                                                ConnectionOptions options);
  // The same connection, open and idle, in a copy of its world: it goes on where this one stands.
  // Nothing when the network there has no copy of it.
  std::shared_ptr<Connection> copy_to(Transport& transport, Clock& clock,
                                      asio::any_io_executor executor) const;
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // In exactly that version, whether the broker knows it or not.
  template <class Request>
  Task<typename Request::Response> call_exactly(Request request, int version,
                                                CallOptions options = {});
  // In the highest version that both sides and the options allow.
  template <class Request>
  Task<typename Request::Response> call(Request request, CallOptions options = {});
  // Sends a request that is not answered (Produce with acks=0).
  template <class Request>
  Task<void> post(Request request, int version);
  // A body that is encoded already; the body of the answer as it came.
  Task<SharedBytes> exchange(protocol::ApiKey key, int version, Frame body,
                             CallOptions options = {});

  // The highest stable version that both sides know, at most `version_max`. A version that Kafka
  // calls unstable is chosen only when `version_max` names it.
  Result<int> choose_version(protocol::ApiKey key, std::optional<int> version_max) const;
  // What the broker offers; empty when it does not know the API.
  protocol::Versions versions_of(protocol::ApiKey key) const;
  // The level of a finalized feature, such as "transaction.version"; 0 if the broker has none.
  int feature_level(const std::string& name) const;

  const std::string& address() const;  // "host:port"
  // False also when the authentication is about to expire (KIP-368): open another one.
  bool is_open() const;
  // No request waits for its turn or its answer.
  bool is_idle() const;
  void close();

 private:
  struct State;
  explicit Connection(std::shared_ptr<State> state);

  Task<void> send_only(protocol::ApiKey key, int version, Frame body);
  Task<void> negotiate();
  // The answer could not be read: closes the connection and says which answer it was.
  Error refuse_answer(protocol::ApiKey key, int version, const Error& error);

  std::shared_ptr<State> state_;
  // What the broker offers; shared with copies.
  struct Offer {
    std::map<std::int16_t, protocol::Versions> versions;
    std::map<std::string, int> features;
  };
  std::shared_ptr<const Offer> offer_ = std::make_shared<const Offer>();
};

template <class Request>
Task<typename Request::Response> Connection::call_exactly(Request request, int version,
                                                          CallOptions options) {
  using Response = typename Request::Response;
  constexpr auto key = static_cast<protocol::ApiKey>(Request::info.api_key);
  Result<Frame> body = protocol::Codec<Request>::encode(request, version);
  if (!body) co_return body.error();
  Result<SharedBytes> answer = co_await exchange(key, version, std::move(body).value(), options);
  if (!answer) co_return answer.error();
  Result<Response> response = protocol::Codec<Response>::decode(answer.value(), version);
  if (!response) co_return refuse_answer(key, version, response.error());
  co_return std::move(response).value();
}

template <class Request>
Task<typename Request::Response> Connection::call(Request request, CallOptions options) {
  constexpr auto key = static_cast<protocol::ApiKey>(Request::info.api_key);
  Result<int> version = choose_version(key, options.version_max);
  if (!version) co_return version.error();
  co_return co_await call_exactly(std::move(request), version.value(), options);
}

template <class Request>
Task<void> Connection::post(Request request, int version) {
  constexpr auto key = static_cast<protocol::ApiKey>(Request::info.api_key);
  Result<Frame> body = protocol::Codec<Request>::encode(request, version);
  if (!body) co_return body.error();
  co_return co_await send_only(key, version, std::move(body).value());
}

}  // namespace fencepost::client
