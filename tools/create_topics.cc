#include "tools/create_topics.h"

#include "protocol/messages/create_topics.h"

namespace fencepost::tools {

client::Task<void> create_topics(client::ClusterClient& cluster, std::vector<std::string> names,
                                 int partitions, int replicas) {
  protocol::CreateTopicsRequest request;
  for (const std::string& name : names) {
    auto& topic = request.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = partitions;
    topic.replication_factor = static_cast<std::int16_t>(replicas);
  }
  Result<protocol::CreateTopicsResponse> created = co_await cluster.call_any(std::move(request));
  if (!created) co_return created.error();
  for (const auto& topic : created->topics)
    if (topic.error_code != protocol::ErrorCode::none)
      co_return Error{ErrorKind::stalled,
                      "topic " + topic.name + " cannot be created: " + to_string(topic.error_code)};
  co_return Result<void>();
}

}  // namespace fencepost::tools
