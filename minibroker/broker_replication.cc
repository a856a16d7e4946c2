// A broker as a follower: it fetches what its leaders have, cuts off what they do not have, and
// learns the high watermark from their answers.
#include <algorithm>

#include "minibroker/broker.h"
#include "protocol/messages/fetch.h"

namespace fencepost::minibroker {

using protocol::ApiKey;
using protocol::Codec;
using protocol::ErrorCode;

namespace {

// Followers name topics rather than ids, so that people and fault rules can read their fetches.
constexpr std::int16_t replica_fetch_version = 12;
constexpr std::int32_t replica_fetch_partition_bytes_max = 1 << 20;
constexpr std::int32_t replica_fetch_response_bytes_max = 10 << 20;

using Answer = protocol::FetchResponse::PartitionData;

// Where the two logs part: the leader has named the end of the newest epoch, not above the
// follower's, that it knows. Source: KIP-101, KIP-279, KIP-595.
void truncate_to_leader(PartitionLog& log, const EpochEndOffset& leader) {
  if (leader.leader_epoch < 0 || leader.end_offset < 0)
    return log.truncate_to(log.high_watermark());
  const EpochEndOffset own = log.end_offset_for_epoch(leader.leader_epoch);
  if (own.leader_epoch < 0) return log.truncate_to(leader.end_offset);
  log.truncate_to(own.leader_epoch == leader.leader_epoch
                      ? std::min(own.end_offset, leader.end_offset)
                      : own.end_offset);
}

void take_answer(Replica& replica, const Answer& answered) {
  PartitionLog& log = replica.log;
  if (answered.diverging_epoch.epoch >= 0 || answered.diverging_epoch.end_offset >= 0) {
    truncate_to_leader(log, {answered.diverging_epoch.epoch, answered.diverging_epoch.end_offset});
    replica.synced_offset = std::min(replica.synced_offset, log.log_end_offset());
    return;
  }
  if (answered.records && !answered.records->bytes.empty())
    // What does not fit is fetched again from where the log ends.
    (void)log.append_as_follower(answered.records->bytes, replica.leader_epoch);
  replica.sync_as_configured();
  log.advance_high_watermark(std::min(answered.high_watermark, log.log_end_offset()));
  if (answered.log_start_offset > log.log_start_offset())
    (void)log.delete_records_before(answered.log_start_offset);
}

}  // namespace

void Broker::start_replica_fetches(Instant now) {
  std::set<int> leaders;
  for (const auto& [partition, replica] : replicas_.all())
    if (replica.leader_id >= 0 && replica.leader_id != id_) leaders.insert(replica.leader_id);
  // The partitions have changed: a fetch under way does not ask for all of them.
  for (const auto& [leader, token] : replica_fetches_) sent_.erase(token);
  replica_fetches_.clear();
  fetch_backoffs_.clear();
  for (int leader : leaders) fetch_from(now, leader);
}

void Broker::fetch_from(Instant now, int leader_id) {
  protocol::FetchRequest request;
  request.replica_id = id_;
  request.max_wait_ms =
      static_cast<std::int32_t>(to_milliseconds(settings_.replica_fetch_wait_max));
  request.min_bytes = 1;
  request.max_bytes = replica_fetch_response_bytes_max;
  request.session_epoch = -1;
  for (const auto& [partition, replica] : replicas_.all()) {
    if (replica.leader_id != leader_id || fetch_backoffs_.contains(partition)) continue;
    if (request.topics.empty() || request.topics.back().topic != partition.topic)
      request.topics.emplace_back().topic = partition.topic;
    auto& wanted = request.topics.back().partitions.emplace_back();
    wanted.partition = partition.partition;
    wanted.current_leader_epoch = replica.leader_epoch;
    wanted.fetch_offset = replica.log.log_end_offset();
    wanted.last_fetched_epoch = replica.log.leader_epochs().latest().value_or(-1);
    wanted.log_start_offset = replica.log.log_start_offset();
    wanted.partition_max_bytes = replica_fetch_partition_bytes_max;
  }
  if (request.topics.empty()) return;
  Result<Frame> body = Codec<protocol::FetchRequest>::encode(request, replica_fetch_version);
  CHECK(body.ok());
  replica_fetches_[leader_id] =
      request_from(now, leader_id, Purpose::replication, ApiKey::fetch, replica_fetch_version,
                   std::move(*body), ReplicaFetchSent{leader_id});
}

void Broker::take_replica_fetch(Instant now, int leader_id, const SharedBytes* body) {
  replica_fetches_.erase(leader_id);
  const Instant retry = now + settings_.replica_fetch_backoff;
  if (body == nullptr) {
    for (const auto& [partition, replica] : replicas_.all())
      if (replica.leader_id == leader_id) fetch_backoffs_[partition] = retry;
    return;
  }
  const Result<protocol::FetchResponse> response =
      Codec<protocol::FetchResponse>::decode(*body, replica_fetch_version);
  CHECK(response.ok());
  for (const auto& topic : response->responses)
    for (const Answer& answered : topic.partitions) {
      const TopicPartition partition{topic.topic, answered.partition_index};
      Replica* replica = replicas_.find(partition);
      if (replica == nullptr || replica->leader_id != leader_id) continue;
      if (answered.error_code == ErrorCode::offset_out_of_range &&
          answered.log_start_offset > replica->log.log_end_offset()) {
        replica->log.truncate_fully_and_start_at(answered.log_start_offset);
      } else if (answered.error_code != ErrorCode::none) {
        fetch_backoffs_[partition] = retry;
        continue;
      } else {
        take_answer(*replica, answered);
      }
      replicas_.on_follower_changed(partition);
    }
  fetch_from(now, leader_id);
}

void Broker::retry_replica_fetches(Instant now) {
  std::set<int> leaders;
  for (auto it = fetch_backoffs_.begin(); it != fetch_backoffs_.end();) {
    if (it->second > now) {
      ++it;
      continue;
    }
    const Replica* replica = replicas_.find(it->first);
    if (replica != nullptr && replica->leader_id >= 0 && replica->leader_id != id_)
      leaders.insert(replica->leader_id);
    it = fetch_backoffs_.erase(it);
  }
  // A fetch under way ends by itself; the next one asks for all partitions.
  for (int leader : leaders)
    if (!replica_fetches_.contains(leader)) fetch_from(now, leader);
}

}  // namespace fencepost::minibroker
