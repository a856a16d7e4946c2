// OffsetCommit: looks at the topics; the coordinator decides, see group/offset_commit.cc.
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/offset_topics.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

void offset_commit(Broker& broker, Turn& turn, const RequestContext& context,
                   const OffsetCommitRequest& request) {
  OffsetCommitResponse refused;
  if (!allows_group(turn, context, Operation::read, request.group_id)) {
    refuse_all(request.topics, ErrorCode::group_authorization_failed, refused.topics);
    return broker.reply(context, refused);
  }
  OffsetCommitRequest good = request;
  refuse_bad_topics(turn, context, context.api_version >= offset_topic_ids_version_min, good,
                    refused);
  // Without a partition that there is, the group is not asked, nor made.
  if (good.topics.empty()) return broker.reply(context, refused);
  broker.groups().offset_commit(context, good, std::move(refused), turn.now);
}

void offset_delete(Broker& broker, Turn& turn, const RequestContext& context,
                   const OffsetDeleteRequest& request) {
  OffsetDeleteRequest good;
  good.group_id = request.group_id;
  OffsetDeleteResponse refused;
  if (!allows_group(turn, context, Operation::delete_, request.group_id)) {
    refused.error_code = ErrorCode::group_authorization_failed;
    return broker.reply(context, refused);
  }
  for (const auto& topic : request.topics) {
    OffsetDeleteRequest::OffsetDeleteRequestTopic kept;
    OffsetDeleteResponse::OffsetDeleteResponseTopic answered;
    kept.name = answered.name = topic.name;
    const bool is_allowed = allows_topic(turn, context, Operation::read, topic.name);
    for (const auto& partition : topic.partitions) {
      const TopicPartition it{topic.name, partition.partition_index};
      if (is_allowed && turn.controller.find_partition(it) != nullptr)
        kept.partitions.push_back(partition);
      else
        answered.partitions.push_back({partition.partition_index,
                                       is_allowed ? ErrorCode::unknown_topic_or_partition
                                                  : ErrorCode::topic_authorization_failed,
                                       {}});
    }
    if (!kept.partitions.empty()) good.topics.push_back(std::move(kept));
    if (!answered.partitions.empty()) refused.topics.push_back(std::move(answered));
  }
  broker.groups().offset_delete(context, good, std::move(refused), turn.now);
}

}  // namespace fencepost::minibroker::handlers
