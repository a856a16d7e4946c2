// A writer and a reader coroutine share the state of a connection. A request waits in `outgoing`
// until the writer takes it and in `in_flight` until the reader has its answer; whatever ends the
// connection tells each of them which of the two it was.
#include "client/connection.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/this_coro.hpp>
#include <deque>
#include <vector>

#include "client/event.h"
#include "protocol/base/check.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/headers.h"

namespace fencepost::client {

namespace {

using protocol::ApiKey;
using protocol::ErrorCode;

constexpr int api_versions_first_try = 4;

std::string request_name(ApiKey key, int version) {
  return std::string(protocol::to_string(key)) + " v" + std::to_string(version);
}

// What a broker answers before it knows who asks.
bool needs_no_user(ApiKey key) {
  return key == ApiKey::api_versions || key == ApiKey::sasl_handshake ||
         key == ApiKey::sasl_authenticate;
}

// A request that waits for its turn or its answer.
struct Exchange {
  Exchange(asio::any_io_executor executor, std::int32_t id, ApiKey api_key, int api_version)
      : correlation_id(id), key(api_key), version(api_version), done(std::move(executor)) {}

  std::int32_t correlation_id;
  ApiKey key;
  int version;
  Frame frame;
  bool is_answered = true;  // the broker answers it
  bool is_sent = false;
  std::optional<Result<SharedBytes>> outcome;
  Event done;

  void finish(Result<SharedBytes> result) {
    if (outcome.has_value()) return;
    outcome = std::move(result);
    done.set();
  }
};

}  // namespace

struct Connection::State {
  State(asio::any_io_executor running_on, Clock& used_clock, std::unique_ptr<Channel> opened,
        std::string to, ConnectionOptions chosen)
      : executor(running_on),
        clock(used_clock),
        channel(std::move(opened)),
        address(std::move(to)),
        options(std::move(chosen)),
        work(running_on) {}

  asio::any_io_executor executor;
  Clock& clock;
  std::unique_ptr<Channel> channel;
  std::string address;
  ConnectionOptions options;
  Event work;  // something to write, or the end
  std::deque<std::shared_ptr<Exchange>> outgoing;
  std::deque<std::shared_ptr<Exchange>> in_flight;
  std::int32_t next_correlation_id = 0;
  bool is_open = true;
  bool is_late = false;            // closed because an answer was
  bool has_answered = false;       // something besides ApiVersions and authentication
  std::optional<Instant> expires;  // the authentication

  Result<void> enqueue(std::shared_ptr<Exchange> exchange, Frame body);
  Result<void> take_answer(SharedBytes frame);
  void end(const std::string& reason);
};

// Puts the header in front of the body and the request in the queue of the writer.
Result<void> Connection::State::enqueue(std::shared_ptr<Exchange> exchange, Frame body) {
  const protocol::Api* api = protocol::find_api(exchange->key);
  CHECK(api != nullptr);
  protocol::RequestHeader header;
  header.request_api_key = static_cast<std::int16_t>(exchange->key);
  header.request_api_version = static_cast<std::int16_t>(exchange->version);
  header.correlation_id = exchange->correlation_id;
  header.client_id = options.client_id;
  const int header_version = protocol::request_header_version(*api, exchange->version);
  Result<Frame> head = protocol::Codec<protocol::RequestHeader>::encode(header, header_version);
  if (!head) return head.error();
  exchange->frame = std::move(head).value();
  exchange->frame.append(body);
  outgoing.push_back(std::move(exchange));
  work.set();
  return {};
}

// Gives the frame to the oldest request in flight: a broker answers in order.
Result<void> Connection::State::take_answer(SharedBytes frame) {
  if (in_flight.empty()) return Error{ErrorKind::malformed, "an answer that nobody asked for"};
  Exchange& oldest = *in_flight.front();
  const std::string expected = request_name(oldest.key, oldest.version);
  const protocol::Api* api = protocol::find_api(oldest.key);
  const int header_version = protocol::response_header_version(*api, oldest.version);
  protocol::Reader reader(frame);
  protocol::ResponseHeader header;
  if (!protocol::Codec<protocol::ResponseHeader>::decode(reader, header_version, header))
    return Error{ErrorKind::malformed, "the header of the answer to " + expected +
                                           " cannot be read: " + to_string(reader.error())};
  if (header.correlation_id != oldest.correlation_id)
    return Error{ErrorKind::malformed, "an answer with correlation id " +
                                           std::to_string(header.correlation_id) + " where " +
                                           std::to_string(oldest.correlation_id) + " was due (" +
                                           expected + ")"};
  has_answered = has_answered || !needs_no_user(oldest.key);
  oldest.finish(frame.slice(reader.offset(), reader.remaining()));
  in_flight.pop_front();
  return {};
}

// Ends the connection once; later reasons are consequences.
void Connection::State::end(const std::string& reason) {
  if (!is_open) return;
  is_open = false;
  channel->close();
  for (const auto& exchange : std::exchange(in_flight, {}))
    exchange->finish(
        Error{ErrorKind::unknown_outcome, request_name(exchange->key, exchange->version) + " to " +
                                              address + " has no answer: " + reason});
  for (const auto& exchange : std::exchange(outgoing, {}))
    exchange->finish(Error{ErrorKind::closed, request_name(exchange->key, exchange->version) +
                                                  " was not sent to " + address + ": " + reason});
  work.set();
}

namespace {

// Sends what is queued, one frame after another, until the connection ends.
template <class State>
asio::awaitable<void> write_requests(std::shared_ptr<State> state) {
  while (state->is_open) {
    while (state->is_open && !state->outgoing.empty()) {
      std::shared_ptr<Exchange> next = state->outgoing.front();
      state->outgoing.pop_front();
      // From here on it may reach the broker, even when send() fails.
      next->is_sent = true;
      if (next->is_answered) state->in_flight.push_back(next);
      Frame frame = std::move(next->frame);
      Result<void> sent = co_await state->channel->send(std::move(frame));
      const bool is_too_large = !sent && sent.error().kind == ErrorKind::not_encodable;
      if (is_too_large) {
        std::erase(state->in_flight, next);
        next->finish(sent.error());
        continue;
      }
      if (!next->is_answered && sent.ok()) next->finish(SharedBytes());
      if (!sent) {
        next->finish(Error{ErrorKind::unknown_outcome, sent.error().text});
        state->end(sent.error().text);
      }
    }
    if (!state->is_open) break;
    state->work.reset();
    co_await state->work.wait();
  }
}

template <class State>
asio::awaitable<void> read_answers(std::shared_ptr<State> state) {
  while (state->is_open) {
    Result<SharedBytes> frame = co_await state->channel->receive();
    if (!frame) {
      // A listener for TLS or SASL closes without a word on what it did not expect.
      const bool is_stranger = !state->has_answered && !state->in_flight.empty();
      state->end(frame.error().text + (is_stranger ? "; check security.protocol" : ""));
      break;
    }
    Result<void> taken = state->take_answer(std::move(frame).value());
    if (!taken) state->end(taken.error().text);
  }
}

// What connect() under a deadline leaves behind.
struct Connecting {
  explicit Connecting(asio::any_io_executor executor) : done(std::move(executor)) {}
  Event done;
  std::optional<Result<std::unique_ptr<Channel>>> channel;
};

asio::awaitable<void> connect_into(std::shared_ptr<Connecting> connecting, Transport& transport,
                                   std::string host, int port) {
  Result<std::unique_ptr<Channel>> channel = co_await transport.connect(std::move(host), port);
  connecting->channel = std::move(channel);
  connecting->done.set();
}

}  // namespace

Connection::Connection(std::shared_ptr<State> state) : state_(std::move(state)) {}

Connection::~Connection() {
  close();
}

Task<std::shared_ptr<Connection>> Connection::open(Transport& transport, Clock& clock,
                                                   std::string host, int port,
                                                   ConnectionOptions options) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const std::string address = host + ":" + std::to_string(port);
  auto connecting = std::make_shared<Connecting>(executor);
  asio::co_spawn(executor, connect_into(connecting, transport, host, port), asio::detached);
  const Instant deadline = clock.now() + options.request_timeout;
  const bool is_done = co_await wait_until(connecting->done, clock, deadline);
  if (!is_done)
    co_return Error{ErrorKind::cannot_connect,
                    "cannot connect to " + address + ": no answer in " +
                        std::to_string(to_milliseconds(options.request_timeout)) +
                        " ms; check the address, and what may drop packets on the way"};
  if (!connecting->channel->ok()) co_return connecting->channel->error();
  auto state = std::make_shared<State>(executor, clock, std::move(*connecting->channel).value(),
                                       address, std::move(options));
  asio::co_spawn(executor, write_requests(state), asio::detached);
  asio::co_spawn(executor, read_answers(state), asio::detached);
  std::shared_ptr<Connection> connection(new Connection(state));
  Result<void> agreed = co_await connection->negotiate();
  if (!agreed) {
    const bool is_silent = agreed.error().kind == ErrorKind::unknown_outcome && state->is_late;
    co_return Error{ErrorKind::cannot_connect,
                    "cannot agree on versions with " + address + ": " + agreed.error().text +
                        (is_silent ? "; check that it is a broker, and security.protocol" : "")};
  }
  if (!state->options.sasl.has_value()) co_return connection;
  SaslOptions sasl = *state->options.sasl;
  Result<Duration> lifetime = co_await client::authenticate(*connection, std::move(sasl));
  if (!lifetime) co_return lifetime.error();
  // A little early, so that nothing is under way when the broker closes.
  if (lifetime.value() > Duration::zero()) state->expires = clock.now() + lifetime.value() * 9 / 10;
  co_return connection;
}

std::shared_ptr<Connection> Connection::copy_to(Transport& transport, Clock& clock,
                                                asio::any_io_executor executor) const {
  CHECK(state_->is_open && is_idle());
  std::unique_ptr<Channel> channel = transport.copy_of(*state_->channel, executor);
  if (channel == nullptr) return nullptr;
  auto state = std::make_shared<State>(executor, clock, std::move(channel), state_->address,
                                       state_->options);
  state->next_correlation_id = state_->next_correlation_id;
  state->expires = state_->expires;
  asio::co_spawn(executor, write_requests(state), asio::detached);
  asio::co_spawn(executor, read_answers(state), asio::detached);
  std::shared_ptr<Connection> copy(new Connection(state));
  copy->offer_ = offer_;
  return copy;
}

Task<void> Connection::negotiate() {
  int version = api_versions_first_try;
  while (true) {
    protocol::ApiVersionsRequest request;
    request.client_software_name = "fencepost";
    request.client_software_version = "0.1.0";
    Result<Frame> body = protocol::Codec<protocol::ApiVersionsRequest>::encode(request, version);
    if (!body) co_return body.error();
    Result<SharedBytes> answer =
        co_await exchange(ApiKey::api_versions, version, std::move(body).value(), CallOptions());
    if (!answer) co_return answer.error();
    // A broker that does not know the version answers in version 0. The error code comes first in
    // every version.
    protocol::Reader reader(answer.value());
    const bool is_refused =
        static_cast<ErrorCode>(reader.int16()) == ErrorCode::unsupported_version;
    Result<protocol::ApiVersionsResponse> response =
        protocol::Codec<protocol::ApiVersionsResponse>::decode(answer.value(),
                                                               is_refused ? 0 : version);
    if (!response) co_return refuse_answer(ApiKey::api_versions, version, response.error());
    Offer offer;
    for (const auto& api : response->api_keys)
      offer.versions[api.api_key] = protocol::between(api.min_version, api.max_version);
    for (const auto& feature : response->finalized_features)
      offer.features[feature.name] = feature.max_version_level;
    offer_ = std::make_shared<const Offer>(std::move(offer));
    if (is_refused) {
      if (version == 0)
        co_return Error{ErrorKind::unsupported_version, "the broker refuses ApiVersions v0"};
      version = std::clamp(versions_of(ApiKey::api_versions).last, 0, version - 1);
      continue;
    }
    if (response->error_code != ErrorCode::none)
      co_return Error{ErrorKind::cannot_connect,
                      "ApiVersions is answered with " + to_string(response->error_code)};
    co_return Result<void>();
  }
}

Task<SharedBytes> Connection::exchange(ApiKey key, int version, Frame body, CallOptions options) {
  // Whoever let go of the connection may still have its coroutines run.
  const std::shared_ptr<State> state = state_;
  if (!state->is_open)
    co_return Error{ErrorKind::closed, request_name(key, version) + " was not sent to " +
                                           state->address + ": the connection is closed"};
  auto waiting =
      std::make_shared<Exchange>(state->executor, state->next_correlation_id++, key, version);
  const Duration timeout = options.timeout.value_or(state->options.request_timeout);
  Result<void> queued = state->enqueue(waiting, std::move(body));
  if (!queued) co_return queued.error();
  const Instant deadline = state->clock.now() + timeout;
  const bool is_done = co_await wait_until(waiting->done, state->clock, deadline);
  if (!is_done) {
    state->is_late = true;
    state->end("nothing came within " + std::to_string(to_milliseconds(timeout)) + " ms");
  }
  CHECK(waiting->outcome.has_value());
  co_return std::move(*waiting->outcome);
}

Task<void> Connection::send_only(ApiKey key, int version, Frame body) {
  const std::shared_ptr<State> state = state_;
  if (!state->is_open)
    co_return Error{ErrorKind::closed, request_name(key, version) + " was not sent to " +
                                           state->address + ": the connection is closed"};
  auto waiting =
      std::make_shared<Exchange>(state->executor, state->next_correlation_id++, key, version);
  waiting->is_answered = false;
  Result<void> queued = state->enqueue(waiting, std::move(body));
  if (!queued) co_return queued.error();
  co_await waiting->done.wait();
  CHECK(waiting->outcome.has_value());
  if (!waiting->outcome->ok()) co_return waiting->outcome->error();
  co_return Result<void>();
}

Error Connection::refuse_answer(ApiKey key, int version, const Error& error) {
  Error refusal = error;
  refusal.text = "the answer of " + address() + " to " + request_name(key, version) +
                 " cannot be read: " + error.text;
  close();
  return refusal;
}

Result<int> Connection::choose_version(ApiKey key, std::optional<int> version_max) const {
  const protocol::Api* api = protocol::find_api(key);
  CHECK(api != nullptr);
  const protocol::Versions ours = api->versions();
  const protocol::Versions theirs = versions_of(key);
  const int stable_last = ours.last - (api->request.info->is_latest_unstable ? 1 : 0);
  const int cap = version_max.has_value() ? std::min(*version_max, ours.last) : stable_last;
  const int version = std::min(cap, theirs.last);
  if (version >= std::max(ours.first, theirs.first)) return version;
  std::string text = std::string(api->name) + ": ";
  if (theirs.is_empty()) {
    text += address() + " does not offer it";
  } else {
    text += address() + " offers versions " + std::to_string(theirs.first) + " to " +
            std::to_string(theirs.last) + ", this client " + std::to_string(ours.first) + " to " +
            std::to_string(cap);
  }
  return Error{ErrorKind::unsupported_version, text};
}

protocol::Versions Connection::versions_of(ApiKey key) const {
  const auto found = offer_->versions.find(static_cast<std::int16_t>(key));
  return found == offer_->versions.end() ? protocol::no_versions : found->second;
}

int Connection::feature_level(const std::string& name) const {
  const auto found = offer_->features.find(name);
  return found == offer_->features.end() ? 0 : found->second;
}

const std::string& Connection::address() const {
  return state_->address;
}
bool Connection::is_open() const {
  return state_->is_open && (!state_->expires || state_->clock.now() < *state_->expires);
}
bool Connection::is_idle() const {
  return state_->outgoing.empty() && state_->in_flight.empty();
}
void Connection::close() {
  state_->end("closed by the client");
}

}  // namespace fencepost::client
