// Two nets for a truncation: OffsetForLeaderEpoch once after a change of the leader's epoch, as
// brokers of every release answer it, and the epoch of what was read in each Fetch from version 12
// on, which also catches a change that nobody told us of.
#include "client/partition_reader.h"

#include <algorithm>

#include "protocol/messages/offset_for_leader_epoch.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;

constexpr int fetch_before_topic_ids = 12;
constexpr int fetch_first_with_epoch_read = 12;
constexpr int epochs_first_for_consumers = 3;  // before, OffsetForLeaderEpoch was the brokers' own

// Of the one partition that was asked for; nullptr when the answer leaves it out.
const protocol::FetchResponse::PartitionData* find_partition(
    const protocol::FetchResponse& response, const TopicPartition& partition,
    const Uuid& topic_id) {
  for (const auto& topic : response.responses) {
    const bool is_wanted =
        topic.topic == partition.topic || (topic.topic.empty() && topic.topic_id == topic_id);
    if (!is_wanted) continue;
    for (const auto& it : topic.partitions)
      if (it.partition_index == partition.partition) return &it;
  }
  return nullptr;
}

protocol::OffsetForLeaderEpochRequest epoch_request(const TopicPartition& partition,
                                                    std::int32_t epoch,
                                                    std::int32_t current_leader_epoch) {
  protocol::OffsetForLeaderEpochRequest request;
  request.replica_id = -1;
  protocol::OffsetForLeaderEpochRequest::OffsetForLeaderPartition wanted;
  wanted.partition = partition.partition;
  wanted.leader_epoch = epoch;
  wanted.current_leader_epoch = current_leader_epoch;
  auto& topic = request.topics.emplace_back();
  topic.topic = partition.topic;
  topic.partitions.push_back(std::move(wanted));
  return request;
}

}  // namespace

PartitionReader::PartitionReader(ClusterClient& cluster, TopicPartition partition,
                                 FetchOptions options)
    : cluster_(cluster), partition_(std::move(partition)), options_(std::move(options)) {}

void PartitionReader::seek(std::int64_t offset, std::int32_t leader_epoch) {
  position_ = offset;
  position_epoch_ = leader_epoch;
  latest_.truncation.reset();
  is_validated_ = leader_epoch < 0;
}

Task<Fetched> PartitionReader::poll() {
  if (latest_.truncation.has_value()) co_return unchanged(ErrorCode::offset_out_of_range);
  Result<void> connected = co_await connect();
  if (!connected) co_return connected.error();
  if (!is_validated_) {
    Result<ErrorCode> code = co_await validate();
    if (!code) co_return code.error();
    if (*code != ErrorCode::none) co_return unchanged(*code);
  }
  Result<protocol::FetchResponse> response = co_await ask();
  if (!response) co_return response.error();
  co_return read(*response);
}

// The connection to who leads now.
Task<void> PartitionReader::connect() {
  CallOptions lookup = options_.call;
  lookup.fresh_lookup = lookup.fresh_lookup || asks_again_;
  asks_again_ = true;  // unless this goes well
  Result<Leader> found = co_await cluster_.find_leader(partition_, lookup);
  if (!found) co_return found.error();
  const bool is_same_broker = found->address == leader_.address;
  if (found->epoch != leader_.epoch) is_validated_ = position_epoch_ < 0;
  leader_ = *found;
  if (!is_same_broker) session_ = FetchSession();
  if (!is_same_broker || connection_ == nullptr || !connection_->is_open()) {
    session_.lose();
    connection_.reset();
    Address address = leader_.address;
    Result<std::shared_ptr<Connection>> opened = co_await cluster_.connection_to(
        std::move(address), Purpose::data, options_.call.own_connection);
    if (!opened) co_return opened.error();
    connection_ = *opened;
  }
  asks_again_ = false;
  co_return Result<void>();
}

// Whether the epoch that was read last still reaches the position, by the new leader's log.
Task<ErrorCode> PartitionReader::validate() {
  Result<int> version = connection_->choose_version(protocol::ApiKey::offset_for_leader_epoch, {});
  if (!version || *version < epochs_first_for_consumers) {
    is_validated_ = true;
    co_return ErrorCode::none;
  }
  protocol::OffsetForLeaderEpochRequest request =
      epoch_request(partition_, position_epoch_, leader_.epoch);
  Result<protocol::OffsetForLeaderEpochResponse> response =
      co_await connection_->call_exactly(std::move(request), *version, options_.call);
  if (!response) {
    asks_again_ = true;
    co_return response.error();
  }
  for (const auto& topic : response->topics)
    for (const auto& it : topic.partitions) {
      if (topic.topic != partition_.topic || it.partition != partition_.partition) continue;
      if (it.error_code != ErrorCode::none) co_return it.error_code;
      if (it.leader_epoch < 0 || it.end_offset < position_) {
        note_truncation(it.leader_epoch, it.end_offset);
        co_return ErrorCode::offset_out_of_range;
      }
      is_validated_ = true;
      co_return ErrorCode::none;
    }
  co_return Error{ErrorKind::malformed,
                  "the answer to OffsetForLeaderEpoch does not hold " + to_string(partition_)};
}

FetchSession::Partitions PartitionReader::wanted() const {
  FetchSession::Wanted it;
  it.topic_id = leader_.topic_id;
  it.fetch_offset = position_;
  it.current_leader_epoch = leader_.epoch;
  it.last_fetched_epoch = position_epoch_;
  it.partition_max_bytes = options_.bytes_max;
  FetchSession::Partitions partitions;
  partitions[partition_] = it;
  return partitions;
}

// One Fetch, or two: a session that the broker has forgotten is begun anew.
Task<protocol::FetchResponse> PartitionReader::ask() {
  CallOptions call = options_.call;
  if (leader_.topic_id.is_zero())
    call.version_max =
        std::min(call.version_max.value_or(fetch_before_topic_ids), fetch_before_topic_ids);
  // The broker may keep the request for max_wait before the answer is late.
  const Duration timeout = cluster_.options().connection.request_timeout + options_.max_wait;
  if (!call.timeout.has_value()) call.timeout = timeout;
  Result<int> version = connection_->choose_version(protocol::ApiKey::fetch, call.version_max);
  if (!version) co_return version.error();
  for (bool is_first = true;; is_first = false) {
    protocol::FetchRequest request;
    request.max_wait_ms = static_cast<std::int32_t>(to_milliseconds(options_.max_wait));
    request.min_bytes = options_.min_bytes;
    request.max_bytes = options_.bytes_max;
    request.isolation_level = static_cast<std::int8_t>(options_.isolation_level);
    FetchSession::Partitions partitions = wanted();
    if (*version < fetch_first_with_epoch_read) partitions.begin()->second.last_fetched_epoch = -1;
    session_.fill(partitions, &request);
    if (!options_.uses_session) request.session_epoch = -1;
    Result<protocol::FetchResponse> response =
        co_await connection_->call_exactly(std::move(request), *version, call);
    if (!response) {
      session_.lose();
      asks_again_ = true;
      co_return response.error();
    }
    const bool has_session = session_.take(*response);
    if (has_session || !is_first) co_return response;
  }
}

Fetched PartitionReader::unchanged(ErrorCode code) {
  // Whoever refuses may not lead any more, or know less than the one who told us.
  asks_again_ = protocol::is_retriable(code);
  Fetched fetched = latest_;
  fetched.position = position_;
  fetched.error_code = code;
  return fetched;
}

Result<Fetched> PartitionReader::read(const protocol::FetchResponse& response) {
  if (response.error_code != ErrorCode::none) return unchanged(response.error_code);
  const auto* answer = find_partition(response, partition_, leader_.topic_id);
  if (answer == nullptr) {
    if (session_.was_incremental()) return unchanged(ErrorCode::none);
    return Error{ErrorKind::malformed,
                 "the answer to Fetch does not hold " + to_string(partition_)};
  }
  latest_.high_watermark = answer->high_watermark;
  latest_.last_stable_offset = answer->last_stable_offset;
  latest_.log_start_offset = answer->log_start_offset;
  if (answer->error_code != ErrorCode::none) return unchanged(answer->error_code);
  if (answer->diverging_epoch.epoch >= 0) {
    note_truncation(answer->diverging_epoch.epoch, answer->diverging_epoch.end_offset);
    return unchanged(ErrorCode::offset_out_of_range);
  }
  Result<VisibleRecords> visible = visible_records(*answer, position_, options_.isolation_level);
  if (!visible) return visible.error();
  position_ = visible->position;
  if (visible->leader_epoch >= 0) position_epoch_ = visible->leader_epoch;
  Fetched fetched = latest_;
  fetched.position = position_;
  fetched.records = std::move(visible->records);
  return fetched;
}

void PartitionReader::note_truncation(std::int32_t end_epoch, std::int64_t end_offset) {
  Truncation& found = latest_.truncation.emplace();
  found.position = position_;
  found.leader_epoch = position_epoch_;
  found.end_epoch = end_epoch;
  if (end_epoch >= 0 && end_offset >= 0) found.end_offset = std::min(end_offset, position_);
}

asio::awaitable<void> PartitionReader::close() {
  if (!session_.is_open() || connection_ == nullptr || !connection_->is_open()) co_return;
  protocol::FetchRequest request = session_.last_request();
  CallOptions call = options_.call;
  if (leader_.topic_id.is_zero()) call.version_max = fetch_before_topic_ids;
  // Whatever the answer is: the broker forgets the session in any case, now or later.
  co_await connection_->call(std::move(request), call);
  session_ = FetchSession();
}

}  // namespace fencepost::client
