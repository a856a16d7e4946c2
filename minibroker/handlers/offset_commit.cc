// OffsetCommit: looks at the topics; the coordinator decides, see group/offset_commit.cc.
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/offset_topics.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {
constexpr std::int16_t topic_ids_version_min = 10;
}

void offset_commit(Broker& broker, Turn& turn, const RequestContext& context,
                   const OffsetCommitRequest& request) {
  OffsetCommitRequest good = request;
  OffsetCommitResponse refused;
  refuse_unknown(turn.controller, context.api_version >= topic_ids_version_min, good, refused);
  broker.groups().offset_commit(context, good, std::move(refused), turn.now);
}

void offset_delete(Broker& broker, Turn& turn, const RequestContext& context,
                   const OffsetDeleteRequest& request) {
  OffsetDeleteRequest good = request;
  OffsetDeleteResponse refused;
  good.topics.clear();
  for (const auto& topic : request.topics) {
    if (turn.controller.find_topic(topic.name) != nullptr) {
      good.topics.push_back(topic);
      continue;
    }
    auto& answered = refused.topics.emplace_back();
    answered.name = topic.name;
    for (const auto& partition : topic.partitions)
      answered.partitions.push_back(
          {partition.partition_index, ErrorCode::unknown_topic_or_partition, {}});
  }
  broker.groups().offset_delete(context, good, std::move(refused), turn.now);
}

}  // namespace fencepost::minibroker::handlers
