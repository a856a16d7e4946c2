#include "minibroker/handlers/fetch_reading.h"

#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/partition_checks.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Wanted = FetchRequest::FetchPartition;
using Answer = FetchResponse::PartitionData;

// From this version on a consumer may read from a follower (KIP-392).
constexpr std::int16_t any_replica_version_min = 11;

// One walk over a fetch.
struct Reader {
  Broker& broker;
  Turn& turn;
  int replica_id = consumer_id;
  bool is_committed_only = false;
  bool has_to_lead = true;
  std::size_t bytes_left = 0;
  FetchReading out = {};

  bool is_follower() const { return replica_id >= 0; }
  std::int64_t limit_of(const PartitionLog& log) const {
    if (replica_id != consumer_id) return log.log_end_offset();
    return is_committed_only ? log.last_stable_offset() : log.high_watermark();
  }
};

Reader make_reader(Broker& broker, Turn& turn, const FetchOperation& operation) {
  const FetchRequest& request = operation.body;
  const std::int16_t version = operation.request.api_version;
  Reader reader{broker, turn, follower_id(request, version)};
  reader.is_committed_only =
      reader.replica_id == consumer_id && request.isolation_level == read_committed;
  reader.has_to_lead = reader.replica_id != consumer_id || version < any_replica_version_min;
  const std::int32_t bytes_max = std::min(request.max_bytes, broker.settings().fetch_max_bytes);
  reader.bytes_left = static_cast<std::size_t>(std::max(bytes_max, 0));
  return reader;
}

Answer refuse(std::int32_t partition, ErrorCode error) {
  Answer out;
  out.partition_index = partition;
  out.error_code = error;
  out.high_watermark = -1;
  out.aborted_transactions = std::nullopt;
  out.records = Records{};
  return out;
}

// Negative epochs all stand for none; other APIs know only -1 as that.
std::int32_t given_epoch(const Wanted& wanted) {
  return std::max(wanted.current_leader_epoch, -1);
}

Replica* find_replica(Reader& reader, const FetchTarget& target, ErrorCode& error) {
  const TopicPartition partition{target.topic, target.wanted.partition};
  Replica* replica = reader.broker.replicas().find(partition);
  if (replica == nullptr) {
    error = error_of_missing(reader.turn, partition);
    return nullptr;
  }
  // A session outlives the topic that it was opened for.
  if (!target.topic_id.is_zero() && target.topic_id != replica->topic_id)
    error = ErrorCode::inconsistent_topic_id;
  else
    error = check_leader_epoch(*replica, given_epoch(target.wanted));
  if (error == ErrorCode::none && reader.has_to_lead && replica->leader_id != reader.broker.id())
    error = ErrorCode::not_leader_or_follower;
  return error == ErrorCode::none ? replica : nullptr;
}

// Where the reader's log and this one part, if they do (KIP-595).
ErrorCode find_divergence(const PartitionLog& log, const Wanted& wanted, Answer& answer,
                          bool& is_diverging) {
  is_diverging = false;
  if (wanted.last_fetched_epoch < 0) return ErrorCode::none;
  const EpochEndOffset end = log.end_offset_for_epoch(wanted.last_fetched_epoch);
  if (end.leader_epoch < 0 || wanted.fetch_offset < log.log_start_offset())
    return ErrorCode::offset_out_of_range;
  is_diverging =
      end.leader_epoch < wanted.last_fetched_epoch || end.end_offset < wanted.fetch_offset;
  if (is_diverging) {
    answer.diverging_epoch.epoch = end.leader_epoch;
    answer.diverging_epoch.end_offset = end.end_offset;
  }
  return ErrorCode::none;
}

void read_records(Reader& reader, const PartitionLog& log, const Wanted& wanted, Answer& answer) {
  if (reader.is_committed_only) answer.aborted_transactions.emplace();
  const std::int64_t limit = reader.limit_of(log);
  if (wanted.fetch_offset >= limit) return;
  const auto partition_bytes = static_cast<std::size_t>(std::max(wanted.partition_max_bytes, 0));
  const std::size_t bytes_max = std::min(partition_bytes, reader.bytes_left);
  LogRead read = log.fetch(wanted.fetch_offset, limit, bytes_max, reader.out.bytes == 0);
  if (read.records.empty() && bytes_max > 0)
    answer.aborted_transactions = std::nullopt;  // so Kafka, where the first batch does not fit
  else if (reader.is_committed_only)
    for (const AbortedTransaction& it : log.aborted_transactions(wanted.fetch_offset, read.bound))
      answer.aborted_transactions->push_back({it.producer_id, it.first_offset, {}});
  reader.out.bytes += read.records.size();
  reader.bytes_left -= std::min(reader.bytes_left, read.records.size());
  answer.records = Records{std::move(read.records)};
}

// A high watermark that the follower has not been told.
bool has_news(const Replica& replica, int follower_id) {
  const auto follower = replica.followers.find(follower_id);
  return follower != replica.followers.end() &&
         follower->second.told_high_watermark.value_or(replica.log.high_watermark()) <
             replica.log.high_watermark();
}

Answer read_partition(Reader& reader, const FetchTarget& target) {
  const Wanted& wanted = target.wanted;
  ErrorCode error = ErrorCode::none;
  Replica* replica = find_replica(reader, target, error);
  if (replica == nullptr) return refuse(wanted.partition, error);
  const PartitionLog& log = replica->log;
  Answer answer;
  answer.partition_index = wanted.partition;
  answer.records = Records{};
  answer.aborted_transactions = std::nullopt;
  bool is_diverging = false;
  error = find_divergence(log, wanted, answer, is_diverging);
  const bool is_out_of_range =
      wanted.fetch_offset < log.log_start_offset() || wanted.fetch_offset > log.log_end_offset();
  if (error == ErrorCode::none && !is_diverging && is_out_of_range)
    error = ErrorCode::offset_out_of_range;
  if (error != ErrorCode::none) {
    answer = refuse(wanted.partition, error);
    if (reader.is_follower()) answer.log_start_offset = log.log_start_offset();
    return answer;
  }
  if (is_diverging)
    reader.out.is_urgent = true;
  else
    read_records(reader, log, wanted, answer);
  answer.high_watermark = log.high_watermark();
  answer.last_stable_offset = log.last_stable_offset();
  answer.log_start_offset = log.log_start_offset();
  if (reader.is_follower()) {
    reader.out.is_urgent |= has_news(*replica, reader.replica_id);
  }
  return answer;
}

bool names_topics_by_id(const RequestContext& context) {
  constexpr std::int16_t topic_ids_version_min = 13;
  return context.api_version >= topic_ids_version_min;
}

// A follower needs the right to act as a broker, a consumer the right to read.
bool is_denied(const Turn& turn, const RequestContext& context, bool is_follower,
               const FetchTarget& target) {
  if (is_follower) return !allows_cluster(turn, context, Operation::cluster_action);
  const bool is_named = !target.topic.empty() || !names_topics_by_id(context);
  return is_named && !allows_topic(turn, context, Operation::read, target.topic);
}

// What there is not, for Kafka's request layer; it never gets to the logs.
ErrorCode check_exists(const Turn& turn, const RequestContext& context, const FetchTarget& target) {
  if (target.topic.empty() && names_topics_by_id(context)) return ErrorCode::unknown_topic_id;
  return turn.controller.find_partition({target.topic, target.wanted.partition}) == nullptr
             ? ErrorCode::unknown_topic_or_partition
             : ErrorCode::none;
}

}  // namespace

int follower_id(const FetchRequest& request, std::int16_t api_version) {
  return api_version >= 15 ? request.replica_state.replica_id : request.replica_id;
}

FetchReading read_for_fetch(Broker& broker, Turn& turn, const FetchOperation& operation) {
  Reader reader = make_reader(broker, turn, operation);
  std::vector<FetchAnswer> missing;
  for (const FetchTarget& target : operation.context.targets) {
    const ErrorCode error =
        is_denied(turn, operation.request, reader.replica_id != consumer_id, target)
            ? ErrorCode::topic_authorization_failed
            : check_exists(turn, operation.request, target);
    if (error != ErrorCode::none) {
      missing.push_back({target.topic, target.topic_id, refuse(target.wanted.partition, error)});
      missing.back().data.aborted_transactions.emplace();
      continue;
    }
    Answer answer = read_partition(reader, target);
    reader.out.is_urgent |= answer.error_code != ErrorCode::none;
    reader.out.answers.push_back({target.topic, target.topic_id, std::move(answer)});
  }
  reader.out.is_urgent |= reader.out.answers.empty();
  // To consumers, ids that no topic has are answered before partitions that a topic has not.
  if (!reader.is_follower())
    std::ranges::stable_partition(missing, [](const FetchAnswer& answer) {
      return answer.data.error_code == ErrorCode::unknown_topic_id;
    });
  std::ranges::move(missing, std::back_inserter(reader.out.answers));
  return std::move(reader.out);
}

bool is_fetch_satisfied(Broker& broker, Turn& turn, const FetchOperation& operation) {
  Reader reader = make_reader(broker, turn, operation);
  std::size_t bytes = 0;
  for (const FetchTarget& target : operation.context.targets) {
    const Wanted& wanted = target.wanted;
    if (operation.partitions.find({target.topic, wanted.partition}) == operation.partitions.end())
      continue;
    ErrorCode error = ErrorCode::none;
    const Replica* replica = find_replica(reader, target, error);
    if (replica == nullptr) return true;
    const PartitionLog& log = replica->log;
    const std::int64_t limit = reader.limit_of(log);
    if (wanted.fetch_offset > limit && wanted.fetch_offset > log.log_end_offset()) return true;
    const auto available = log.bytes_available(wanted.fetch_offset, limit);
    if (!available) return true;
    bytes +=
        std::min(*available, static_cast<std::size_t>(std::max(wanted.partition_max_bytes, 0)));
    Answer answer;
    bool is_diverging = false;
    if (find_divergence(log, wanted, answer, is_diverging) != ErrorCode::none || is_diverging)
      return true;
    if (has_news(*replica, reader.replica_id)) return true;
  }
  const std::int32_t bytes_max =
      std::min(operation.body.max_bytes, broker.settings().fetch_max_bytes);
  return bytes >=
         static_cast<std::size_t>(std::max(std::min(operation.body.min_bytes, bytes_max), 0));
}

}  // namespace fencepost::minibroker::handlers
