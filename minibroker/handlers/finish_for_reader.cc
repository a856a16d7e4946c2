// The coordinators do not know who may see what: their lists are cut to what the client may
// describe. Only where there is an authorizer; an answer is read and written again then.
#include <algorithm>
#include <limits>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/offset_topics.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int32_t operations_not_asked_for = std::numeric_limits<std::int32_t>::min();

void finish(const Turn& turn, const RequestContext& context, ListGroupsResponse& response) {
  if (allows_cluster(turn, context, Operation::describe)) return;
  std::erase_if(response.groups, [&](const auto& group) {
    return !allows_group(turn, context, Operation::describe, group.group_id);
  });
}

// The coordinators tell of all operations, or of none when they were not asked to.
template <class Groups>
void limit_operations(const Turn& turn, const RequestContext& context, Groups& groups) {
  for (auto& group : groups)
    if (group.authorized_operations != operations_not_asked_for)
      group.authorized_operations =
          allowed_operations(turn, context, ResourceType::group, group.group_id);
}

void finish(const Turn& turn, const RequestContext& context, DescribeGroupsResponse& response) {
  limit_operations(turn, context, response.groups);
}

bool may_see_topics(const Turn& turn, const RequestContext& context,
                    const ConsumerGroupDescribeResponse::Assignment& assignment) {
  return std::ranges::all_of(assignment.topic_partitions, [&](const auto& topic) {
    return allows_topic(turn, context, Operation::describe, topic.topic_name);
  });
}

// A group that has anything to do with a topic that the client may not see is not shown at all.
void finish(const Turn& turn, const RequestContext& context,
            ConsumerGroupDescribeResponse& response) {
  limit_operations(turn, context, response.groups);
  for (auto& group : response.groups) {
    const bool is_visible = std::ranges::all_of(group.members, [&](const auto& member) {
      return may_see_topics(turn, context, member.assignment) &&
             may_see_topics(turn, context, member.target_assignment);
    });
    if (is_visible) continue;
    ConsumerGroupDescribeResponse::DescribedGroup refused;
    refused.group_id = group.group_id;
    refused.error_code = ErrorCode::topic_authorization_failed;
    refused.error_message =
        "The group has described topic(s) that the client is not authorized to describe.";
    group = std::move(refused);
  }
}

void finish(const Turn& turn, const RequestContext& context,
            DescribeTransactionsResponse& response) {
  for (auto& state : response.transaction_states) {
    if (!allows_transactional_id(turn, context, Operation::describe, state.transactional_id)) {
      DescribeTransactionsResponse::TransactionState refused;
      refused.transactional_id = state.transactional_id;
      refused.error_code = ErrorCode::transactional_id_authorization_failed;
      state = std::move(refused);
      continue;
    }
    std::erase_if(state.topics, [&](const auto& topic) {
      return !allows_topic(turn, context, Operation::describe, topic.topic);
    });
  }
}

void finish(const Turn& turn, const RequestContext& context, ListTransactionsResponse& response) {
  std::erase_if(response.transaction_states, [&](const auto& state) {
    return !allows_transactional_id(turn, context, Operation::describe, state.transactional_id);
  });
}

// Who asks for all topics of a group is not told of those that he may not describe; those that were
// asked for by name have their refusal already.
template <class Topics>
void keep_visible(const Turn& turn, const RequestContext& context, Topics& topics) {
  std::erase_if(topics, [&](const auto& topic) {
    const bool is_answered = std::ranges::any_of(topic.partitions, [](const auto& partition) {
      return partition.error_code == ErrorCode::topic_authorization_failed ||
             partition.error_code == ErrorCode::unknown_topic_id;
    });
    return !is_answered && !allows_topic(turn, context, Operation::describe, topic.name);
  });
}

void finish(const Turn& turn, const RequestContext& context, OffsetFetchResponse& response) {
  keep_visible(turn, context, response.topics);
  for (auto& group : response.groups) {
    if (context.api_version >= offset_topic_ids_version_min)
      for (auto& topic : group.topics)
        if (const TopicImage* image = turn.controller.find_topic(topic.topic_id))
          topic.name = image->name;
    keep_visible(turn, context, group.topics);
  }
}

template <class Response>
void rewrite(const Turn& turn, Reply& reply) {
  Result<Response> response =
      Codec<Response>::decode(reply.body.flatten(), reply.request.api_version);
  CHECK(response.ok());
  finish(turn, reply.request, *response);
  reply = make_reply(reply.request, *response);
}

}  // namespace

void finish_for_reader(const Turn& turn, Reply& reply) {
  if (!turn.controller.authorizer().is_enabled()) return;
  switch (reply.request.api_key) {
    case ApiKey::list_groups:
      return rewrite<ListGroupsResponse>(turn, reply);
    case ApiKey::describe_groups:
      return rewrite<DescribeGroupsResponse>(turn, reply);
    case ApiKey::consumer_group_describe:
      return rewrite<ConsumerGroupDescribeResponse>(turn, reply);
    case ApiKey::describe_transactions:
      return rewrite<DescribeTransactionsResponse>(turn, reply);
    case ApiKey::list_transactions:
      return rewrite<ListTransactionsResponse>(turn, reply);
    case ApiKey::offset_fetch:
      return rewrite<OffsetFetchResponse>(turn, reply);
    default:
      return;
  }
}

}  // namespace fencepost::minibroker::handlers
