// OffsetCommit: an offset is visible when its record is replicated.
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"
#include "minibroker/group/offset_answers.h"
#include "minibroker/group/offset_checks.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::OffsetCommitRequest;

namespace {

constexpr int first_version_with_group_id_not_found = 9;  // KIP-848
constexpr std::int64_t default_retention = -1;

// The length of the text as Java counts it, in UTF-16 units.
std::size_t java_length(const std::string& text) {
  std::size_t length = 0;
  for (char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte & 0xc0) != 0x80) length += byte >= 0xf0 ? 2 : 1;
  }
  return length;
}

}  // namespace

bool GroupCoordinator::is_metadata_too_long(const std::string& metadata) const {
  return java_length(metadata) > static_cast<std::size_t>(settings_.offset_metadata_max_bytes);
}

int GroupCoordinator::offset_value_version() const {
  return era_.has_new_group_coordinator ? 4 : 3;
}

void GroupCoordinator::offset_commit(const RequestContext& context,
                                     const OffsetCommitRequest& request,
                                     protocol::OffsetCommitResponse refused, Instant now) {
  OffsetsCommitted reason{context, std::move(refused), {}};
  const ErrorCode error = check_offset_commit(request, context.api_version, now);
  if (error != ErrorCode::none) {
    add_error_to_all(reason.answer, request, error);
    return reply(context, reason.answer);
  }
  std::vector<protocol::NewRecord> records;
  for (const OffsetCommitRequest::OffsetCommitRequestTopic& topic : request.topics) {
    for (const OffsetCommitRequest::OffsetCommitRequestPartition& it : topic.partitions) {
      NewOffset offset{{topic.name, it.partition_index}, {}};
      offset.stored.offset = it.committed_offset;
      offset.stored.leader_epoch = it.committed_leader_epoch;
      offset.stored.metadata = it.committed_metadata.value_or("");
      offset.stored.commit_timestamp = to_timestamp(now);
      offset.stored.topic_id = topic.topic_id;
      if (request.retention_time_ms != default_retention)
        offset.stored.expire_timestamp = to_timestamp(now) + request.retention_time_ms;
      const bool is_too_long = is_metadata_too_long(offset.stored.metadata);
      add_error(reason.answer, topic, it.partition_index,
                is_too_long ? ErrorCode::offset_metadata_too_large : ErrorCode::none);
      if (is_too_long) continue;
      records.push_back(offset_record(request.group_id, offset, offset_value_version(), now));
      reason.offsets.push_back(std::move(offset));
    }
  }
  if (records.empty()) return reply(context, reason.answer);
  write({partition_of(request.group_id), request.group_id, std::move(reason)}, std::move(records));
}

ErrorCode GroupCoordinator::check_consumer_commit(const ConsumerGroup& group,
                                                  const OffsetCommitRequest& request,
                                                  int api_version) const {
  const Committer committer{request.member_id, request.group_instance_id,
                            request.generation_id_or_member_epoch, false, api_version};
  ErrorCode error = check_committer(group, committer, era_.knows_assignment_epochs);
  // One partition that it has no right to refuses them all.
  for (const auto& topic : request.topics)
    for (const auto& it : topic.partitions)
      if (error == ErrorCode::none && !is_metadata_too_long(it.committed_metadata.value_or("")))
        error = check_committed_partition(group, committer, topic.topic_id, it.partition_index);
  return error;
}

ErrorCode GroupCoordinator::check_offset_commit(const OffsetCommitRequest& request, int api_version,
                                                Instant now) {
  const ErrorCode available = availability(request.group_id);
  if (available != ErrorCode::none) return available;
  const std::int32_t generation = request.generation_id_or_member_epoch;
  if (find_group(request.group_id) == nullptr && generation >= 0) {
    const bool says_not_found =
        era_.has_new_group_coordinator && api_version >= first_version_with_group_id_not_found;
    return says_not_found ? ErrorCode::group_id_not_found : ErrorCode::illegal_generation;
  }
  const Group& group = get_or_create_group(request.group_id, now);
  if (group.consumer.has_value())
    return check_consumer_commit(*group.consumer, request, api_version);
  ClassicGroup& classic = get_or_create_group(request.group_id, now).classic;
  if (classic.is_in(ClassicGroupState::dead)) return ErrorCode::coordinator_not_available;
  // Somebody who keeps offsets in Kafka without being a member of anything.
  if (generation < 0 && classic.is_in(ClassicGroupState::empty)) return ErrorCode::none;

  const bool is_anonymous =
      generation < 0 && request.member_id.empty() && !request.group_instance_id.has_value();
  if (is_anonymous) return ErrorCode::unknown_member_id;
  const ErrorCode member = classic.check_member(request.member_id, request.group_instance_id);
  if (member != ErrorCode::none) return member;
  if (generation != classic.generation()) return ErrorCode::illegal_generation;
  if (classic.is_in(ClassicGroupState::completing_rebalance))
    return ErrorCode::rebalance_in_progress;
  if (ClassicMember* committer = classic.find_member(request.member_id))
    reset_session(*committer, now);
  return ErrorCode::none;
}

void GroupCoordinator::finish(const PendingWrite& pending, OffsetsCommitted& reason,
                              const Outcome& outcome, Instant now) {
  const bool is_led = shards_.count(pending.partition) > 0;
  const bool is_kept =
      era_.has_new_group_coordinator && is_still_in_log(outcome.error) && outcome.base_offset >= 0;
  if (is_led && (outcome.error == ErrorCode::none || is_kept)) {
    GroupOffsets& offsets = get_or_create_group(pending.group_id, now).offsets;
    std::int64_t record_offset = outcome.base_offset;
    for (NewOffset& it : reason.offsets) {
      it.stored.record_offset = record_offset++;
      offsets.commit(it.partition, std::move(it.stored));
    }
  }
  if (outcome.error != ErrorCode::none)
    fail_accepted(reason.answer, offset_write_error(era_, outcome.error));
  if (outcome.error != ErrorCode::none) forget_if_unused(pending.group_id);
  reply(reason.request, reason.answer);
}

}  // namespace fencepost::minibroker
