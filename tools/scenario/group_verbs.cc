// The verbs of a group member. Nothing happens between steps: a member that is told nothing neither
// heartbeats nor rejoins, which is what a stalled one does.
#include <algorithm>

#include "tools/scenario/attempts.h"

namespace fencepost::scenario {

namespace {

using client::CallOptions;
using client::GroupMember;
using client::MemberOverrides;
using namespace protocol;  // the messages

MemberOverrides overrides_of(const StepRun& run, CallOptions options) {
  MemberOverrides overrides;
  if (const auto generation = run.arguments().integer("generation"))
    overrides.generation = static_cast<std::int32_t>(*generation);
  overrides.member_id = run.arguments().text("member_id");
  overrides.call = options;
  return overrides;
}

// The actor's membership of the step's group; a new one when there is none, or the step subscribes.
GroupMember& member_of(StepRun& run) {
  Actor& actor = *run.actor;
  const Arguments& arguments = run.arguments();
  const std::string group = arguments.text("group").value_or(actor.group);
  actor.group = group;
  std::unique_ptr<GroupMember>& member = actor.members[group];
  const bool subscribes = arguments.has("topics") && run.step->verb->name != "metadata";
  const bool is_new = member == nullptr || (subscribes && member->member_id().empty());
  if (!is_new) return *member;
  client::GroupMemberOptions options;
  options.group_id = run.naming->real(group);
  for (const std::string& topic : arguments.texts("topics"))
    options.topics.push_back(run.naming->real(topic));
  options.group_instance_id = arguments.text("group_instance_id");
  options.session_timeout = arguments.duration("session_timeout").value_or(options.session_timeout);
  options.rebalance_timeout =
      arguments.duration("rebalance_timeout").value_or(std::chrono::seconds(60));
  if (arguments.text("assignor") == "cooperative_sticky")
    options.assignor = client::Assignor::cooperative_sticky;
  member = std::make_unique<GroupMember>(actor.client, options);
  return *member;
}

std::vector<std::string> shown_assignment(const StepRun& run, const GroupMember& member) {
  std::vector<std::string> partitions;
  for (const client::TopicPartition& it : member.assignment())
    partitions.push_back(run.naming->shown(to_string(it)));
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

asio::awaitable<void> join_group(StepRun& run) {
  GroupMember& member = member_of(run);
  std::vector<client::TopicPartition> owned;
  for (const TopicPartition& it : run.arguments().partitions("owned"))
    owned.push_back(run.naming->real(it));
  member.set_owned(std::move(owned));
  const Call<JoinGroupResponse> call = [&run, &member](CallOptions options) {
    return member.join_group(overrides_of(run, options));
  };
  const Result<JoinGroupResponse> response = co_await attempt<JoinGroupResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  run.answer.set("generation", number_node(response->generation_id));
  run.answer.set("leader", text_node(member.is_leader() ? "true" : "false"));
}

asio::awaitable<void> sync_group(StepRun& run) {
  GroupMember& member = member_of(run);
  const Call<SyncGroupResponse> call = [&run, &member](CallOptions options) {
    return member.sync_group(overrides_of(run, options));
  };
  const Result<SyncGroupResponse> response = co_await attempt<SyncGroupResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (run.answer.outcome == "NONE")
    run.answer.set("partitions", list_node(shown_assignment(run, member)));
}

// A round that is overtaken by another one begins again.
asio::awaitable<void> join(StepRun& run) {
  constexpr int rounds_max = 10;
  for (int round = 0; round < rounds_max; ++round) {
    co_await join_group(run);
    if (run.answer.outcome != "NONE") co_return;
    const Node generation = *run.answer.values.find("generation");
    co_await sync_group(run);
    if (run.answer.outcome == "NONE") run.answer.set("generation", generation);
    if (run.answer.outcome != "REBALANCE_IN_PROGRESS") co_return;
  }
}

asio::awaitable<void> heartbeat(StepRun& run) {
  GroupMember& member = member_of(run);
  const Call<HeartbeatResponse> call = [&run, &member](CallOptions options) {
    return member.heartbeat(overrides_of(run, options));
  };
  const Result<HeartbeatResponse> response = co_await attempt<HeartbeatResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
}

asio::awaitable<void> leave_group(StepRun& run) {
  GroupMember& member = member_of(run);
  const Call<LeaveGroupResponse> call = [&run, &member](CallOptions options) {
    return member.leave_group(overrides_of(run, options));
  };
  const Result<LeaveGroupResponse> response = co_await attempt<LeaveGroupResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
}

asio::awaitable<void> offset_commit(StepRun& run) {
  GroupMember& member = member_of(run);
  std::vector<client::CommittedOffset> offsets;
  for (const auto& [partition, offset] : run.arguments().offsets("offsets"))
    offsets.push_back({run.naming->real(partition), offset});
  const Call<OffsetCommitResponse> call = [&run, &member, offsets](CallOptions options) {
    return member.offset_commit(offsets, overrides_of(run, options));
  };
  const Result<OffsetCommitResponse> response = co_await attempt<OffsetCommitResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
}

asio::awaitable<void> offset_fetch(StepRun& run) {
  GroupMember& member = member_of(run);
  std::vector<client::TopicPartition> partitions;
  for (const TopicPartition& it : run.arguments().partitions("partitions"))
    partitions.push_back(run.naming->real(it));
  const bool require_stable = run.arguments().boolean("require_stable").value_or(true);
  const Call<OffsetFetchResponse> call = [&run, &member, partitions,
                                          require_stable](CallOptions options) {
    return member.offset_fetch(partitions, require_stable, overrides_of(run, options));
  };
  const Result<OffsetFetchResponse> response = co_await attempt<OffsetFetchResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  std::vector<std::pair<std::string, std::string>> offsets;
  for (const client::FetchedOffset& it : client::fetched_offsets(*response))
    offsets.emplace_back(run.naming->shown(to_string(it.partition)), std::to_string(it.offset));
  run.answer.set("offsets", map_node(offsets));
}

}  // namespace

asio::awaitable<bool> perform_group_verb(StepRun& run) {
  const std::string_view verb = run.step->verb->name;
  if (verb == "join" && run.arguments().text("protocol") == "consumer") {
    co_await join_consumer_group(run);
  } else if (verb == "join") {
    co_await join(run);
  } else if (verb == "join_group") {
    co_await join_group(run);
  } else if (verb == "sync_group") {
    co_await sync_group(run);
  } else if (verb == "heartbeat") {
    co_await heartbeat(run);
  } else if (verb == "leave_group") {
    co_await leave_group(run);
  } else if (verb == "offset_commit") {
    co_await offset_commit(run);
  } else if (verb == "offset_fetch") {
    co_await offset_fetch(run);
  } else {
    co_return false;
  }
  co_return true;
}

}  // namespace fencepost::scenario
