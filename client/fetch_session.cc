// Session ids and epochs go as in the brokers' rules: epoch 0 with an id ends that session and
// begins one, the epochs of an open session count from 1 and skip 0 when they run over.
#include "client/fetch_session.h"

#include <limits>

namespace fencepost::client {

using protocol::ErrorCode;
using protocol::FetchRequest;

namespace {

// The entry of a topic in a list that is built topic after topic.
template <class Topics>
auto& topic_of(Topics& topics, const std::string& name, const Uuid& id) {
  if (topics.empty() || topics.back().topic != name || topics.back().topic_id != id) {
    auto& topic = topics.emplace_back();
    topic.topic = name;
    topic.topic_id = id;
  }
  return topics.back();
}

void ask_for(const TopicPartition& partition, const FetchSession::Wanted& wanted,
             FetchRequest* request) {
  auto& entry =
      topic_of(request->topics, partition.topic, wanted.topic_id).partitions.emplace_back();
  entry.partition = partition.partition;
  entry.fetch_offset = wanted.fetch_offset;
  entry.current_leader_epoch = wanted.current_leader_epoch;
  entry.last_fetched_epoch = wanted.last_fetched_epoch;
  entry.partition_max_bytes = wanted.partition_max_bytes;
}

}  // namespace

// A session names its topics by id or by name, never both (KIP-516).
bool FetchSession::can_go_on_with(const Partitions& wanted) const {
  if (id_ == 0 || epoch_ == first_epoch || sent_.empty() || wanted.empty()) return false;
  const bool was_by_name = sent_.begin()->second.topic_id.is_zero();
  for (const auto& [partition, it] : wanted)
    if (it.topic_id.is_zero() != was_by_name) return false;
  return true;
}

void FetchSession::fill(const Partitions& wanted, FetchRequest* request) {
  was_incremental_ = can_go_on_with(wanted);
  if (!was_incremental_) epoch_ = first_epoch;
  request->session_id = id_;
  request->session_epoch = epoch_;
  for (const auto& [partition, it] : wanted) {
    const auto before = sent_.find(partition);
    const bool is_known = was_incremental_ && before != sent_.end() && before->second == it;
    if (!is_known) ask_for(partition, it, request);
  }
  if (was_incremental_)
    for (const auto& [partition, before] : sent_) {
      const auto now = wanted.find(partition);
      // A topic that was created anew is another one under the same name.
      if (now != wanted.end() && now->second.topic_id == before.topic_id) continue;
      topic_of(request->forgotten_topics_data, partition.topic, before.topic_id)
          .partitions.push_back(partition.partition);
    }
  sent_ = wanted;
}

bool FetchSession::take(const protocol::FetchResponse& response) {
  switch (response.error_code) {
    case ErrorCode::fetch_session_id_not_found:
      id_ = 0;
      lose();
      return false;
    case ErrorCode::invalid_fetch_session_epoch:
    case ErrorCode::fetch_session_topic_id_error:
      lose();
      return false;
    case ErrorCode::none:
      break;
    default:
      lose();
      return true;
  }
  // Without an id the broker has no slot for a session, or has given ours away.
  id_ = response.session_id;
  const bool is_last = epoch_ == std::numeric_limits<std::int32_t>::max();
  epoch_ = id_ == 0 ? first_epoch : is_last ? 1 : epoch_ + 1;
  return true;
}

FetchRequest FetchSession::last_request() const {
  FetchRequest request;
  request.session_id = id_;
  request.session_epoch = last_epoch;
  return request;
}

}  // namespace fencepost::client
