// A world for tests of the client: a clock moved by hand and a broker that answers as the test
// says. No network, no real time.
#pragma once

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster_client.h"
#include "client/manual_clock.h"
#include "client/transport.h"
#include "protocol/api.h"
#include "protocol/messages/headers.h"

namespace fencepost::client {

struct ReceivedRequest {
  std::string address;
  protocol::ApiKey key = protocol::ApiKey::produce;
  int version = 0;
  std::int32_t correlation_id = 0;
  SharedBytes body;
};

// What a scripted broker does with a request.
struct Answer {
  std::optional<SharedBytes> frame;  // nothing: silence
  bool closes = false;               // the connection ends, after the frame if there is one
};

class ScriptedBroker {
 public:
  ScriptedBroker();

  // Answers this API from now on with what the function makes of the request; nothing is silence.
  template <class Request, class Function>
  void on(Function answer) {
    handlers_[static_cast<protocol::ApiKey>(Request::info.api_key)] =
        [answer](const ReceivedRequest& incoming) mutable {
          const Request request =
              protocol::Codec<Request>::decode(incoming.body, incoming.version).value();
          std::optional<typename Request::Response> response = answer(request, incoming.version);
          if (!response.has_value()) return Answer{};
          using ResponseCodec = protocol::Codec<typename Request::Response>;
          return framed(incoming, ResponseCodec::encode(*response, incoming.version).value());
        };
  }
  void on_raw(protocol::ApiKey key, std::function<Answer(const ReceivedRequest&)> answer) {
    handlers_[key] = std::move(answer);
  }
  // Header and body as a broker would send them.
  static Answer framed(const ReceivedRequest& incoming, const Frame& body);

  // Versions that ApiVersions offers; all of ours unless limited.
  void offer(protocol::ApiKey key, int first, int last) {
    offered_[key] = protocol::between(first, last);
  }
  void withdraw(protocol::ApiKey key) { offered_.erase(key); }
  void set_feature(const std::string& name, int level) { features_[name] = level; }

  Answer receive(const ReceivedRequest& request);
  std::vector<ReceivedRequest> received;
  // How often this API was asked for.
  int count(protocol::ApiKey key) const;
  std::set<std::string> unreachable;  // addresses that cannot be connected to
  std::vector<std::string> connected;

 private:
  Answer answer_api_versions(const ReceivedRequest& request) const;

  std::map<protocol::ApiKey, std::function<Answer(const ReceivedRequest&)>> handlers_;
  std::map<protocol::ApiKey, protocol::Versions> offered_;
  std::map<std::string, int> features_;
};

class ScriptedTransport : public Transport {
 public:
  explicit ScriptedTransport(ScriptedBroker& broker) : broker_(broker) {}
  Task<std::unique_ptr<Channel>> connect(std::string host, int port) override;

 private:
  ScriptedBroker& broker_;
};

template <class T>
asio::awaitable<void> store(Task<T> task, std::shared_ptr<std::optional<Result<T>>> place) {
  Result<T> result = co_await std::move(task);
  *place = std::move(result);
}

struct World {
  asio::io_context io;
  ManualClock clock{Instant(std::chrono::hours(1))};
  ScriptedBroker broker;
  ScriptedTransport transport{broker};
  ClusterClient cluster{transport, clock, {Address{"b", 1}}};

  // Starts a call; it runs when something else does.
  template <class T>
  std::shared_ptr<std::optional<Result<T>>> start(Task<T> task) {
    auto place = std::make_shared<std::optional<Result<T>>>();
    asio::co_spawn(io, store(std::move(task), place), asio::detached);
    return place;
  }
  // Lets everything run that can without the time moving.
  void settle() {
    io.restart();
    io.poll();
  }
  // Runs a call to its end, moving the time from deadline to deadline.
  template <class T>
  Result<T> run(Task<T> task) {
    return finish(start(std::move(task)));
  }
  template <class T>
  Result<T> finish(std::shared_ptr<std::optional<Result<T>>> place) {
    settle();
    while (!place->has_value()) {
      const std::optional<Instant> next = clock.next_deadline();
      if (!next.has_value()) return Error{ErrorKind::io, "nothing moves any more"};
      clock.advance_to(*next);
      settle();
    }
    return std::move(**place);
  }
  std::shared_ptr<Connection> connect(ConnectionOptions options = {}) {
    return run(Connection::open(transport, clock, "b", 1, std::move(options))).value();
  }
  // Broker 1 at b:1 leads `count` partitions of the topic and coordinates everything.
  void serve_topic(const std::string& topic, int count, Uuid id = Uuid{{7}});
};

}  // namespace fencepost::client
