// ListOffsets: which offset is the latest depends on who asks. read_uncommitted is told the high
// watermark, read_committed the last stable offset.
#include <algorithm>

#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Wanted = ListOffsetsRequest::ListOffsetsPartition;
using Answer = ListOffsetsResponse::ListOffsetsPartitionResponse;

constexpr std::int16_t leader_epoch_version_min = 4;
constexpr std::int8_t read_committed = 1;
constexpr std::int64_t latest_timestamp = -1;
constexpr std::int64_t earliest_timestamp = -2;
constexpr std::int64_t max_timestamp = -3;
constexpr std::int64_t earliest_local_timestamp = -4;
constexpr std::int64_t latest_tiered_timestamp = -5;
constexpr std::int64_t earliest_pending_upload_timestamp = -6;

// The lowest version that knows each special timestamp.
int version_min_of(std::int64_t timestamp) {
  switch (timestamp) {
    case max_timestamp:
      return 7;
    case earliest_local_timestamp:
      return 8;
    case latest_tiered_timestamp:
      return 9;
    case earliest_pending_upload_timestamp:
      return 11;
    default:
      return 0;
  }
}

void set(Answer& answer, const std::optional<TimestampAndOffset>& found) {
  if (!found) return;
  answer.timestamp = found->timestamp;
  answer.offset = found->offset;
  answer.leader_epoch = found->leader_epoch;
}

void look_up(const PartitionLog& log, std::int64_t timestamp, std::int64_t limit, Answer& answer) {
  switch (timestamp) {
    case latest_timestamp:
      answer.offset = limit;
      answer.leader_epoch = log.leader_epochs().latest().value_or(-1);
      return;
    case earliest_timestamp:
    case earliest_local_timestamp:
      answer.offset = log.log_start_offset();
      answer.leader_epoch = log.leader_epochs().epoch_at(log.log_start_offset()).value_or(-1);
      return;
    case max_timestamp:
      return set(answer, log.offset_of_max_timestamp(limit));
    case latest_tiered_timestamp:
    case earliest_pending_upload_timestamp:
      return;  // nothing is ever moved to another tier
    default:
      return set(answer, log.offset_for_timestamp(timestamp, limit));
  }
}

Answer answer_one(Broker& broker, const RequestContext& context, const ListOffsetsRequest& request,
                  const TopicPartition& partition, const Wanted& wanted) {
  Answer answer;
  answer.partition_index = wanted.partition_index;
  if (wanted.timestamp < earliest_pending_upload_timestamp ||
      context.api_version < version_min_of(wanted.timestamp)) {
    answer.error_code = ErrorCode::unsupported_version;
    return answer;
  }
  Replica* replica = broker.replicas().leader(partition, answer.error_code);
  if (replica == nullptr) return answer;
  answer.error_code = check_leader_epoch(*replica, wanted.current_leader_epoch);
  if (answer.error_code != ErrorCode::none) return answer;
  const bool is_committed_only = request.isolation_level == read_committed;
  look_up(replica->log, wanted.timestamp,
          is_committed_only ? replica->log.last_stable_offset() : replica->log.high_watermark(),
          answer);
  if (context.api_version < leader_epoch_version_min) answer.leader_epoch = -1;
  return answer;
}

}  // namespace

void list_offsets(Broker& broker, Turn&, const RequestContext& context,
                  const ListOffsetsRequest& request) {
  ListOffsetsResponse response;
  std::set<TopicPartition> seen;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    for (const Wanted& wanted : topic.partitions) {
      const TopicPartition partition{topic.name, wanted.partition_index};
      if (seen.insert(partition).second) {
        answered.partitions.push_back(answer_one(broker, context, request, partition, wanted));
        continue;
      }
      auto& twice = answered.partitions.emplace_back();
      twice.partition_index = wanted.partition_index;
      twice.error_code = ErrorCode::invalid_request;
    }
  }
  broker.reply(context, response);
}

void offset_for_leader_epoch(Broker& broker, Turn&, const RequestContext& context,
                             const OffsetForLeaderEpochRequest& request) {
  OffsetForLeaderEpochResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.topic = topic.topic;
    for (const auto& wanted : topic.partitions) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition = wanted.partition;
      Replica* replica =
          broker.replicas().leader({topic.topic, wanted.partition}, answer.error_code);
      if (replica == nullptr) continue;
      answer.error_code = check_leader_epoch(*replica, wanted.current_leader_epoch);
      if (answer.error_code != ErrorCode::none) continue;
      const EpochEndOffset end = replica->log.end_offset_for_epoch(wanted.leader_epoch);
      answer.leader_epoch = end.leader_epoch;
      answer.end_offset = end.end_offset;
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
