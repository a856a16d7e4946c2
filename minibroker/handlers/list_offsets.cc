// ListOffsets: which offset is the latest depends on who asks. read_uncommitted is told the high
// watermark, read_committed the last stable offset.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using WantedOffset = ListOffsetsRequest::ListOffsetsPartition;
using FoundOffset = ListOffsetsResponse::ListOffsetsPartitionResponse;

constexpr std::int16_t leader_epoch_version_min = 4;
constexpr int debugging_replica_id = -2;
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

std::int64_t limit_of(const PartitionLog& log, const ListOffsetsRequest& request) {
  if (request.replica_id != consumer_id) return log.log_end_offset();
  return request.isolation_level == read_committed ? log.last_stable_offset()
                                                   : log.high_watermark();
}

// Only who leads knows what is replicated; shortly after it has begun to lead it does not know yet.
bool knows_high_watermark(const Replica& replica) {
  const auto epoch_start = replica.log.leader_epochs().start_offset_of(replica.leader_epoch);
  return !epoch_start || *epoch_start <= replica.log.high_watermark();
}

ErrorCode error_of_unknown_end(const Replica& replica, const RequestContext& context, int reader) {
  if (reader != consumer_id || knows_high_watermark(replica)) return ErrorCode::none;
  return context.api_version >= 5 ? ErrorCode::offset_not_available
                                  : ErrorCode::leader_not_available;
}

void look_up(const Replica& replica, std::int64_t timestamp, std::int64_t limit, ErrorCode unknown,
             FoundOffset& answer) {
  const PartitionLog& log = replica.log;
  switch (timestamp) {
    case latest_timestamp:
      answer.error_code = unknown;
      if (unknown != ErrorCode::none) return;
      answer.offset = limit;
      answer.leader_epoch = replica.leader_epoch;
      return;
    case earliest_timestamp:
    case earliest_local_timestamp:
      answer.offset = log.log_start_offset();
      answer.leader_epoch = log.leader_epochs().epoch_at(log.log_start_offset()).value_or(-1);
      return;
    case latest_tiered_timestamp:
    case earliest_pending_upload_timestamp:
      return;  // nothing is ever moved to another tier
    default:
      break;
  }
  const auto found = timestamp == max_timestamp
                         ? log.offset_of_max_timestamp(log.log_end_offset())
                         : log.offset_for_timestamp(timestamp, log.log_end_offset());
  if (!found) return;
  if (found->offset >= limit) {
    answer.error_code = unknown;
    return;
  }
  answer.timestamp = found->timestamp;
  answer.offset = found->offset;
  answer.leader_epoch = found->leader_epoch;
}

FoundOffset answer_one(Broker& broker, Turn& turn, const RequestContext& context,
                       const ListOffsetsRequest& request, const TopicPartition& partition,
                       const WantedOffset& wanted) {
  FoundOffset answer;
  answer.partition_index = wanted.partition_index;
  if (!allows_topic(turn, context, Operation::describe, partition.topic)) {
    answer.error_code = ErrorCode::topic_authorization_failed;
    return answer;
  }
  if (wanted.timestamp < earliest_pending_upload_timestamp ||
      context.api_version < version_min_of(wanted.timestamp)) {
    answer.error_code = ErrorCode::unsupported_version;
    return answer;
  }
  const Replica* replica =
      request.replica_id == debugging_replica_id
          ? find_any_replica(broker, turn, partition, wanted.current_leader_epoch,
                             answer.error_code)
          : find_leader(broker, turn, partition, wanted.current_leader_epoch, answer.error_code);
  if (replica == nullptr) return answer;
  look_up(*replica, wanted.timestamp, limit_of(replica->log, request),
          error_of_unknown_end(*replica, context, request.replica_id), answer);
  if (context.api_version < leader_epoch_version_min) answer.leader_epoch = -1;
  return answer;
}

// A partition that is asked about twice is refused, once.
std::set<TopicPartition> duplicates_in(const ListOffsetsRequest& request) {
  std::set<TopicPartition> seen;
  std::set<TopicPartition> twice;
  for (const auto& topic : request.topics)
    for (const WantedOffset& wanted : topic.partitions) {
      const TopicPartition partition{topic.name, wanted.partition_index};
      if (!seen.insert(partition).second) twice.insert(partition);
    }
  return twice;
}

ListOffsetsResponse::ListOffsetsTopicResponse& topic_in(ListOffsetsResponse& response,
                                                        const std::string& name) {
  for (auto& topic : response.topics)
    if (topic.name == name) return topic;
  response.topics.emplace_back().name = name;
  return response.topics.back();
}

}  // namespace

void list_offsets(Broker& broker, Turn& turn, const RequestContext& context,
                  const ListOffsetsRequest& request) {
  ListOffsetsResponse response;
  const std::set<TopicPartition> twice = duplicates_in(request);
  std::set<TopicPartition> refused;
  for (const auto& topic : request.topics) {
    auto& answered = topic_in(response, topic.name);
    for (const WantedOffset& wanted : topic.partitions) {
      const TopicPartition partition{topic.name, wanted.partition_index};
      const bool is_denied = !allows_topic(turn, context, Operation::describe, topic.name);
      if (is_denied || !twice.contains(partition)) {
        answered.partitions.push_back(
            answer_one(broker, turn, context, request, partition, wanted));
      } else if (refused.insert(partition).second) {
        auto& answer = answered.partitions.emplace_back();
        answer.partition_index = wanted.partition_index;
        answer.error_code = ErrorCode::invalid_request;
      }
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
