#include "tests/gate.h"

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace fencepost::tests {

using client::Channel;
using client::Task;
using protocol::ApiKey;

// What waits on one connection; empty and without a channel when that has been closed.
struct Gate::Waiting {
  std::deque<Frame> frames;
  std::shared_ptr<Channel> channel;
  bool is_draining = false;
};

struct Gate::State {
  std::set<ApiKey> held;
  bool is_closed = false;
  std::map<ApiKey, int> counts;
  std::vector<std::weak_ptr<Waiting>> connections;
};

class Gate::GatedChannel : public Channel {
 public:
  GatedChannel(std::shared_ptr<State> state, std::shared_ptr<Channel> channel)
      : state_(std::move(state)), waiting_(std::make_shared<Waiting>()) {
    waiting_->channel = std::move(channel);
    state_->connections.push_back(waiting_);
  }
  ~GatedChannel() override { GatedChannel::close(); }

  Task<void> send(Frame frame) override {
    const std::shared_ptr<Waiting> waiting = waiting_;
    const std::shared_ptr<Channel> channel = waiting->channel;
    if (channel == nullptr) co_return Error{ErrorKind::closed, "the connection is closed"};
    const SharedBytes bytes = frame.flatten();
    CHECK(bytes.size() >= 2);
    const auto key = static_cast<ApiKey>(bytes.data()[0] << 8 | bytes.data()[1]);
    ++state_->counts[key];
    const bool waits = state_->is_closed || state_->held.contains(key) ||
                       !waiting->frames.empty() || waiting->is_draining;
    if (!waits) co_return co_await channel->send(std::move(frame));
    waiting->frames.push_back(std::move(frame));
    co_return Result<void>();
  }
  Task<SharedBytes> receive() override {
    const std::shared_ptr<Channel> channel = waiting_->channel;
    if (channel == nullptr) co_return Error{ErrorKind::closed, "the connection is closed"};
    co_return co_await channel->receive();
  }
  void close() override {
    waiting_->frames.clear();
    if (const auto channel = std::exchange(waiting_->channel, nullptr)) channel->close();
  }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<Waiting> waiting_;
};

Gate::Gate(client::Transport& network) : network_(network), state_(std::make_shared<State>()) {}

Gate::~Gate() = default;

Task<std::unique_ptr<Channel>> Gate::connect(std::string host, int port) {
  const std::shared_ptr<State> state = state_;
  Result<std::unique_ptr<Channel>> connected = co_await network_.connect(std::move(host), port);
  if (!connected) co_return connected.error();
  std::shared_ptr<Channel> channel = std::move(connected).value();
  co_return std::unique_ptr<Channel>(
      std::make_unique<GatedChannel>(std::move(state), std::move(channel)));
}

void Gate::hold(ApiKey key) {
  state_->held.insert(key);
}

void Gate::close() {
  state_->is_closed = true;
}

Task<void> Gate::open() {
  const std::shared_ptr<State> state = state_;
  state->held.clear();
  state->is_closed = false;
  const std::vector<std::weak_ptr<Waiting>> connections = state->connections;
  for (const std::weak_ptr<Waiting>& connection : connections) {
    const std::shared_ptr<Waiting> waiting = connection.lock();
    if (waiting == nullptr) continue;
    waiting->is_draining = true;
    while (!waiting->frames.empty() && waiting->channel != nullptr) {
      const std::shared_ptr<Channel> channel = waiting->channel;
      Frame frame = std::move(waiting->frames.front());
      waiting->frames.pop_front();
      Result<void> sent = co_await channel->send(std::move(frame));
      if (!sent) waiting->frames.clear();
    }
    waiting->is_draining = false;
  }
  co_return Result<void>();
}

bool Gate::is_holding() const {
  for (const std::weak_ptr<Waiting>& connection : state_->connections)
    if (const auto waiting = connection.lock(); waiting != nullptr && !waiting->frames.empty())
      return true;
  return false;
}

int Gate::count(ApiKey key) const {
  const auto found = state_->counts.find(key);
  return found == state_->counts.end() ? 0 : found->second;
}

}  // namespace fencepost::tests
