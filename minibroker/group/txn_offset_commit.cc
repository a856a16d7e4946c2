// TxnOffsetCommit: the offsets of a transaction, which count when its commit marker comes. It is
// not stopped by a rebalance and does not keep a member alive.
#include "minibroker/group/coordinator.h"
#include "minibroker/group/group_log.h"
#include "minibroker/group/log_errors.h"
#include "minibroker/group/offset_answers.h"
#include "minibroker/group/offset_checks.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::TxnOffsetCommitRequest;

namespace {

constexpr int first_version_with_load_in_progress = 2;
constexpr int first_version_with_stale_member_epoch = 6;

ErrorCode for_version(ErrorCode error, int api_version) {
  const bool is_unknown_to_client = error == ErrorCode::coordinator_load_in_progress &&
                                    api_version < first_version_with_load_in_progress;
  return is_unknown_to_client ? ErrorCode::coordinator_not_available : error;
}

// Where nobody verifies, nobody has looked at them: Kafka fails while it builds the batch, and
// refuses the request as a whole.
bool can_write_batch(const TxnOffsetCommitRequest& request) {
  return request.producer_id != protocol::no_producer_id &&
         request.producer_epoch != protocol::no_producer_epoch;
}

}  // namespace

ErrorCode GroupCoordinator::before_verification(const std::string& group_id, Instant now) {
  if (group_id.empty()) return ErrorCode::invalid_group_id;
  if (era_.has_new_group_coordinator) return ErrorCode::none;
  const ErrorCode error = availability(group_id);
  // The old coordinator makes the group before it asks, and keeps it whatever the answer.
  if (error == ErrorCode::none) get_or_create_group(group_id, now);
  return error;
}

void GroupCoordinator::txn_offset_commit(const RequestContext& context,
                                         const TxnOffsetCommitRequest& request,
                                         protocol::TxnOffsetCommitResponse refused,
                                         VerificationGuard guard, Instant now) {
  OffsetsStaged reason{context, std::move(refused), request.producer_id, {}};
  const ErrorCode error = check_txn_offset_commit(request, context.api_version, now);
  if (error != ErrorCode::none) {
    add_error_to_all(reason.answer, request, for_version(error, context.api_version));
    return reply(context, reason.answer);
  }
  std::vector<protocol::NewRecord> records;
  for (const TxnOffsetCommitRequest::TxnOffsetCommitRequestTopic& topic : request.topics) {
    for (const TxnOffsetCommitRequest::TxnOffsetCommitRequestPartition& it : topic.partitions) {
      NewOffset offset{{topic.name, it.partition_index}, {}};
      offset.stored.offset = it.committed_offset;
      offset.stored.leader_epoch = it.committed_leader_epoch;
      offset.stored.metadata = it.committed_metadata.value_or("");
      offset.stored.commit_timestamp = to_timestamp(now);
      offset.stored.topic_id = topic.topic_id;
      const bool is_too_long = is_metadata_too_long(offset.stored.metadata);
      add_error(reason.answer, topic, it.partition_index,
                is_too_long ? ErrorCode::offset_metadata_too_large : ErrorCode::none);
      if (is_too_long) continue;
      records.push_back(offset_record(request.group_id, offset, offset_value_version(), now));
      reason.offsets.push_back(std::move(offset));
    }
  }
  if (records.empty()) return reply(context, reason.answer);
  if (!can_write_batch(request)) {
    for (auto& topic : reason.answer.topics)
      for (auto& it : topic.partitions) it.error_code = ErrorCode::unknown_server_error;
    return reply(context, reason.answer);
  }
  write({partition_of(request.group_id), request.group_id, std::move(reason)}, std::move(records));
  LogWrite& log_write = log_writes_.back();
  log_write.producer_id = request.producer_id;
  log_write.producer_epoch = request.producer_epoch;
  log_write.guard = guard;
}

ErrorCode GroupCoordinator::check_consumer_commit(const ConsumerGroup& group,
                                                  const TxnOffsetCommitRequest& request,
                                                  int api_version) const {
  const Committer committer{request.member_id, request.group_instance_id,
                            request.generation_id_or_member_epoch, true, api_version};
  ErrorCode error = check_committer(group, committer, era_.knows_assignment_epochs);
  for (const auto& topic : request.topics)
    for (const auto& it : topic.partitions)
      if (error == ErrorCode::none && !is_metadata_too_long(it.committed_metadata.value_or("")))
        error = check_committed_partition(group, committer, topic.topic_id, it.partition_index);
  const bool is_unknown_to_client =
      error == ErrorCode::stale_member_epoch && api_version < first_version_with_stale_member_epoch;
  return is_unknown_to_client ? ErrorCode::illegal_generation : error;
}

ErrorCode GroupCoordinator::check_txn_offset_commit(const TxnOffsetCommitRequest& request,
                                                    int api_version, Instant now) {
  if (request.group_id.empty()) return ErrorCode::invalid_group_id;
  const ErrorCode available = availability(request.group_id);
  if (available != ErrorCode::none) return available;
  if (era_.has(Defect::generation_unchecked)) return ErrorCode::none;
  const std::int32_t generation = request.generation_id_or_member_epoch;
  const bool is_unknown = find_group(request.group_id) == nullptr;
  if (is_unknown && generation >= 0 && era_.has_new_group_coordinator)
    return api_version >= first_version_with_stale_member_epoch ? ErrorCode::group_id_not_found
                                                                : ErrorCode::illegal_generation;
  const Group& group = get_or_create_group(request.group_id, now);
  if (group.consumer.has_value())
    return check_consumer_commit(*group.consumer, request, api_version);
  ClassicGroup& classic = get_or_create_group(request.group_id, now).classic;
  if (classic.is_in(ClassicGroupState::dead)) return ErrorCode::coordinator_not_available;
  // Both are let through by design: a producer that is no member of an Empty group, and clients
  // older than KIP-447, which say nothing of themselves.
  if (generation < 0 && classic.is_in(ClassicGroupState::empty)) return ErrorCode::none;
  const bool is_anonymous =
      generation < 0 && request.member_id.empty() && !request.group_instance_id.has_value();
  if (is_anonymous) return ErrorCode::none;

  const ErrorCode member = classic.check_member(request.member_id, request.group_instance_id);
  if (member != ErrorCode::none) return member;
  return generation == classic.generation() ? ErrorCode::none : ErrorCode::illegal_generation;
}

void GroupCoordinator::finish(const PendingWrite& pending, OffsetsStaged& reason,
                              const Outcome& outcome, Instant now) {
  const bool is_led = shards_.count(pending.partition) > 0;
  const bool is_kept =
      era_.has_new_group_coordinator && is_still_in_log(outcome.error) && outcome.base_offset >= 0;
  if (is_led && (outcome.error == ErrorCode::none || is_kept)) {
    GroupOffsets& offsets = get_or_create_group(pending.group_id, now).offsets;
    std::int64_t record_offset = outcome.base_offset;
    for (NewOffset& it : reason.offsets) {
      it.stored.record_offset = record_offset++;
      if (era_.has(Defect::offsets_applied_at_once))
        offsets.commit(it.partition, std::move(it.stored));
      else
        offsets.stage(reason.producer_id, it.partition, std::move(it.stored));
    }
  }
  // The old coordinator gives up, with a commit that fails, the one that it was to replace.
  if (is_led && outcome.error != ErrorCode::none && !era_.has_new_group_coordinator)
    for (const NewOffset& it : reason.offsets)
      get_or_create_group(pending.group_id, now).offsets.unstage(reason.producer_id, it.partition);
  if (outcome.error != ErrorCode::none)
    fail_accepted(reason.answer,
                  for_version(offset_write_error(era_, outcome.error), reason.request.api_version));
  // The old coordinator keeps the group that it made for the commit.
  if (outcome.error != ErrorCode::none && era_.has_new_group_coordinator)
    forget_if_unused(pending.group_id);
  reply(reason.request, reason.answer);
}

}  // namespace fencepost::minibroker
