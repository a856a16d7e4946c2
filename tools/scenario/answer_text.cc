// One overload an answer: its error name first, then what it gave.
#include <fmt/format.h>

#include "client/response_error.h"
#include "protocol/codec.h"
#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/consumer_group_heartbeat.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/write_txn_markers.h"
#include "protocol/records/record_batch.h"
#include "tools/scenario/wire_text.h"

namespace fencepost::scenario {

namespace {

using namespace protocol;  // the messages
using client::first_error;

// Messages of which only the error matters.
template <class Message>
std::string text(const Message& it, const TopicNames&) {
  return to_string(first_error(it));
}

std::string text(const InitProducerIdResponse& it, const TopicNames&) {
  if (it.error_code != ErrorCode::none) return to_string(it.error_code);
  return fmt::format("NONE producer {}/{}", it.producer_id, it.producer_epoch);
}

std::string text(const EndTxnResponse& it, const TopicNames&) {
  if (it.error_code != ErrorCode::none || it.producer_id < 0) return to_string(it.error_code);
  return fmt::format("NONE next producer {}/{}", it.producer_id, it.producer_epoch);
}

std::string text(const ProduceResponse& it, const TopicNames&) {
  std::string line = to_string(first_error(it));
  for (const auto& topic : it.responses)
    for (const auto& one : topic.partition_responses)
      if (one.error_code == ErrorCode::none) line += fmt::format(" offset {}", one.base_offset);
  return line;
}

std::string text(const FindCoordinatorResponse& it, const TopicNames&) {
  std::string line;
  if (it.coordinators.empty())
    line = fmt::format("{} node {}", to_string(it.error_code), it.node_id);
  for (const auto& one : it.coordinators)
    line += fmt::format("{} node {}", to_string(one.error_code), one.node_id);
  return line;
}

std::string text(const JoinGroupResponse& it, const TopicNames&) {
  if (it.error_code == ErrorCode::member_id_required)
    return fmt::format("{} member {}", to_string(it.error_code), short_member(it.member_id));
  if (it.error_code != ErrorCode::none) return to_string(it.error_code);
  return fmt::format("NONE generation {} member {}{}", it.generation_id, short_member(it.member_id),
                     it.leader == it.member_id ? " leader" : "");
}

std::string text(const ConsumerGroupHeartbeatResponse& it, const TopicNames& names) {
  if (it.error_code != ErrorCode::none) return to_string(it.error_code);
  std::string line = fmt::format("NONE epoch {}", it.member_epoch);
  if (!it.assignment) return line;
  line += " assigns";
  for (const auto& topic : it.assignment->topic_partitions)
    for (const std::int32_t index : topic.partitions)
      line += fmt::format(" {}-{}", names.name("", topic.topic_id), index);
  return line + (it.assignment->topic_partitions.empty() ? " nothing" : "");
}

std::string text(const OffsetFetchResponse& it, const TopicNames& names) {
  std::string line = to_string(first_error(it));
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format(" {}-{}={}", topic.name, one.partition_index, one.committed_offset);
  for (const auto& group : it.groups)
    for (const auto& topic : group.topics)
      for (const auto& one : topic.partitions)
        line += fmt::format(" {}-{}={}", names.name(topic.name, topic.topic_id),
                            one.partition_index, one.committed_offset);
  return line;
}

std::string text(const ListOffsetsResponse& it, const TopicNames&) {
  std::string line = to_string(first_error(it));
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      if (one.error_code == ErrorCode::none) line += fmt::format(" offset {}", one.offset);
  return line;
}

std::string text(const FetchResponse& it, const TopicNames&) {
  std::string line = to_string(first_error(it));
  for (const auto& topic : it.responses)
    for (const auto& one : topic.partitions) {
      if (one.error_code != ErrorCode::none) continue;
      line += " " + records_text(one.records.value_or(Records{}).bytes);
      if (one.aborted_transactions && !one.aborted_transactions->empty()) {
        line += " aborted";
        for (const auto& aborted : *one.aborted_transactions)
          line += fmt::format(" {}@{}", aborted.producer_id, aborted.first_offset);
      }
      line += fmt::format(" LSO {} HW {}", one.last_stable_offset, one.high_watermark);
    }
  return line;
}

std::string text(const OffsetForLeaderEpochResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{}{} epoch {} ends at {}", line.empty() ? "" : " ",
                          to_string(one.error_code), one.leader_epoch, one.end_offset);
  return line;
}

std::string text(const DescribeTransactionsResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& one : it.transaction_states) {
    line += to_string(one.error_code);
    if (one.error_code != ErrorCode::none) continue;
    line += fmt::format(" {} producer {}/{}", one.transaction_state, one.producer_id,
                        one.producer_epoch);
  }
  return line;
}

std::string text(const DescribeProducersResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions) {
      line += to_string(one.error_code);
      for (const auto& producer : one.active_producers) {
        line += fmt::format(" {}/{}", producer.producer_id, producer.producer_epoch);
        if (producer.current_txn_start_offset >= 0)
          line += fmt::format(" open from {}", producer.current_txn_start_offset);
      }
    }
  return line;
}

std::string text(const WriteTxnMarkersResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& marker : it.markers)
    for (const auto& topic : marker.topics)
      for (const auto& one : topic.partitions)
        line += (line.empty() ? "" : " ") + to_string(one.error_code);
  return line;
}

std::string text(const CreateTopicsResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    line += (line.empty() ? "" : " ") + to_string(topic.error_code);
  return line;
}

std::string text(const DeleteRecordsResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{} low watermark {}", to_string(one.error_code), one.low_watermark);
  return line;
}

std::string text(const DescribeGroupsResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& group : it.groups)
    line += fmt::format("{} {} {} members", to_string(group.error_code), group.group_state,
                        group.members.size());
  return line;
}

std::string text(const OffsetDeleteResponse& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += (line.empty() ? "" : " ") + to_string(one.error_code);
  return line.empty() ? to_string(it.error_code) : line;
}

std::string text(const MetadataResponse& it, const TopicNames&) {
  std::string line = fmt::format("{} brokers", it.brokers.size());
  for (const auto& topic : it.topics)
    line +=
        fmt::format(" {}:{}", topic.name.value_or("?"),
                    topic.error_code == ErrorCode::none ? std::to_string(topic.partitions.size())
                                                        : to_string(topic.error_code));
  return line;
}

std::string text(const ApiVersionsResponse& it, const TopicNames&) {
  std::string line = fmt::format("{} {} APIs", to_string(it.error_code), it.api_keys.size());
  for (const auto& feature : it.finalized_features)
    line += fmt::format(" {}={}", feature.name, feature.max_version_level);
  return line;
}

template <class Message>
std::string decoded(const SharedBytes& body, int version, const TopicNames& names) {
  const Result<Message> message = Codec<Message>::decode(body, version);
  return message ? text(*message, names) : "(not readable: " + to_string(message.error()) + ")";
}

}  // namespace

std::string short_member(const std::string& member_id) {
  constexpr std::size_t uuid_size = 36;
  constexpr std::size_t kept = 8;
  if (member_id.empty()) return "''";
  const bool ends_in_uuid =
      member_id.size() > uuid_size && member_id[member_id.size() - uuid_size - 1] == '-';
  return ends_in_uuid ? member_id.substr(0, member_id.size() - uuid_size + kept) : member_id;
}

std::string printable(const SharedBytes& bytes) {
  for (const std::uint8_t byte : bytes.view())
    if (byte < 0x20 || byte == 0x7f) return "0x" + to_hex(bytes.view());
  return std::string(bytes.text());
}

std::string records_text(const SharedBytes& bytes) {
  const Result<std::vector<RecordBatchView>> batches = open_batches(bytes);
  if (!batches) return "(batches not readable)";
  std::string line;
  const auto side = [](const OptionalBytes& value) { return value ? printable(*value) : "null"; };
  for (const RecordBatchView& batch : *batches) {
    if (batch.header().is_control_batch()) continue;
    const Result<std::vector<Record>> records = batch.records();
    if (!records) return "(records not readable)";
    for (const Record& record : *records)
      line += (line.empty() ? "" : ", ") + side(record.key) + "=" + side(record.value);
  }
  return "[" + line + "]";
}

std::string answer_text(ApiKey key, int version, const SharedBytes& body, const TopicNames& names) {
  switch (key) {
    case ApiKey::init_producer_id:
      return decoded<InitProducerIdResponse>(body, version, names);
    case ApiKey::add_partitions_to_txn:
      return decoded<AddPartitionsToTxnResponse>(body, version, names);
    case ApiKey::produce:
      return decoded<ProduceResponse>(body, version, names);
    case ApiKey::add_offsets_to_txn:
      return decoded<AddOffsetsToTxnResponse>(body, version, names);
    case ApiKey::txn_offset_commit:
      return decoded<TxnOffsetCommitResponse>(body, version, names);
    case ApiKey::offset_commit:
      return decoded<OffsetCommitResponse>(body, version, names);
    case ApiKey::end_txn:
      return decoded<EndTxnResponse>(body, version, names);
    case ApiKey::find_coordinator:
      return decoded<FindCoordinatorResponse>(body, version, names);
    case ApiKey::join_group:
      return decoded<JoinGroupResponse>(body, version, names);
    case ApiKey::sync_group:
      return decoded<SyncGroupResponse>(body, version, names);
    case ApiKey::heartbeat:
      return decoded<HeartbeatResponse>(body, version, names);
    case ApiKey::leave_group:
      return decoded<LeaveGroupResponse>(body, version, names);
    case ApiKey::offset_fetch:
      return decoded<OffsetFetchResponse>(body, version, names);
    case ApiKey::list_offsets:
      return decoded<ListOffsetsResponse>(body, version, names);
    case ApiKey::fetch:
      return decoded<FetchResponse>(body, version, names);
    case ApiKey::describe_transactions:
      return decoded<DescribeTransactionsResponse>(body, version, names);
    case ApiKey::describe_producers:
      return decoded<DescribeProducersResponse>(body, version, names);
    case ApiKey::write_txn_markers:
      return decoded<WriteTxnMarkersResponse>(body, version, names);
    case ApiKey::create_topics:
      return decoded<CreateTopicsResponse>(body, version, names);
    case ApiKey::delete_records:
      return decoded<DeleteRecordsResponse>(body, version, names);
    case ApiKey::describe_groups:
      return decoded<DescribeGroupsResponse>(body, version, names);
    case ApiKey::offset_delete:
      return decoded<OffsetDeleteResponse>(body, version, names);
    case ApiKey::consumer_group_heartbeat:
      return decoded<ConsumerGroupHeartbeatResponse>(body, version, names);
    case ApiKey::offset_for_leader_epoch:
      return decoded<OffsetForLeaderEpochResponse>(body, version, names);
    case ApiKey::metadata:
      return decoded<MetadataResponse>(body, version, names);
    case ApiKey::api_versions:
      return decoded<ApiVersionsResponse>(body, version, names);
    default:
      return {};
  }
}

}  // namespace fencepost::scenario
