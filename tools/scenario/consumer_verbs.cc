// A member of the consumer group protocol: heartbeats until the coordinator has given it something.
// Its member id is its name, so that a run can be repeated.
#include "protocol/messages/consumer_group_heartbeat.h"
#include "tools/scenario/attempts.h"

namespace fencepost::scenario {

namespace {

using client::CallOptions;
using protocol::ConsumerGroupHeartbeatRequest;
using protocol::ConsumerGroupHeartbeatResponse;

constexpr Duration patience = std::chrono::minutes(2);
constexpr Duration between_heartbeats = std::chrono::seconds(5);

ConsumerMember& consumer_of(StepRun& run) {
  const Arguments& arguments = run.arguments();
  run.actor->group = arguments.text("group").value_or(run.actor->group);
  ConsumerMember& member = run.actor->consumers[run.actor->group];
  member.topics.clear();
  for (const std::string& topic : arguments.texts("topics"))
    member.topics.push_back(run.naming->real(topic));
  member.member_id = run.naming->real(run.actor->name);
  member.rebalance_timeout =
      arguments.duration("rebalance_timeout").value_or(std::chrono::seconds(60));
  return member;
}

ConsumerGroupHeartbeatRequest heartbeat_of(const StepRun& run, const ConsumerMember& member) {
  ConsumerGroupHeartbeatRequest request;
  request.group_id = run.naming->real(run.actor->group);
  request.member_id = member.member_id;
  request.member_epoch = member.epoch;
  request.rebalance_timeout_ms =
      static_cast<std::int32_t>(to_milliseconds(member.rebalance_timeout));
  request.subscribed_topic_names = member.topics;
  auto& topics = request.topic_partitions.emplace();
  for (const client::TopicPartition& it : member.assignment) {
    const Uuid id = run.actor->client.topic_id(it.topic);
    if (topics.empty() || topics.back().topic_id != id) topics.emplace_back().topic_id = id;
    topics.back().partitions.push_back(it.partition);
  }
  return request;
}

// One heartbeat; what it answers is in the member, and in the run's answer.
asio::awaitable<void> beat(StepRun& run, ConsumerMember& member) {
  const Call<ConsumerGroupHeartbeatResponse> call = [&run, &member](CallOptions options) {
    return run.actor->client.call_coordinator(client::CoordinatorType::group,
                                              run.naming->real(run.actor->group),
                                              heartbeat_of(run, member), options);
  };
  const Result<ConsumerGroupHeartbeatResponse> response =
      co_await attempt<ConsumerGroupHeartbeatResponse>(
          run, call, [](const ConsumerGroupHeartbeatResponse& it) { return it.error_code; });
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  member.epoch = response->member_epoch;
  if (!response->assignment) co_return;
  member.assignment.clear();
  for (const auto& topic : response->assignment->topic_partitions)
    for (const std::int32_t partition : topic.partitions)
      member.assignment.push_back({run.actor->client.topic_name(topic.topic_id), partition});
}

}  // namespace

asio::awaitable<void> join_consumer_group(StepRun& run) {
  ConsumerMember& member = consumer_of(run);
  client::Clock& clock = run.world->clock();
  const Instant deadline = clock.now() + patience;
  std::vector<std::string> topics = member.topics;
  const Result<protocol::MetadataResponse> metadata =
      co_await run.actor->client.refresh_metadata(std::move(topics));
  if (!metadata) run.answer = answer_of(metadata.error());
  if (!metadata) co_return;
  while (true) {
    co_await beat(run, member);
    const std::string outcome = run.answer.outcome;
    if (outcome == "UNKNOWN_MEMBER_ID" || outcome == "FENCED_MEMBER_EPOCH") {
      member.epoch = 0;  // thrown out: from the beginning
      member.assignment.clear();
      continue;
    }
    if (outcome != "NONE" || !member.assignment.empty()) break;
    if (clock.now() + between_heartbeats > deadline) {
      run.answer.outcome = "STALLED";
      run.answer.detail = "the coordinator has assigned nothing";
      co_return;
    }
    co_await clock.sleep_until(clock.now() + between_heartbeats);
  }
  if (run.answer.outcome == "NONE") co_await beat(run, member);  // says that it has it
  if (run.answer.outcome != "NONE") co_return;
  std::vector<std::string> assigned;
  for (const client::TopicPartition& it : member.assignment)
    assigned.push_back(run.naming->shown(to_string(it)));
  run.answer.set("partitions", list_node(assigned));
  run.answer.set("generation", number_node(member.epoch));
}

}  // namespace fencepost::scenario
