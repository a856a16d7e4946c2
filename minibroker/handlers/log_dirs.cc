// DescribeLogDirs and AlterReplicaLogDirs: a broker has one place for all its partitions.
#include <algorithm>

#include "minibroker/described_config.h"
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr const char* memory_log_dir = "/memory";

std::string log_dir_of(const Broker& broker, const Turn& turn) {
  for (const char* key : {"log.dirs", "log.dir"}) {
    const auto given = turn.controller.settings().broker_config.find(key);
    if (given != turn.controller.settings().broker_config.end()) return given->second;
  }
  return memory_log_dir + ("/broker-" + std::to_string(broker.id()));
}

bool is_wanted(const DescribeLogDirsRequest& request, const TopicPartition& partition) {
  if (!request.topics) return true;
  return std::ranges::any_of(*request.topics, [&](const auto& topic) {
    return topic.topic == partition.topic &&
           std::ranges::count(topic.partitions, partition.partition) > 0;
  });
}

}  // namespace

void describe_log_dirs(Broker& broker, Turn& turn, const RequestContext& context,
                       const DescribeLogDirsRequest& request) {
  DescribeLogDirsResponse response;
  if (!allows_cluster(turn, context, Operation::describe)) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    return broker.reply(context, response);
  }
  auto& dir = response.results.emplace_back();
  dir.log_dir = log_dir_of(broker, turn);
  for (const auto& [partition, replica] : broker.replicas().all()) {
    if (!is_wanted(request, partition)) continue;
    if (dir.topics.empty() || dir.topics.back().name != partition.topic)
      dir.topics.emplace_back().name = partition.topic;
    auto& described = dir.topics.back().partitions.emplace_back();
    described.partition_index = partition.partition;
    described.partition_size = static_cast<std::int64_t>(replica.log.size_bytes());
  }
  broker.reply(context, response);
}

void alter_replica_log_dirs(Broker& broker, Turn& turn, const RequestContext& context,
                            const AlterReplicaLogDirsRequest& request) {
  AlterReplicaLogDirsResponse response;
  const std::string own_dir = log_dir_of(broker, turn);
  const bool is_allowed = allows_cluster(turn, context, Operation::alter);
  for (const auto& dir : request.dirs)
    for (const auto& topic : dir.topics) {
      auto& answered = response.results.emplace_back();
      answered.topic_name = topic.name;
      for (std::int32_t index : topic.partitions) {
        auto& answer = answered.partitions.emplace_back();
        answer.partition_index = index;
        if (!is_allowed)
          answer.error_code = ErrorCode::cluster_authorization_failed;
        else if (dir.path != own_dir)
          answer.error_code = ErrorCode::log_dir_not_found;
        else if (broker.replicas().find({topic.name, index}) == nullptr)
          answer.error_code = ErrorCode::replica_not_available;
      }
    }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
