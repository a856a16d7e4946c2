// What can be seen of transactions: DescribeTransactions and ListTransactions (KIP-664, KIP-994,
// KIP-1152), snapshots for people and properties, and the digest.
#include <regex>

#include "minibroker/transaction/coordinator.h"

namespace fencepost::minibroker::transaction {

namespace {

using protocol::ErrorCode;

// Bounds what compiling and matching a client's pattern can cost.
constexpr std::size_t pattern_bytes_max = 1024;

// A whole-id pattern; nothing when it is none. Kafka uses RE2/J, this is ECMAScript without
// back-references: the two agree on what people write. Matching is linear, as in RE2.
std::optional<std::regex> compile(const std::string& pattern) {
  if (pattern.size() > pattern_bytes_max) return std::nullopt;
  try {
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

// The filters of ListTransactions; an empty filter lets everything through.
struct Filter {
  std::set<TransactionStatus> statuses;
  bool has_statuses = false;
  std::set<std::int64_t> producer_ids;
  std::int64_t duration_ms = -1;
  std::optional<std::regex> pattern;

  bool passes(const std::string& transactional_id, const TransactionValues& values,
              Instant now) const {
    if (!producer_ids.empty() && producer_ids.count(values.producer_id) == 0) return false;
    if (has_statuses && statuses.count(values.status) == 0) return false;
    std::int64_t started_ms = values.started ? to_timestamp(*values.started) : -1;
    if (duration_ms >= 0 && to_timestamp(now) - started_ms <= duration_ms) return false;
    return !pattern || std::regex_match(transactional_id, *pattern);
  }
};

}  // namespace

void TransactionCoordinator::describe_transactions(
    const RequestContext& context, const protocol::DescribeTransactionsRequest& request) {
  protocol::DescribeTransactionsResponse response;
  for (const std::string& transactional_id : request.transactional_ids) {
    auto& description = response.transaction_states.emplace_back();
    description.transactional_id = transactional_id;
    if (transactional_id.empty()) {
      description.error_code = ErrorCode::invalid_request;
      continue;
    }
    Found found = find(transactional_id);
    description.error_code = found.error;
    if (found.error != ErrorCode::none) continue;
    if (found.metadata == nullptr) {
      description.error_code = ErrorCode::transactional_id_not_found;
      continue;
    }
    const TransactionValues& values = found.metadata->values();
    description.transaction_state = to_string(values.status);
    description.transaction_timeout_ms = static_cast<std::int32_t>(to_milliseconds(values.timeout));
    description.transaction_start_time_ms = values.started ? to_timestamp(*values.started) : -1;
    description.producer_id = values.producer_id;
    description.producer_epoch = values.producer_epoch;
    for (const TopicPartition& partition : values.partitions) {
      if (description.topics.empty() || description.topics.back().topic != partition.topic)
        description.topics.emplace_back().topic = partition.topic;
      description.topics.back().partitions.push_back(partition.partition);
    }
  }
  replies_.push_back(make_reply(context, response));
}

void TransactionCoordinator::list_transactions(const RequestContext& context,
                                               const protocol::ListTransactionsRequest& request,
                                               Instant now) {
  protocol::ListTransactionsResponse response;
  auto reply = [&] { replies_.push_back(make_reply(context, response)); };
  for (const auto& [partition, owned] : partitions_) {
    if (!owned.is_loading) continue;
    response.error_code = ErrorCode::coordinator_load_in_progress;
    return reply();
  }
  Filter filter;
  filter.has_statuses = !request.state_filters.empty();
  for (const std::string& name : request.state_filters) {
    std::optional<TransactionStatus> status = parse_transaction_status(name);
    if (status)
      filter.statuses.insert(*status);
    else
      response.unknown_state_filters.push_back(name);
  }
  filter.producer_ids.insert(request.producer_id_filters.begin(),
                             request.producer_id_filters.end());
  filter.duration_ms = request.duration_filter;
  if (request.transactional_id_pattern && !request.transactional_id_pattern->empty()) {
    filter.pattern = compile(*request.transactional_id_pattern);
    if (!filter.pattern) {
      response.error_code = ErrorCode::invalid_regular_expression;
      response.unknown_state_filters.clear();
      return reply();
    }
  }
  for (const auto& [partition, owned] : partitions_) {
    for (const auto& [transactional_id, metadata] : owned.transactions) {
      if (!filter.passes(transactional_id, metadata.values(), now)) continue;
      auto& listed = response.transaction_states.emplace_back();
      listed.transactional_id = transactional_id;
      listed.producer_id = metadata.values().producer_id;
      listed.transaction_state = to_string(metadata.values().status);
    }
  }
  reply();
}

std::vector<TransactionState> TransactionCoordinator::states() const {
  std::vector<TransactionState> states;
  for (const auto& [partition, owned] : partitions_) {
    for (const auto& [transactional_id, metadata] : owned.transactions) {
      const TransactionValues& values = metadata.values();
      TransactionState& state = states.emplace_back();
      state.transactional_id = transactional_id;
      state.state = to_string(values.status);
      state.producer_id = values.producer_id;
      state.producer_epoch = values.producer_epoch;
      state.timeout = values.timeout;
      state.started = values.started;
      for (const TopicPartition& it : values.partitions)
        state.partitions.push_back(minibroker::to_string(it));
      state.has_pending_change = metadata.pending().has_value();
    }
  }
  return states;
}

void TransactionCoordinator::add_to(Digest& digest) const {
  for (const auto& [partition, owned] : partitions_) {
    digest.add(std::int64_t{partition});
    digest.add(std::int64_t{owned.is_loading});
    digest.add(std::int64_t{owned.coordinator_epoch});
    for (const auto& [transactional_id, metadata] : owned.transactions) {
      digest.add(transactional_id);
      metadata.add_to(digest);
    }
  }
  for (const auto& [transactional_id, round] : rounds_) {
    digest.add(transactional_id);
    for (const TopicPartition& it : round.in_flight) digest.add(minibroker::to_string(it));
    for (const auto& [it, at] : round.retries) {
      digest.add(minibroker::to_string(it));
      digest.add(at.time_since_epoch().count());
    }
    digest.add(round.completion_retry ? round.completion_retry->time_since_epoch().count() : -1);
  }
  for (const auto& [number, write] : writes_) digest.add(static_cast<std::int64_t>(number));
  for (const ProducerIds& block : producer_ids_) {
    digest.add(block.next);
    digest.add(block.end);
  }
}

}  // namespace fencepost::minibroker::transaction
