// One overload a request.
#include <fmt/format.h>

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
#include "protocol/messages/metadata.h"
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

std::string producer(std::int64_t id, std::int16_t epoch) {
  return fmt::format("producer {}/{}", id, epoch);
}

std::string isolation(std::int8_t level) {
  return level == 1 ? "read_committed" : "read_uncommitted";
}

std::string member(const std::string& member_id, std::int32_t generation) {
  return fmt::format("generation {} member {}", generation, short_member(member_id));
}

std::string text(const InitProducerIdRequest& it, const TopicNames&) {
  std::string line = fmt::format("{} timeout {}s", it.transactional_id.value_or("null"),
                                 it.transaction_timeout_ms / 1000);
  if (it.producer_id >= 0) line += " keeps " + producer(it.producer_id, it.producer_epoch);
  return line;
}

template <class Topics>
std::string name_and_partitions(const Topics& topics) {
  std::string line;
  for (const auto& topic : topics)
    for (const std::int32_t index : topic.partitions)
      line += fmt::format("{}{}-{}", line.empty() ? "" : " ", topic.name, index);
  return line;
}

std::string text(const AddPartitionsToTxnRequest& it, const TopicNames&) {
  std::string line = fmt::format(
      "{} {} {}", it.v3_and_below_transactional_id, name_and_partitions(it.v3_and_below_topics),
      producer(it.v3_and_below_producer_id, it.v3_and_below_producer_epoch));
  if (it.transactions.empty()) return line;
  line.clear();
  for (const auto& one : it.transactions)
    line += fmt::format("{} {} {}{} ", one.transactional_id, name_and_partitions(one.topics),
                        producer(one.producer_id, one.producer_epoch),
                        one.verify_only ? " verify only" : "");
  return line;
}

std::string batch_text(const SharedBytes& bytes) {
  const Result<std::vector<RecordBatchView>> batches = open_batches(bytes);
  if (!batches || batches->empty()) return "no batch";
  const RecordBatchHeader& header = batches->front().header();
  std::string line = records_text(bytes);
  if (!header.has_producer_id()) return line;
  return line + fmt::format(" {} sequence {}{}",
                            producer(header.producer_id, header.producer_epoch),
                            header.base_sequence, header.is_transactional() ? "" : " (no txn)");
}

std::string text(const ProduceRequest& it, const TopicNames& names) {
  std::string line;
  for (const auto& topic : it.topic_data)
    for (const auto& data : topic.partition_data)
      line += fmt::format("{}-{} {}", names.name(topic.name, topic.topic_id), data.index,
                          batch_text(data.records.value_or(Records{}).bytes));
  return line;
}

std::string text(const AddOffsetsToTxnRequest& it, const TopicNames&) {
  return fmt::format("{} group {} {}", it.transactional_id, it.group_id,
                     producer(it.producer_id, it.producer_epoch));
}

template <class Topics>
std::string offsets(const Topics& topics, const TopicNames& names) {
  std::string line;
  for (const auto& topic : topics)
    for (const auto& it : topic.partitions)
      line += fmt::format(" {}-{}={}", names.name(topic.name, topic.topic_id), it.partition_index,
                          it.committed_offset);
  return line;
}

std::string text(const TxnOffsetCommitRequest& it, const TopicNames& names) {
  return fmt::format("{} group {}{} {} {}", it.transactional_id, it.group_id,
                     offsets(it.topics, names),
                     member(it.member_id, it.generation_id_or_member_epoch),
                     producer(it.producer_id, it.producer_epoch));
}

std::string text(const OffsetCommitRequest& it, const TopicNames& names) {
  return fmt::format("group {}{} {}", it.group_id, offsets(it.topics, names),
                     member(it.member_id, it.generation_id_or_member_epoch));
}

std::string text(const EndTxnRequest& it, const TopicNames&) {
  return fmt::format("{} {} {}", it.transactional_id, it.committed ? "COMMIT" : "ABORT",
                     producer(it.producer_id, it.producer_epoch));
}

std::string text(const FindCoordinatorRequest& it, const TopicNames&) {
  std::string key = it.key;
  for (const std::string& one : it.coordinator_keys) key += one;
  return fmt::format("{} {}", it.key_type == 1 ? "transaction" : "group", key);
}

std::string text(const JoinGroupRequest& it, const TopicNames&) {
  return fmt::format("group {} member {} session {}s rebalance {}s", it.group_id,
                     short_member(it.member_id), it.session_timeout_ms / 1000,
                     it.rebalance_timeout_ms / 1000);
}

std::string text(const SyncGroupRequest& it, const TopicNames&) {
  return fmt::format("group {} {}{}", it.group_id, member(it.member_id, it.generation_id),
                     it.assignments.empty() ? "" : " (leader: assigns)");
}

std::string text(const HeartbeatRequest& it, const TopicNames&) {
  return fmt::format("group {} {}", it.group_id, member(it.member_id, it.generation_id));
}

std::string text(const LeaveGroupRequest& it, const TopicNames&) {
  std::string id = it.member_id;
  for (const auto& one : it.members) id += one.member_id;
  return fmt::format("group {} member {}", it.group_id, short_member(id));
}

std::string text(const ConsumerGroupHeartbeatRequest& it, const TopicNames& names) {
  std::string line = fmt::format("group {} member {} epoch {}", it.group_id,
                                 short_member(it.member_id), it.member_epoch);
  if (it.subscribed_topic_names)
    line += fmt::format(" topics {}", fmt::join(*it.subscribed_topic_names, " "));
  if (!it.topic_partitions || it.topic_partitions->empty()) return line;
  line += " owns";
  for (const auto& topic : *it.topic_partitions)
    for (const std::int32_t index : topic.partitions)
      line += fmt::format(" {}-{}", names.name("", topic.topic_id), index);
  return line;
}

std::string text(const OffsetFetchRequest& it, const TopicNames&) {
  std::string group = it.group_id;
  for (const auto& one : it.groups) group += one.group_id;
  return fmt::format("group {}{}", group, it.require_stable ? " require_stable" : "");
}

std::string text(const ListOffsetsRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{}-{} {} ", topic.name, one.partition_index,
                          one.timestamp == -1   ? "latest"
                          : one.timestamp == -2 ? "earliest"
                                                : "by time");
  return line + isolation(it.isolation_level);
}

std::string text(const FetchRequest& it, const TopicNames& names) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{}-{} from {} ", names.name(topic.topic, topic.topic_id), one.partition,
                          one.fetch_offset);
  return line + isolation(it.isolation_level);
}

std::string text(const OffsetForLeaderEpochRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{}{}-{} epoch {}", line.empty() ? "" : " ", topic.topic, one.partition,
                          one.leader_epoch);
  return line;
}

std::string text(const DescribeTransactionsRequest& it, const TopicNames&) {
  return fmt::format("{}", fmt::join(it.transactional_ids, " "));
}

std::string text(const DescribeProducersRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const std::int32_t index : topic.partition_indexes)
      line += fmt::format("{}-{}", topic.name, index);
  return line;
}

std::string text(const WriteTxnMarkersRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& marker : it.markers) {
    line +=
        fmt::format("{} {} coordinator epoch {}", marker.transaction_result ? "COMMIT" : "ABORT",
                    producer(marker.producer_id, marker.producer_epoch), marker.coordinator_epoch);
    for (const auto& topic : marker.topics)
      for (const std::int32_t index : topic.partition_indexes)
        line += fmt::format(" {}-{}", topic.name, index);
  }
  return line;
}

std::string text(const CreateTopicsRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    line += fmt::format("{} partitions {} replicas {} ", topic.name, topic.num_partitions,
                        topic.replication_factor);
  return line;
}

std::string text(const DeleteRecordsRequest& it, const TopicNames&) {
  std::string line;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format("{}-{} before {}", topic.name, one.partition_index, one.offset);
  return line;
}

std::string text(const DescribeGroupsRequest& it, const TopicNames&) {
  return fmt::format("group {}", fmt::join(it.groups, " "));
}

std::string text(const OffsetDeleteRequest& it, const TopicNames&) {
  std::string line = "group " + it.group_id;
  for (const auto& topic : it.topics)
    for (const auto& one : topic.partitions)
      line += fmt::format(" {}-{}", topic.name, one.partition_index);
  return line;
}

std::string text(const ApiVersionsRequest& it, const TopicNames&) {
  return fmt::format("{} {}", it.client_software_name, it.client_software_version);
}

std::string text(const MetadataRequest& it, const TopicNames&) {
  if (!it.topics) return "all topics";
  std::string line;
  for (const auto& topic : *it.topics) line += topic.name.value_or("?") + " ";
  return line;
}

template <class Message>
std::string decoded(const SharedBytes& body, int version, const TopicNames& names) {
  const Result<Message> message = Codec<Message>::decode(body, version);
  return message ? text(*message, names) : "(not readable: " + to_string(message.error()) + ")";
}

}  // namespace

std::string request_text(ApiKey key, int version, const SharedBytes& body,
                         const TopicNames& names) {
  switch (key) {
    case ApiKey::init_producer_id:
      return decoded<InitProducerIdRequest>(body, version, names);
    case ApiKey::add_partitions_to_txn:
      return decoded<AddPartitionsToTxnRequest>(body, version, names);
    case ApiKey::produce:
      return decoded<ProduceRequest>(body, version, names);
    case ApiKey::add_offsets_to_txn:
      return decoded<AddOffsetsToTxnRequest>(body, version, names);
    case ApiKey::txn_offset_commit:
      return decoded<TxnOffsetCommitRequest>(body, version, names);
    case ApiKey::offset_commit:
      return decoded<OffsetCommitRequest>(body, version, names);
    case ApiKey::end_txn:
      return decoded<EndTxnRequest>(body, version, names);
    case ApiKey::find_coordinator:
      return decoded<FindCoordinatorRequest>(body, version, names);
    case ApiKey::join_group:
      return decoded<JoinGroupRequest>(body, version, names);
    case ApiKey::sync_group:
      return decoded<SyncGroupRequest>(body, version, names);
    case ApiKey::heartbeat:
      return decoded<HeartbeatRequest>(body, version, names);
    case ApiKey::leave_group:
      return decoded<LeaveGroupRequest>(body, version, names);
    case ApiKey::offset_fetch:
      return decoded<OffsetFetchRequest>(body, version, names);
    case ApiKey::list_offsets:
      return decoded<ListOffsetsRequest>(body, version, names);
    case ApiKey::fetch:
      return decoded<FetchRequest>(body, version, names);
    case ApiKey::describe_transactions:
      return decoded<DescribeTransactionsRequest>(body, version, names);
    case ApiKey::describe_producers:
      return decoded<DescribeProducersRequest>(body, version, names);
    case ApiKey::write_txn_markers:
      return decoded<WriteTxnMarkersRequest>(body, version, names);
    case ApiKey::create_topics:
      return decoded<CreateTopicsRequest>(body, version, names);
    case ApiKey::delete_records:
      return decoded<DeleteRecordsRequest>(body, version, names);
    case ApiKey::describe_groups:
      return decoded<DescribeGroupsRequest>(body, version, names);
    case ApiKey::offset_delete:
      return decoded<OffsetDeleteRequest>(body, version, names);
    case ApiKey::consumer_group_heartbeat:
      return decoded<ConsumerGroupHeartbeatRequest>(body, version, names);
    case ApiKey::offset_for_leader_epoch:
      return decoded<OffsetForLeaderEpochRequest>(body, version, names);
    case ApiKey::metadata:
      return decoded<MetadataRequest>(body, version, names);
    case ApiKey::api_versions:
      return decoded<ApiVersionsRequest>(body, version, names);
    default:
      return {};
  }
}

}  // namespace fencepost::scenario
