// A coordinator with a log, leaders and producer ids at hand, and the few words that its tests are
// written in. ask_... sends a request; the plain word also lets the log write succeed and returns
// the answer.
#pragma once

#include <deque>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "minibroker/transaction/coordinator.h"
#include "minibroker/transaction/transaction_log.h"
#include "protocol/base/check.h"

namespace fencepost::minibroker::transaction {

using protocol::ApiKey;
using protocol::ErrorCode;

struct Producer {
  std::int64_t id = -1;
  std::int16_t epoch = -1;
  bool operator==(const Producer&) const = default;
};

struct Answer {
  ErrorCode error = ErrorCode::none;
  Producer producer = {};
  bool operator==(const Answer&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << to_string(answer.error) << " " << answer.producer.id << "/"
             << answer.producer.epoch;
}

inline Answer refused(ErrorCode error) {
  return {error, {}};
}

inline Era newest_era() {
  return era_4_4();
}

inline Era classic_era() {
  Era era = newest_era();
  era.transaction_version = 0;
  era.looks_at_pending_before_identity = false;
  era.fences_with_one_bump = false;
  return era;
}

class Fixture {
 public:
  static constexpr std::int64_t first_producer_id = 1000;
  static constexpr std::int32_t first_coordinator_epoch = 3;

  explicit Fixture(Era era = newest_era())
      : coordinator({.partition_count = 1}, std::move(era), now) {
    coordinator.load(0, coordinator_epoch, {}, now);
    coordinator.add_producer_ids(first_producer_id, 1000);
  }

  // ---- requests

  void ask_init(const std::string& id, Producer producer = {}, std::int16_t version = 5) {
    protocol::InitProducerIdRequest request;
    request.transactional_id = id;
    request.transaction_timeout_ms = timeout_ms;
    request.producer_id = producer.id;
    request.producer_epoch = producer.epoch;
    coordinator.init_producer_id(context(ApiKey::init_producer_id, version), request, now);
  }
  Answer init(const std::string& id, Producer producer = {}, std::int16_t version = 5) {
    ask_init(id, producer, version);
    log_ok();
    return init_answer();
  }

  void ask_add(const std::string& id, Producer producer,
               const std::vector<TopicPartition>& partitions, std::int16_t version = 3) {
    coordinator.add_partitions_to_txn(context(ApiKey::add_partitions_to_txn, version),
                                      add_request(id, producer, partitions, version), now);
  }
  ErrorCode add(const std::string& id, Producer producer,
                const std::vector<TopicPartition>& partitions, std::int16_t version = 3) {
    ask_add(id, producer, partitions, version);
    log_ok();
    return add_answer();
  }
  std::vector<ErrorCode> verify(const std::string& id, Producer producer,
                                const std::vector<TopicPartition>& partitions) {
    protocol::AddPartitionsToTxnRequest request = add_request(id, producer, partitions, 4);
    request.transactions[0].verify_only = true;
    coordinator.add_partitions_to_txn(context(ApiKey::add_partitions_to_txn, 4), request, now);
    return codes_of(reply<protocol::AddPartitionsToTxnResponse>());
  }
  ErrorCode add_offsets(const std::string& id, Producer producer, std::int16_t version = 4) {
    protocol::AddOffsetsToTxnRequest request;
    request.transactional_id = id;
    request.producer_id = producer.id;
    request.producer_epoch = producer.epoch;
    request.group_id = "g";
    coordinator.add_offsets_to_txn(context(ApiKey::add_offsets_to_txn, version), request,
                                   {consumer_offsets_topic, 7}, now);
    log_ok();
    return reply<protocol::AddOffsetsToTxnResponse>().error_code;
  }

  void ask_end(const std::string& id, Producer producer, bool is_commit, std::int16_t version = 5) {
    protocol::EndTxnRequest request;
    request.transactional_id = id;
    request.producer_id = producer.id;
    request.producer_epoch = producer.epoch;
    request.committed = is_commit;
    coordinator.end_txn(context(ApiKey::end_txn, version), request, now);
  }
  Answer end(const std::string& id, Producer producer, bool is_commit, std::int16_t version = 5) {
    ask_end(id, producer, is_commit, version);
    log_ok();
    return end_answer();
  }
  // A whole transaction on A-0.
  Answer run_transaction(const std::string& id, Producer producer, bool is_commit,
                         std::int16_t version = 5) {
    CHECK(add(id, producer, {{"A", 0}}) == ErrorCode::none);
    Answer answer = end(id, producer, is_commit, version);
    markers_ok();
    return answer;
  }

  // ---- answers; each takes the oldest that has not been taken

  Answer init_answer() {
    auto response = reply<protocol::InitProducerIdResponse>();
    return {response.error_code, {response.producer_id, response.producer_epoch}};
  }
  Answer end_answer() {
    auto response = reply<protocol::EndTxnResponse>();
    return {response.error_code, {response.producer_id, response.producer_epoch}};
  }
  // The one code of all partitions of the request.
  ErrorCode add_answer() {
    std::vector<ErrorCode> codes = codes_of(reply<protocol::AddPartitionsToTxnResponse>());
    CHECK(!codes.empty());
    for (ErrorCode code : codes) CHECK(code == codes[0]);
    return codes[0];
  }
  bool is_answered() {
    take();
    return !replies_.empty();
  }
  template <class Response>
  Response reply() {
    CHECK(is_answered());
    Reply oldest = std::move(replies_.front());
    replies_.pop_front();
    auto response =
        protocol::Codec<Response>::decode(oldest.body.flatten(), oldest.request.api_version);
    CHECK(response.ok());
    return *response;
  }
  static std::vector<ErrorCode> codes_of(const protocol::AddPartitionsToTxnResponse& response) {
    std::vector<ErrorCode> codes;
    auto collect = [&codes](const auto& topics) {
      for (const auto& topic : topics)
        for (const auto& partition : topic.results_by_partition)
          codes.push_back(partition.partition_error_code);
    };
    collect(response.results_by_topic_v3_and_below);
    for (const auto& transaction : response.results_by_transaction)
      collect(transaction.topic_results);
    return codes;
  }

  // ---- the world around it

  void log_ok() { log_answers(ErrorCode::none); }
  void log_fails(ErrorCode error = ErrorCode::not_enough_replicas) { log_answers(error); }
  std::size_t open_writes() {
    take();
    return writes_.size();
  }
  // Markers that leaders have been asked for and have not answered.
  std::vector<MarkerRequest>& markers() {
    take();
    return markers_;
  }
  void marker_result(const MarkerRequest& marker, const TopicPartition& partition,
                     ErrorCode error = ErrorCode::none) {
    coordinator.on_marker_result(
        {marker.transactional_id, marker.producer_id, marker.producer_epoch,
         marker.coordinator_epoch, partition, error},
        now);
  }
  void markers_answer(ErrorCode error) {
    std::vector<MarkerRequest> asked = std::exchange(markers(), {});
    for (const MarkerRequest& marker : asked)
      for (const TopicPartition& partition : marker.partitions)
        marker_result(marker, partition, error);
  }
  void markers_ok() {
    markers_answer(ErrorCode::none);
    log_ok();
  }
  void pass(Duration duration) {
    now += duration;
    coordinator.advance_to(now);
  }

  // Leadership goes away and comes back: what is in the log is all that is known.
  void move_coordinator() {
    coordinator.unload(0);
    markers().clear();
    coordinator.load(0, ++coordinator_epoch, {log}, now);
  }
  // Starts from this state of `id`, as its log tells it.
  void given(const std::string& id, const TransactionValues& values) {
    record(make_log_record(id, values, 1, now));
    coordinator.load(0, coordinator_epoch, {log}, now);
  }

  TransactionState state(const std::string& id) const {
    for (const TransactionState& it : coordinator.states())
      if (it.transactional_id == id) return it;
    return {};
  }
  std::string status(const std::string& id) const { return state(id).state; }
  Producer producer(const std::string& id) const {
    return {state(id).producer_id, state(id).producer_epoch};
  }

  static RequestContext context(ApiKey key, std::int16_t version) {
    RequestContext context;
    context.api_key = key;
    context.api_version = version;
    return context;
  }
  static protocol::AddPartitionsToTxnRequest add_request(
      const std::string& id, Producer producer, const std::vector<TopicPartition>& partitions,
      std::int16_t version) {
    std::vector<protocol::AddPartitionsToTxnRequest::AddPartitionsToTxnTopic> topics;
    for (const TopicPartition& partition : partitions) {
      topics.emplace_back().name = partition.topic;
      topics.back().partitions = {partition.partition};
    }
    protocol::AddPartitionsToTxnRequest request;
    if (version >= 4) {
      auto& transaction = request.transactions.emplace_back();
      transaction.transactional_id = id;
      transaction.producer_id = producer.id;
      transaction.producer_epoch = producer.epoch;
      transaction.topics = std::move(topics);
      return request;
    }
    request.v3_and_below_transactional_id = id;
    request.v3_and_below_producer_id = producer.id;
    request.v3_and_below_producer_epoch = producer.epoch;
    request.v3_and_below_topics = std::move(topics);
    return request;
  }

  Instant now{std::chrono::seconds(1'700'000'000)};
  std::int32_t timeout_ms = 60'000;
  std::int32_t coordinator_epoch = first_coordinator_epoch;
  ReplayedBatch log;  // what was written to the coordinator's log
  TransactionCoordinator coordinator;

 private:
  void take() {
    for (Reply& reply : coordinator.take_replies()) replies_.push_back(std::move(reply));
    for (LogWrite& write : coordinator.take_log_writes()) writes_.push_back(std::move(write));
    for (MarkerRequest& marker : coordinator.take_markers()) markers_.push_back(std::move(marker));
  }
  void record(const protocol::NewRecord& it) {
    log.records.push_back({static_cast<std::int64_t>(log.records.size()), it.timestamp, it.key,
                           it.value, it.headers});
  }
  void log_answers(ErrorCode error) {
    take();
    std::vector<LogWrite> writes = std::exchange(writes_, {});
    for (const LogWrite& write : writes) {
      if (error == ErrorCode::none)
        for (const protocol::NewRecord& it : write.records) record(it);
      coordinator.on_log_write({write.id, error, 0}, now);
    }
  }

  std::deque<Reply> replies_;
  std::vector<LogWrite> writes_;
  std::vector<MarkerRequest> markers_;
};

}  // namespace fencepost::minibroker::transaction
