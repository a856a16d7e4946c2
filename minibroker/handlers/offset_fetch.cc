// OffsetFetch: topics that are named need not exist; those given by id do. The coordinator answers,
// see group/offset_fetch.cc.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/offset_topics.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

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

// Takes the topics that the client may not see out of a list, and answers them.
template <class Topics, class Answers>
void refuse_topics(const Turn& turn, const RequestContext& context, Topics& topics,
                   Answers& answers) {
  std::erase_if(topics, [&](const auto& topic) {
    if (allows_topic(turn, context, Operation::describe, topic.name)) return false;
    auto& answered = answers.emplace_back();
    answered.name = topic.name;
    for (const std::int32_t index : topic.partition_indexes) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = index;
      answer.committed_offset = -1;
      answer.error_code = ErrorCode::topic_authorization_failed;
    }
    return true;
  });
}

// A group may be named twice: the answers stand in the order of the groups.
void refuse_groups(const Turn& turn, const RequestContext& context, OffsetFetchRequest& request,
                   OffsetFetchResponse& refused) {
  for (std::size_t i = 0; i < request.groups.size(); ++i) {
    Group& group = request.groups[i];
    GroupAnswer& answer = refused.groups[i];
    if (!allows_group(turn, context, Operation::describe, group.group_id)) {
      answer.topics.clear();
      answer.error_code = ErrorCode::group_authorization_failed;
    } else if (group.topics) {
      refuse_topics(turn, context, *group.topics, answer.topics);
    }
  }
}

// A request of one group, up to version 7, that is refused as a whole.
bool is_refused(Broker& broker, const Turn& turn, const RequestContext& context,
                const OffsetFetchRequest& request) {
  constexpr std::int16_t error_code_version_min = 2;
  constexpr std::int16_t groups_version_min = 8;
  if (context.api_version >= groups_version_min ||
      allows_group(turn, context, Operation::describe, request.group_id))
    return false;
  OffsetFetchResponse response;
  response.error_code = ErrorCode::group_authorization_failed;
  if (context.api_version < error_code_version_min && request.topics) {
    for (const auto& topic : *request.topics) {
      auto& answered = response.topics.emplace_back();
      answered.name = topic.name;
      for (const std::int32_t index : topic.partition_indexes)
        answered.partitions.push_back({index, -1, -1, "", response.error_code, {}});
    }
  }
  broker.reply(context, response);
  return true;
}

}  // namespace

void offset_fetch(Broker& broker, Turn& turn, const RequestContext& context,
                  const OffsetFetchRequest& request) {
  OffsetFetchRequest good = request;
  OffsetFetchResponse refused;
  TopicIds topic_ids;
  for (const Group& group : good.groups) refused.groups.emplace_back().group_id = group.group_id;
  if (context.api_version >= offset_topic_ids_version_min) {
    for (const auto& [name, image] : turn.controller.topics()) topic_ids[name] = image.id;
    for (std::size_t i = 0; i < good.groups.size(); ++i)
      name_topics(turn.controller, good.groups[i], refused.groups[i]);
  }
  if (turn.controller.authorizer().is_enabled()) {
    if (is_refused(broker, turn, context, request)) return;
    refuse_groups(turn, context, good, refused);
    if (good.topics) refuse_topics(turn, context, *good.topics, refused.topics);
  }
  broker.groups().offset_fetch(context, good, std::move(refused), topic_ids);
}

}  // namespace fencepost::minibroker::handlers
