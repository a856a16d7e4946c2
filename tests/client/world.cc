// The scripted broker and the channels to it.
#include "tests/client/world.h"

#include <asio/this_coro.hpp>

#include "client/event.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/metadata.h"

namespace fencepost::client {

namespace {

using protocol::ApiKey;
using protocol::ErrorCode;

class ScriptedChannel : public Channel {
 public:
  ScriptedChannel(ScriptedBroker& broker, std::string address, asio::any_io_executor executor)
      : broker_(broker), address_(std::move(address)), arrived_(std::move(executor)) {}

  Task<void> send(Frame frame) override {
    if (is_closed_) co_return Error{ErrorKind::closed, "closed"};
    const SharedBytes bytes = frame.flatten();
    // Every header version begins like version 1.
    protocol::Reader reader(bytes);
    ReceivedRequest request;
    request.address = address_;
    request.key = static_cast<ApiKey>(reader.int16());
    request.version = reader.int16();
    const protocol::Api* api = protocol::find_api(request.key);
    protocol::Reader again(bytes);
    protocol::RequestHeader header;
    protocol::Codec<protocol::RequestHeader>::decode(
        again, protocol::request_header_version(*api, request.version), header);
    request.correlation_id = header.correlation_id;
    request.body = bytes.slice(again.offset(), again.remaining());
    Answer answer = broker_.receive(request);
    if (answer.frame.has_value()) inbox_.push_back(*answer.frame);
    if (answer.closes) is_closed_ = true;
    arrived_.set();
    co_return Result<void>();
  }

  Task<SharedBytes> receive() override {
    while (inbox_.empty()) {
      if (is_closed_) co_return Error{ErrorKind::closed, "the broker went away"};
      arrived_.reset();
      co_await arrived_.wait();
    }
    SharedBytes first = inbox_.front();
    inbox_.pop_front();
    co_return first;
  }

  void close() override {
    is_closed_ = true;
    arrived_.set();
  }

 private:
  ScriptedBroker& broker_;
  std::string address_;
  Event arrived_;
  std::deque<SharedBytes> inbox_;
  bool is_closed_ = false;
};

}  // namespace

ScriptedBroker::ScriptedBroker() {
  for (const protocol::Api& api : protocol::apis()) offered_[api.key] = api.versions();
  handlers_[ApiKey::api_versions] = [this](const ReceivedRequest& request) {
    return answer_api_versions(request);
  };
}

Answer ScriptedBroker::framed(const ReceivedRequest& received, const Frame& body) {
  protocol::ResponseHeader header;
  header.correlation_id = received.correlation_id;
  const int version =
      protocol::response_header_version(*protocol::find_api(received.key), received.version);
  Frame frame = protocol::Codec<protocol::ResponseHeader>::encode(header, version).value();
  frame.append(body);
  return Answer{frame.flatten()};
}

Answer ScriptedBroker::answer_api_versions(const ReceivedRequest& request) const {
  protocol::ApiVersionsResponse response;
  for (const auto& [key, versions] : offered_) {
    auto& api = response.api_keys.emplace_back();
    api.api_key = static_cast<std::int16_t>(key);
    api.min_version = static_cast<std::int16_t>(versions.first);
    api.max_version = static_cast<std::int16_t>(versions.last);
  }
  for (const auto& [name, level] : features_) {
    auto& feature = response.finalized_features.emplace_back();
    feature.name = name;
    feature.max_version_level = static_cast<std::int16_t>(level);
  }
  int version = request.version;
  if (version > offered_.at(ApiKey::api_versions).last) {
    response.error_code = ErrorCode::unsupported_version;
    version = 0;
  }
  return framed(request,
                protocol::Codec<protocol::ApiVersionsResponse>::encode(response, version).value());
}

Answer ScriptedBroker::receive(const ReceivedRequest& request) {
  received.push_back(request);
  const auto handler = handlers_.find(request.key);
  if (handler == handlers_.end()) return Answer{};
  return handler->second(request);
}

int ScriptedBroker::count(ApiKey key) const {
  int found = 0;
  for (const ReceivedRequest& request : received)
    if (request.key == key) ++found;
  return found;
}

Task<std::unique_ptr<Channel>> ScriptedTransport::connect(std::string host, int port) {
  const std::string address = host + ":" + std::to_string(port);
  if (broker_.unreachable.contains(address))
    co_return Error{ErrorKind::cannot_connect, "cannot connect to " + address};
  broker_.connected.push_back(address);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  std::unique_ptr<Channel> channel = std::make_unique<ScriptedChannel>(broker_, address, executor);
  co_return channel;
}

void World::serve_topic(const std::string& topic, int count, Uuid id) {
  broker.on<protocol::MetadataRequest>([topic, count, id](const auto&, int) {
    protocol::MetadataResponse response;
    auto& node = response.brokers.emplace_back();
    node.node_id = 1;
    node.host = "b";
    node.port = 1;
    auto& answer = response.topics.emplace_back();
    answer.name = topic;
    answer.topic_id = id;
    for (int i = 0; i < count; ++i) {
      auto& partition = answer.partitions.emplace_back();
      partition.partition_index = i;
      partition.leader_id = 1;
    }
    return std::optional(response);
  });
  broker.on<protocol::FindCoordinatorRequest>([](const auto& request, int) {
    protocol::FindCoordinatorResponse response;
    auto& coordinator = response.coordinators.emplace_back();
    coordinator.key = request.coordinator_keys.front();
    coordinator.node_id = 1;
    coordinator.host = "b";
    coordinator.port = 1;
    return std::optional(response);
  });
}

}  // namespace fencepost::client
