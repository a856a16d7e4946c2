// A group coordinator with a log of its own, in virtual time: the vocabulary of the tests here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "minibroker/group/coordinator.h"
#include "protocol/codec.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using std::chrono::minutes;
using std::chrono::seconds;

inline Era new_coordinator() {
  return {};
}
inline Era old_coordinator() {
  Era era;
  era.has_new_group_coordinator = false;
  return era;
}

// A member that has its generation.
struct Member {
  std::string id;
  std::int32_t generation = -1;
  std::optional<std::string> instance = std::nullopt;
};

class Groups {
 public:
  explicit Groups(Era era = new_coordinator(), GroupSettings settings = {})
      : coordinator(one_partition(std::move(settings)), std::move(era), 7) {
    coordinator.load(0, {}, now);
  }

  static GroupSettings one_partition(GroupSettings settings) {
    settings.offsets_partition_count = 1;
    return settings;
  }

  GroupCoordinator coordinator;
  std::shared_ptr<const security::Identity> identity;  // of who asks
  Instant now{seconds(1'000'000)};
  bool is_log_held = false;  // what is written stays on its way until replicate()
  std::vector<ReplayedBatch> log;
  std::vector<LogWrite> in_flight;
  ErrorCode next_write_error = ErrorCode::none;
  VerificationGuard guard = 77;
  TopicIds topic_ids;

  // ---- requests

  // Sends the request; the result names its answer.
  template <class Request>
  int send(const Request& request, int version) {
    RequestContext context;
    context.connection = 1;
    context.correlation_id = ++last_correlation_id_;
    context.api_version = static_cast<std::int16_t>(version);
    context.client_id = "client";
    context.client_host = "/127.0.0.1";
    context.identity = identity;
    call(context, request);
    settle();
    return last_correlation_id_;
  }
  template <class Response>
  std::optional<Response> answer(int correlation_id) {
    const auto found = replies_.find(correlation_id);
    if (found == replies_.end()) return std::nullopt;
    return protocol::Codec<Response>::decode(found->second.body.flatten(),
                                             found->second.request.api_version)
        .value();
  }
  bool is_answered(int correlation_id) const { return replies_.count(correlation_id) > 0; }
  template <class Request>
  typename Request::Response ask(const Request& request, int version) {
    return answer<typename Request::Response>(send(request, version)).value();
  }

  // ---- the log

  void replicate(ErrorCode error = ErrorCode::none) {
    for (const LogWrite& it : std::exchange(in_flight, {})) {
      const std::int64_t base_offset = error == ErrorCode::none ? append(it) : -1;
      coordinator.on_log_write({it.id, error, base_offset}, now);
    }
    settle();
  }
  void marker(std::int64_t producer_id, bool is_commit) {
    ReplayedBatch batch;
    batch.header.base_offset = next_offset_++;
    batch.header.attributes = 0x30;
    batch.header.producer_id = producer_id;
    protocol::Record record;
    record.key = SharedBytes(ByteVector{0, 0, 0, static_cast<std::uint8_t>(is_commit ? 1 : 0)});
    batch.records.push_back(std::move(record));
    log.push_back(std::move(batch));
    coordinator.on_marker(0, producer_id, is_commit);
    settle();
  }
  // The coordinator moves and comes back with what is in the log.
  void fail_over() {
    coordinator.unload(0, now);
    settle();
    in_flight.clear();
    coordinator.begin_loading(0);
    coordinator.load(0, log, now);
    settle();
  }
  const protocol::Record& last_record() const { return log.back().records.back(); }
  std::size_t record_count() const {
    std::size_t count = 0;
    for (const ReplayedBatch& it : log) count += it.records.size();
    return count;
  }

  // ---- time

  void advance(Duration duration) {
    const Instant target = now + duration;
    for (auto due = coordinator.next_deadline(); due.has_value() && *due <= target;
         due = coordinator.next_deadline()) {
      now = std::max(now, *due);
      coordinator.advance_to(now);
      settle();
    }
    now = target;
  }

  // ---- members

  static protocol::JoinGroupRequest join(std::string member_id = "",
                                         std::optional<std::string> instance = std::nullopt,
                                         std::vector<std::string> protocols = {"range"}) {
    protocol::JoinGroupRequest request;
    request.group_id = "g";
    request.session_timeout_ms = 10'000;
    request.rebalance_timeout_ms = 60'000;
    request.member_id = std::move(member_id);
    request.group_instance_id = std::move(instance);
    request.protocol_type = "consumer";
    for (const std::string& it : protocols)
      request.protocols.push_back({it, subscription_to("in"), {}});
    return request;
  }
  // Version 0 of a ConsumerProtocolSubscription without user data.
  static SharedBytes subscription_to(const std::string& topic) {
    protocol::Writer writer;
    writer.int16(0);
    writer.int32(1);
    writer.string_length(static_cast<std::int32_t>(topic.size()), false);
    writer.raw(topic);
    writer.int32(-1);
    return writer.finish().flatten();
  }
  static protocol::SyncGroupRequest sync(const Member& member,
                                         std::map<std::string, std::string> assignments = {}) {
    protocol::SyncGroupRequest request;
    request.group_id = "g";
    request.member_id = member.id;
    request.generation_id = member.generation;
    request.group_instance_id = member.instance;
    for (const auto& [member_id, assignment] : assignments)
      request.assignments.push_back({member_id, SharedBytes::copy_of(assignment), {}});
    return request;
  }
  static protocol::HeartbeatRequest beat(const Member& member) {
    protocol::HeartbeatRequest request;
    request.group_id = "g";
    request.member_id = member.id;
    request.generation_id = member.generation;
    request.group_instance_id = member.instance;
    return request;
  }
  ErrorCode heartbeat(const Member& member) { return ask(beat(member), 4).error_code; }
  // A member id to join with, as a client of today gets it.
  std::string new_member_id() { return ask(join(), 9).member_id; }
  // A group in CompletingRebalance whose members joined in this order; static when `instances`
  // names them.
  std::vector<Member> joined(int count, std::vector<std::string> instances = {}) {
    std::vector<int> ids;
    std::vector<Member> members(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i < instances.size()) members[i].instance = instances[i];
      const std::string member_id = i < instances.size() ? "" : new_member_id();
      ids.push_back(send(join(member_id, members[i].instance), 9));
    }
    advance(seconds(3 * (count + 1)));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto response = answer<protocol::JoinGroupResponse>(ids[i]).value();
      members[i].id = response.member_id;
      members[i].generation = response.generation_id;
    }
    return members;
  }
  // The same, Stable: each member is assigned its number.
  std::vector<Member> stable(int count, std::vector<std::string> instances = {}) {
    const std::vector<Member> members = joined(count, std::move(instances));
    std::map<std::string, std::string> assignments;
    for (std::size_t i = 0; i < members.size(); ++i) assignments[members[i].id] = std::to_string(i);
    for (std::size_t i = members.size(); i-- > 0;) {
      if (i == 0) {
        send(sync(members[i], assignments), 5);
      } else {
        send(sync(members[i]), 5);
      }
    }
    return members;
  }
  GroupState state() const { return coordinator.states().at(0); }

  // ---- offsets

  static protocol::OffsetCommitRequest commit(const Member& member, std::int64_t offset) {
    protocol::OffsetCommitRequest request;
    request.group_id = "g";
    request.member_id = member.id;
    request.generation_id_or_member_epoch = member.generation;
    request.group_instance_id = member.instance;
    request.topics = {{"in", {}, {{0, offset, -1, "", {}}}, {}}};
    return request;
  }
  static protocol::TxnOffsetCommitRequest txn_commit(const Member& member, std::int64_t offset,
                                                     std::int64_t producer_id = 1) {
    protocol::TxnOffsetCommitRequest request;
    request.transactional_id = "t";
    request.group_id = "g";
    request.producer_id = producer_id;
    request.producer_epoch = 5;
    request.member_id = member.id;
    request.generation_id_or_member_epoch = member.generation;
    request.group_instance_id = member.instance;
    request.topics = {{"in", {}, {{0, offset, -1, "", {}}}, {}}};
    return request;
  }
  ErrorCode commit_offset(const Member& member, std::int64_t offset, int version = 9) {
    return ask(commit(member, offset), version).topics.at(0).partitions.at(0).error_code;
  }
  ErrorCode txn_commit_offset(const Member& member, std::int64_t offset,
                              std::int64_t producer_id = 1, int version = 4) {
    return ask(txn_commit(member, offset, producer_id), version)
        .topics.at(0)
        .partitions.at(0)
        .error_code;
  }
  static protocol::OffsetFetchRequest fetch(bool require_stable = false) {
    protocol::OffsetFetchRequest request;
    request.require_stable = require_stable;
    request.groups.emplace_back();
    request.groups[0].group_id = "g";
    request.groups[0].topics = {{"in", {}, {0}, {}}};
    return request;
  }
  protocol::OffsetFetchResponse::OffsetFetchResponsePartitions fetched(
      bool require_stable = false) {
    return ask(fetch(require_stable), 9).groups.at(0).topics.at(0).partitions.at(0);
  }
  std::int64_t committed() { return fetched().committed_offset; }

 private:
  void call(const RequestContext& context, const protocol::JoinGroupRequest& it) {
    coordinator.join_group(context, it, now);
  }
  void call(const RequestContext& context, const protocol::SyncGroupRequest& it) {
    coordinator.sync_group(context, it, now);
  }
  void call(const RequestContext& context, const protocol::HeartbeatRequest& it) {
    coordinator.heartbeat(context, it, now);
  }
  void call(const RequestContext& context, const protocol::LeaveGroupRequest& it) {
    coordinator.leave_group(context, it, now);
  }
  void call(const RequestContext& context, const protocol::OffsetCommitRequest& it) {
    coordinator.offset_commit(context, it, {}, now);
  }
  void call(const RequestContext& context, const protocol::TxnOffsetCommitRequest& it) {
    coordinator.txn_offset_commit(context, it, {}, guard, now);
  }
  void call(const RequestContext& context, const protocol::OffsetFetchRequest& it) {
    coordinator.offset_fetch(context, it, {}, topic_ids);
  }
  void call(const RequestContext& context, const protocol::OffsetDeleteRequest& it) {
    coordinator.offset_delete(context, it, {}, now);
  }
  void call(const RequestContext& context, const protocol::ConsumerGroupHeartbeatRequest& it) {
    coordinator.consumer_group_heartbeat(context, it, now);
  }
  void call(const RequestContext& context, const protocol::ConsumerGroupDescribeRequest& it) {
    coordinator.consumer_group_describe(context, it, {});
  }
  void call(const RequestContext& context, const protocol::DescribeGroupsRequest& it) {
    coordinator.describe_groups(context, it, {});
  }
  void call(const RequestContext& context, const protocol::ListGroupsRequest& it) {
    coordinator.list_groups(context, it);
  }
  void call(const RequestContext& context, const protocol::DeleteGroupsRequest& it) {
    coordinator.delete_groups(context, it, {}, now);
  }

  std::int64_t append(const LogWrite& write) {
    ReplayedBatch batch;
    batch.header.base_offset = next_offset_;
    batch.header.producer_id = write.producer_id;
    batch.header.producer_epoch = write.producer_epoch;
    if (batch.header.has_producer_id()) batch.header.attributes = 0x10;
    for (const protocol::NewRecord& it : write.records)
      batch.records.push_back({next_offset_++, it.timestamp, it.key, it.value, {}});
    log.push_back(batch);
    return batch.header.base_offset;
  }
  // Takes the output; a write is replicated at once unless the log is held.
  void settle() {
    for (Reply& it : coordinator.take_replies())
      replies_.insert_or_assign(it.request.correlation_id, std::move(it));
    std::vector<LogWrite> writes = coordinator.take_log_writes();
    if (writes.empty()) return;
    in_flight.insert(in_flight.end(), writes.begin(), writes.end());
    if (!is_log_held) replicate(std::exchange(next_write_error, ErrorCode::none));
  }

  int last_correlation_id_ = 0;
  std::int64_t next_offset_ = 0;
  std::map<int, Reply> replies_;
};

}  // namespace fencepost::minibroker
