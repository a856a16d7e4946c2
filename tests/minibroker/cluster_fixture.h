// A cluster in virtual time, and a client that sends one request and waits for its answer.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "minibroker/cluster.h"
#include "protocol/api.h"
#include "protocol/base/check.h"
#include "protocol/messages/headers.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

class ClusterFixture {
 public:
  explicit ClusterFixture(ClusterSettings settings) : now(settings.start), cluster(settings) {}

  // A connection to that broker, made at the first use.
  ConnectionId to(int broker_id) {
    take(0);  // a connection that was closed is made anew
    ConnectionId& connection = connections_[broker_id];
    if (connection == 0) connection = cluster.connect(broker_id, "127.0.0.1");
    return connection;
  }

  // Sends a request; answer() waits for what comes back.
  template <class Request>
  std::int32_t send(ConnectionId connection, const Request& request, int version) {
    const auto* api = protocol::find_api(static_cast<protocol::ApiKey>(Request::info.api_key));
    protocol::RequestHeader header;
    header.request_api_key = Request::info.api_key;
    header.request_api_version = static_cast<std::int16_t>(version);
    header.correlation_id = ++correlation_id_;
    header.client_id = "test";
    protocol::Writer writer;
    CHECK(protocol::Codec<protocol::RequestHeader>::encode(
              writer, header, protocol::request_header_version(*api, version))
              .ok());
    CHECK(protocol::Codec<Request>::encode(writer, request, version).ok());
    cluster.receive(connection, writer.finish().flatten(), now);
    return correlation_id_;
  }

  // The body of the answer; moves time until it is there, at most by `patience`.
  template <class Response>
  Response answer(std::int32_t correlation_id, int version,
                  Duration patience = std::chrono::minutes(2)) {
    const Instant limit = now + patience;
    while (!take(correlation_id)) {
      const auto next = cluster.next_deadline();
      CHECK(next.has_value() && *next <= limit);
      now = *next;
      cluster.advance_to(now);
    }
    const SharedBytes frame = answers_.at(correlation_id);
    const auto* api = protocol::find_api(static_cast<protocol::ApiKey>(Response::info.api_key));
    protocol::Reader reader(frame);
    protocol::ResponseHeader header;
    Response response;
    CHECK(protocol::Codec<protocol::ResponseHeader>::decode(
        reader, protocol::response_header_version(*api, version), header));
    CHECK(protocol::Codec<Response>::decode(reader, version, response));
    CHECK(reader.remaining() == 0);
    return response;
  }

  template <class Request>
  typename Request::Response call(int broker_id, const Request& request, int version) {
    const std::int32_t id = send(to(broker_id), request, version);
    return answer<typename Request::Response>(id, version);
  }

  // Delivers what is in flight; no timer fires by it.
  void settle() {
    while (const auto next = cluster.next_arrival()) {
      now = std::max(now, *next);
      cluster.advance_to(now);
    }
  }
  void advance(Duration duration) {
    now += duration;
    cluster.advance_to(now);
  }

  bool is_answered(std::int32_t correlation_id) { return take(correlation_id); }

  Instant now;
  Cluster cluster;

 private:
  bool take(std::int32_t correlation_id) {
    for (Output& output : cluster.take_output()) {
      if (output.is_close) {
        std::erase_if(connections_,
                      [&](const auto& entry) { return entry.second == output.connection; });
        continue;
      }
      const SharedBytes frame = output.frame.flatten();
      protocol::Reader reader(frame);
      answers_[reader.int32()] = frame;
    }
    return answers_.contains(correlation_id);
  }

  std::map<int, ConnectionId> connections_;
  std::map<std::int32_t, SharedBytes> answers_;
  std::int32_t correlation_id_ = 0;
};

}  // namespace fencepost::minibroker
