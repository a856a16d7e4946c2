#include "tools/topics.h"

#include "client/explained.h"
#include "client/reader.h"
#include "protocol/messages/create_topics.h"
#include "tools/exit_code.h"

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
      co_return Error{ErrorKind::stalled, "topic " + topic.name + " cannot be created: " +
                                              client::explained(topic.error_code)};
  // Created is not known everywhere, and not led by anybody yet.
  for (const std::string& name : names)
    for (int i = 0; i < partitions; ++i) {
      const client::TopicPartition partition{name, i};
      Result<std::int64_t> start = co_await client::list_offset_within(
          cluster, partition, client::earliest_timestamp, client::IsolationLevel::read_uncommitted,
          cluster.options().connection.request_timeout);
      if (!start) co_return start.error();
    }
  co_return Result<void>();
}

client::Task<void> require_partition(client::ClusterClient& cluster,
                                     client::TopicPartition partition) {
  std::vector<std::string> topics(1, partition.topic);
  Result<protocol::MetadataResponse> metadata =
      co_await cluster.refresh_metadata(std::move(topics));
  if (!metadata) co_return metadata.error();
  for (const auto& topic : metadata->topics) {
    if (topic.error_code == protocol::ErrorCode::none &&
        partition.partition < static_cast<std::int32_t>(topic.partitions.size()))
      continue;
    const std::string problem = topic.error_code == protocol::ErrorCode::none
                                    ? "has no partition " + std::to_string(partition.partition)
                                    : "is answered with " + client::explained(topic.error_code);
    co_return Error{ErrorKind::stalled, "topic " + partition.topic + " " + problem};
  }
  co_return Result<void>();
}

std::optional<int> exit_if_missing(ClusterCommand& command, const std::string& name,
                                   client::TopicPartition partition) {
  std::optional<Result<void>> exists =
      command.run(require_partition(command.cluster(), std::move(partition)));
  if (!exists) return exit_unreachable;
  if (!exists->ok()) return report_error(name, exists->error());
  return std::nullopt;
}

}  // namespace fencepost::tools
