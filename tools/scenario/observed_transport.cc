// A channel and what it watches share one state, because a held frame outlives the call that sent
// it.
#include "tools/scenario/observed_transport.h"

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/messages/headers.h"
#include "tools/scenario/wire_text.h"

namespace fencepost::scenario {

using client::Channel;
using client::Task;
using protocol::ApiKey;

struct ObservedTransport::State {
  struct Held {
    std::shared_ptr<Channel> channel;
    Frame frame;
    std::shared_ptr<Exchange> exchange;
  };

  State(client::Transport& used_network, client::Clock& used_clock, TopicNames& used_names)
      : network(used_network), clock(used_clock), names(used_names) {}

  client::Transport& network;
  client::Clock& clock;
  TopicNames& names;
  std::map<ApiKey, std::string> to_hold;
  std::map<ApiKey, bool> to_lose;
  std::map<std::string, Held> held;
  std::vector<std::shared_ptr<Exchange>> exchanges;
  bool is_written_down = true;

  bool is_watching() const { return is_written_down || !to_hold.empty() || !to_lose.empty(); }
};

class ObservedTransport::ObservedChannel : public Channel {
 public:
  ObservedChannel(std::shared_ptr<State> state, std::unique_ptr<Channel> channel)
      : state_(std::move(state)), channel_(std::move(channel)) {}

  Task<void> send(Frame frame) override {
    const std::shared_ptr<Exchange> exchange = note_request(frame.flatten());
    if (exchange != nullptr) {
      const auto hold = state_->to_hold.find(exchange->key);
      if (hold != state_->to_hold.end()) {
        exchange->is_held = true;
        state_->held[hold->second] = {channel_, std::move(frame), exchange};
        state_->to_hold.erase(hold);
        co_return Result<void>();
      }
      if (state_->to_lose.erase(exchange->key) != 0) exchange->is_answer_lost = true;
    }
    co_return co_await channel_->send(std::move(frame));
  }

  Task<SharedBytes> receive() override {
    Result<SharedBytes> frame = co_await channel_->receive();
    if (!frame) co_return frame;
    if (!note_answer(*frame)) {
      channel_->close();
      co_return Error{ErrorKind::closed, "the answer was lost, and the connection with it"};
    }
    co_return frame;
  }

  void close() override { channel_->close(); }
  const Channel& below() const { return *channel_; }

 private:
  std::shared_ptr<Exchange> note_request(const SharedBytes& frame) {
    if (!state_->is_watching()) return nullptr;
    protocol::Reader reader(frame);
    protocol::RequestHeader header;
    // Header 1 is the beginning of header 2.
    if (!protocol::Codec<protocol::RequestHeader>::decode(reader, 1, header)) return nullptr;
    const auto key = static_cast<ApiKey>(header.request_api_key);
    const protocol::Api* api = protocol::find_api(key);
    if (api == nullptr) return nullptr;
    const int version = header.request_api_version;
    protocol::Reader again(frame);
    if (!protocol::Codec<protocol::RequestHeader>::decode(
            again, protocol::request_header_version(*api, version), header))
      return nullptr;
    auto exchange = std::make_shared<Exchange>();
    exchange->key = key;
    exchange->version = version;
    exchange->sent = state_->clock.now();
    in_flight_[header.correlation_id] = exchange;
    if (!state_->is_written_down) return exchange;
    exchange->request =
        request_text(key, version, frame.slice(again.offset(), again.remaining()), state_->names);
    state_->exchanges.push_back(exchange);
    return exchange;
  }

  // False when this answer is to be lost.
  bool note_answer(const SharedBytes& frame) {
    if (in_flight_.empty()) return true;
    protocol::Reader reader(frame);
    protocol::ResponseHeader header;
    if (!protocol::Codec<protocol::ResponseHeader>::decode(reader, 0, header)) return true;
    const auto at = in_flight_.find(header.correlation_id);
    if (at == in_flight_.end()) return true;
    const std::shared_ptr<Exchange> exchange = at->second;
    in_flight_.erase(at);
    if (!state_->is_written_down) return !exchange->is_answer_lost;
    const protocol::Api* api = protocol::find_api(exchange->key);
    protocol::Reader again(frame);
    if (!protocol::Codec<protocol::ResponseHeader>::decode(
            again, protocol::response_header_version(*api, exchange->version), header))
      return true;
    const SharedBytes body = frame.slice(again.offset(), again.remaining());
    exchange->answer = answer_text(exchange->key, exchange->version, body, state_->names);
    exchange->answered = state_->clock.now();
    if (exchange->key == ApiKey::metadata)
      if (const auto metadata =
              protocol::Codec<protocol::MetadataResponse>::decode(body, exchange->version))
        state_->names.learn(*metadata);
    return !exchange->is_answer_lost;
  }

  std::shared_ptr<State> state_;
  std::shared_ptr<Channel> channel_;
  std::map<std::int32_t, std::shared_ptr<Exchange>> in_flight_;
};

ObservedTransport::ObservedTransport(client::Transport& network, client::Clock& clock,
                                     TopicNames& names)
    : state_(std::make_shared<State>(network, clock, names)) {}

ObservedTransport::ObservedTransport(const ObservedTransport& other, client::Transport& network,
                                     client::Clock& clock, TopicNames& names)
    : ObservedTransport(network, clock, names) {
  CHECK(!other.is_holding());
  state_->to_hold = other.state_->to_hold;
  state_->to_lose = other.state_->to_lose;
  state_->is_written_down = other.state_->is_written_down;
}

ObservedTransport::~ObservedTransport() = default;

// Every channel that this transport is asked for is one that its original has made.
std::unique_ptr<Channel> ObservedTransport::copy_of(const Channel& original,
                                                    asio::any_io_executor executor) {
  const auto& observed = static_cast<const ObservedChannel&>(original);
  std::unique_ptr<Channel> channel = state_->network.copy_of(observed.below(), std::move(executor));
  if (channel == nullptr) return nullptr;
  return std::make_unique<ObservedChannel>(state_, std::move(channel));
}

Task<std::unique_ptr<Channel>> ObservedTransport::connect(std::string host, int port) {
  const std::shared_ptr<State> state = state_;
  Result<std::unique_ptr<Channel>> channel = co_await state->network.connect(std::move(host), port);
  if (!channel) co_return channel.error();
  co_return std::unique_ptr<Channel>(
      std::make_unique<ObservedChannel>(state, std::move(channel).value()));
}

void ObservedTransport::hold_next(ApiKey key, std::string name) {
  state_->to_hold[key] = std::move(name);
}

void ObservedTransport::lose_next_answer(ApiKey key) {
  state_->to_lose[key] = true;
}

Task<bool> ObservedTransport::release(std::string name) {
  const std::shared_ptr<State> state = state_;
  const auto at = state->held.find(name);
  if (at == state->held.end()) co_return false;
  State::Held held = std::move(at->second);
  state->held.erase(at);
  state->exchanges.push_back(held.exchange);
  Result<void> sent = co_await held.channel->send(std::move(held.frame));
  if (!sent) co_return sent.error();
  co_return true;
}

bool ObservedTransport::is_holding(const std::string& name) const {
  return state_->held.count(name) != 0;
}

bool ObservedTransport::is_holding() const {
  return !state_->held.empty();
}

void ObservedTransport::write_nothing_down() {
  state_->is_written_down = false;
}

std::vector<std::shared_ptr<Exchange>> ObservedTransport::take_exchanges() {
  return std::exchange(state_->exchanges, {});
}

}  // namespace fencepost::scenario
