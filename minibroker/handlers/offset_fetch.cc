// OffsetFetch: topics that are named need not exist; those given by id do. The coordinator answers,
// see group/offset_fetch.cc.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int16_t topic_ids_version_min = 10;

using Group = OffsetFetchRequest::OffsetFetchRequestGroup;
using GroupAnswer = OffsetFetchResponse::OffsetFetchResponseGroup;

// Names for the ids of a group's topics; what has none is answered.
void name_topics(const ControllerView& controller, Group& group, GroupAnswer& refused) {
  if (!group.topics) return;
  std::vector<OffsetFetchRequest::OffsetFetchRequestTopics> known;
  for (auto& topic : *group.topics) {
    if (const TopicImage* image = controller.find_topic(topic.topic_id)) {
      topic.name = image->name;
      known.push_back(std::move(topic));
      continue;
    }
    auto& answered = refused.topics.emplace_back();
    answered.topic_id = topic.topic_id;
    for (std::int32_t index : topic.partition_indexes) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = index;
      answer.committed_offset = -1;
      answer.error_code = ErrorCode::unknown_topic_id;
    }
  }
  *group.topics = std::move(known);
}

}  // namespace

void offset_fetch(Broker& broker, Turn& turn, const RequestContext& context,
                  const OffsetFetchRequest& request) {
  OffsetFetchRequest good = request;
  OffsetFetchResponse refused;
  TopicIds topic_ids;
  if (context.api_version >= topic_ids_version_min) {
    for (const auto& [name, image] : turn.controller.topics()) topic_ids[name] = image.id;
    for (Group& group : good.groups) {
      GroupAnswer& answer = refused.groups.emplace_back();
      answer.group_id = group.group_id;
      name_topics(turn.controller, group, answer);
    }
  }
  broker.groups().offset_fetch(context, good, std::move(refused), topic_ids);
}

}  // namespace fencepost::minibroker::handlers
