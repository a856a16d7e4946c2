// Fetch: of consumers up to the high watermark or the last stable offset, of followers up to the
// log end. What a follower asks for is what it has: that moves the high watermark.
#include <algorithm>

#include "minibroker/handlers/handlers.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Wanted = FetchRequest::FetchPartition;
using Answer = FetchResponse::PartitionData;

constexpr std::int8_t read_committed = 1;
constexpr std::int16_t topic_ids_version_min = 13;

int follower_id(const FetchRequest& request, std::int16_t version) {
  return version >= 15 ? request.replica_state.replica_id : request.replica_id;
}

// One walk over a fetch: what it reads, and what decides whether it is answered now.
struct Reading {
  int follower_id = -1;
  bool is_committed_only = false;
  std::size_t bytes_left = 0;
  std::size_t bytes_read = 0;
  bool is_urgent = false;  // an error, or a truncation to tell of
  FetchResponse response = {};
};

Answer refuse(std::int32_t partition, ErrorCode error) {
  Answer out;
  out.partition_index = partition;
  out.error_code = error;
  out.high_watermark = -1;
  out.aborted_transactions = std::nullopt;
  out.records = Records{};
  return out;
}

// Where the reader's log and this one part, if they do (KIP-595).
bool is_diverging(const PartitionLog& log, const Wanted& wanted, Answer& answer) {
  if (wanted.last_fetched_epoch < 0) return false;
  const EpochEndOffset end = log.end_offset_for_epoch(wanted.last_fetched_epoch);
  if (end.leader_epoch == wanted.last_fetched_epoch && end.end_offset >= wanted.fetch_offset)
    return false;
  answer.diverging_epoch.epoch = end.leader_epoch;
  answer.diverging_epoch.end_offset = end.end_offset;
  return true;
}

std::int64_t limit_of(const PartitionLog& log, const Reading& reading) {
  if (reading.follower_id >= 0) return log.log_end_offset();
  return reading.is_committed_only ? log.last_stable_offset() : log.high_watermark();
}

void read_records(const PartitionLog& log, const Wanted& wanted, Reading& reading, Answer& answer) {
  const std::int64_t limit = limit_of(log, reading);
  const std::size_t partition_bytes =
      static_cast<std::size_t>(std::max(wanted.partition_max_bytes, 0));
  SharedBytes records;
  if (wanted.fetch_offset < limit)
    records = log.read(wanted.fetch_offset, limit, std::min(partition_bytes, reading.bytes_left),
                       reading.bytes_read == 0);
  if (reading.is_committed_only && !records.empty()) {
    const auto aborted =
        log.aborted_transactions(wanted.fetch_offset, end_offset_of(records, wanted.fetch_offset));
    for (const AbortedTransaction& transaction : aborted)
      answer.aborted_transactions->push_back(
          {transaction.producer_id, transaction.first_offset, {}});
  }
  reading.bytes_read += records.size();
  reading.bytes_left -= std::min(reading.bytes_left, records.size());
  answer.records = Records{std::move(records)};
}

Answer read_partition(Broker& broker, const TopicPartition& partition, const Wanted& wanted,
                      Reading& reading) {
  ErrorCode error = ErrorCode::none;
  Replica* replica = broker.replicas().leader(partition, error);
  if (replica != nullptr) error = check_leader_epoch(*replica, wanted.current_leader_epoch);
  if (error != ErrorCode::none) return refuse(wanted.partition, error);
  const PartitionLog& log = replica->log;
  if (wanted.fetch_offset < log.log_start_offset() || wanted.fetch_offset > log.log_end_offset())
    return refuse(wanted.partition, ErrorCode::offset_out_of_range);
  Answer answer;
  answer.partition_index = wanted.partition;
  answer.records = Records{};
  if (!reading.is_committed_only) answer.aborted_transactions = std::nullopt;
  if (is_diverging(log, wanted, answer)) {
    reading.is_urgent = true;
  } else {
    read_records(log, wanted, reading, answer);
  }
  answer.high_watermark = log.high_watermark();
  answer.last_stable_offset = log.last_stable_offset();
  answer.log_start_offset = log.log_start_offset();
  if (reading.follower_id >= 0) {
    const auto told = replica->follower_high_watermarks.find(reading.follower_id);
    reading.is_urgent |=
        told != replica->follower_high_watermarks.end() && told->second < answer.high_watermark;
  }
  return answer;
}

Reading read(Broker& broker, const Turn& turn, const FetchOperation& operation) {
  const FetchRequest& request = operation.body;
  const std::int16_t version = operation.request.api_version;
  Reading reading;
  reading.follower_id = follower_id(request, version);
  reading.is_committed_only = reading.follower_id < 0 && request.isolation_level == read_committed;
  reading.bytes_left = static_cast<std::size_t>(std::max(request.max_bytes, 0));
  for (const auto& topic : request.topics) {
    auto& answered = reading.response.responses.emplace_back();
    answered.topic = topic.topic;
    answered.topic_id = topic.topic_id;
    const TopicImage* image = version >= topic_ids_version_min
                                  ? turn.controller.find_topic(topic.topic_id)
                                  : turn.controller.find_topic(topic.topic);
    for (const Wanted& wanted : topic.partitions) {
      Answer answer = image != nullptr
                          ? read_partition(broker, {image->name, wanted.partition}, wanted, reading)
                          : refuse(wanted.partition, version >= topic_ids_version_min
                                                         ? ErrorCode::unknown_topic_id
                                                         : ErrorCode::unknown_topic_or_partition);
      reading.is_urgent |= answer.error_code != ErrorCode::none;
      answered.partitions.push_back(std::move(answer));
    }
  }
  return reading;
}

// Every follower is told of a high watermark once.
void note_told(Broker& broker, const Reading& reading) {
  if (reading.follower_id < 0) return;
  for (const auto& topic : reading.response.responses)
    for (const Answer& answer : topic.partitions)
      if (Replica* replica = broker.replicas().find({topic.topic, answer.partition_index}))
        replica->follower_high_watermarks[reading.follower_id] = answer.high_watermark;
}

void note_follower_offsets(Broker& broker, const FetchRequest& request, int follower) {
  for (const auto& topic : request.topics)
    for (const Wanted& wanted : topic.partitions) {
      ErrorCode error = ErrorCode::none;
      const TopicPartition partition{topic.topic, wanted.partition};
      Replica* replica = broker.replicas().leader(partition, error);
      if (replica != nullptr &&
          check_leader_epoch(*replica, wanted.current_leader_epoch) == ErrorCode::none)
        broker.replicas().on_follower_fetch(partition, *replica, follower, wanted.fetch_offset);
    }
}

std::set<TopicPartition> partitions_of(const Turn& turn, const RequestContext& context,
                                       const FetchRequest& request) {
  std::set<TopicPartition> out;
  for (const auto& topic : request.topics) {
    const TopicImage* image = context.api_version >= topic_ids_version_min
                                  ? turn.controller.find_topic(topic.topic_id)
                                  : turn.controller.find_topic(topic.topic);
    if (image == nullptr) continue;
    for (const Wanted& wanted : topic.partitions) out.insert({image->name, wanted.partition});
  }
  return out;
}

}  // namespace

bool answer_fetch(Broker& broker, Turn& turn, const FetchOperation& operation, FetchMoment moment) {
  const FetchRequest& request = operation.body;
  Reading reading = read(broker, turn, operation);
  const bool may_wait = moment != FetchMoment::at_deadline && request.max_wait_ms > 0 &&
                        !operation.partitions.empty() && !reading.is_urgent;
  if (may_wait && reading.bytes_read < static_cast<std::size_t>(std::max(request.min_bytes, 0)))
    return false;
  note_told(broker, reading);
  broker.reply(operation.request, reading.response);
  return true;
}

void fetch(Broker& broker, Turn& turn, const RequestContext& context, const FetchRequest& request) {
  // Sessions are not kept: a client that asks for one is given none, and sends everything again.
  if (request.session_id != 0 && request.session_epoch > 0) {
    FetchResponse response;
    response.error_code = ErrorCode::fetch_session_id_not_found;
    return broker.reply(context, response);
  }
  const int follower = follower_id(request, context.api_version);
  if (follower >= 0) note_follower_offsets(broker, request, follower);
  FetchOperation operation{context, request, partitions_of(turn, context, request),
                           turn.now + milliseconds(request.max_wait_ms)};
  if (answer_fetch(broker, turn, operation, FetchMoment::on_arrival)) return;
  broker.fetches().emplace(broker.next_operation(), std::move(operation));
}

}  // namespace fencepost::minibroker::handlers
