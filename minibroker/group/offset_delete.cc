// OffsetDelete: forgets offsets of topics that the group does not read.
#include <algorithm>

#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;

namespace {

ErrorCode check_group(const Group* group) {
  if (group == nullptr || group->classic.is_in(ClassicGroupState::dead))
    return ErrorCode::group_id_not_found;
  if (group->consumer.has_value()) return ErrorCode::none;
  const bool may_be_read =
      !group->classic.is_in(ClassicGroupState::empty) && !group->classic.speaks_consumer_protocol();
  return may_be_read ? ErrorCode::non_empty_group : ErrorCode::none;
}

auto& find_or_add_topic(OffsetDeleteResponse& response, const std::string& name) {
  for (auto& it : response.topics)
    if (it.name == name) return it;
  auto& added = response.topics.emplace_back();
  added.name = name;
  return added;
}

}  // namespace

void GroupCoordinator::offset_delete(const RequestContext& context,
                                     const OffsetDeleteRequest& request,
                                     OffsetDeleteResponse refused, Instant now) {
  const Group* group = find_group(request.group_id);
  ErrorCode error =
      request.group_id.empty() ? ErrorCode::invalid_group_id : availability(request.group_id);
  if (error == ErrorCode::none) error = check_group(group);
  if (error != ErrorCode::none) {
    OffsetDeleteResponse response;
    response.error_code = error;
    return reply(context, response);
  }
  OffsetsDeleted reason{context, std::move(refused), {}};
  std::vector<protocol::NewRecord> tombstones;
  for (const OffsetDeleteRequest::OffsetDeleteRequestTopic& topic : request.topics) {
    const bool is_subscribed = group->consumer.has_value()
                                   ? group->consumer->is_subscribed_to(topic.name)
                                   : group->classic.is_subscribed_to(topic.name);
    auto& answer = find_or_add_topic(reason.answer, topic.name);
    for (const OffsetDeleteRequest::OffsetDeleteRequestPartition& it : topic.partitions) {
      auto& partition_answer = answer.partitions.emplace_back();
      partition_answer.partition_index = it.partition_index;
      if (is_subscribed) partition_answer.error_code = ErrorCode::group_subscribed_to_topic;
      const TopicPartition partition{topic.name, it.partition_index};
      const bool has_offset =
          group->offsets.find(partition) != nullptr || group->offsets.has_pending(partition);
      if (is_subscribed || !has_offset) continue;
      tombstones.push_back(offset_tombstone(request.group_id, partition, now));
      reason.partitions.push_back(partition);
    }
  }
  if (tombstones.empty()) return reply(context, reason.answer);
  write({partition_of(request.group_id), request.group_id, std::move(reason)},
        std::move(tombstones));
}

void GroupCoordinator::finish(const PendingWrite& pending, OffsetsDeleted& reason,
                              const Outcome& outcome, Instant) {
  if (outcome.error != ErrorCode::none) {
    OffsetDeleteResponse response;
    response.error_code = offset_write_error(era_, outcome.error);
    return reply(reason.request, response);
  }
  if (Group* group = find_group(pending.group_id))
    for (const TopicPartition& it : reason.partitions) {
      const bool was_pending = group->offsets.has_pending(it);
      group->offsets.remove(it);
      if (era_.has(Defect::deleted_offsets_stay_pending) && was_pending)
        group->offsets.stage(protocol::no_producer_id, it, {});
    }
  reply(reason.request, reason.answer);
}

}  // namespace fencepost::minibroker
