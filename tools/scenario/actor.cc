// What all verbs share.
#include "tools/scenario/actor.h"

#include <algorithm>

namespace fencepost::scenario {

namespace {

client::ClusterClientOptions options_of(const std::string& name) {
  client::ClusterClientOptions options;
  options.connection.client_id = name;
  return options;
}

}  // namespace

std::string Naming::real(const std::string& name) const {
  const bool is_internal = name.rfind("__", 0) == 0;
  return is_internal ? name : prefix_ + name;
}

client::TopicPartition Naming::real(const TopicPartition& partition) const {
  return {real(partition.topic), partition.partition};
}

std::string Naming::shown(std::string text) const {
  if (prefix_.empty()) return text;
  for (std::size_t at = text.find(prefix_); at != std::string::npos; at = text.find(prefix_, at))
    text.erase(at, prefix_.size());
  return text;
}

Actor::Actor(std::string actor_name, World& world, TopicNames& names)
    : name(std::move(actor_name)),
      transport(world.network(), world.clock(), names),
      client(transport, world.clock(), world.bootstrap(), options_of(name)) {}

Actor::Actor(const Actor& other, World& world, TopicNames& names)
    : name(other.name),
      transport(other.transport, world.network(), world.clock(), names),
      client(other.client, transport, world.clock(), world.io().get_executor()),
      consumers(other.consumers),
      group(other.group),
      added_partitions(other.added_partitions),
      added_groups(other.added_groups),
      transaction(other.transaction),
      is_transaction_used(other.is_transaction_used) {
  for (const auto& session : other.sessions)
    sessions.push_back(std::make_unique<client::TransactionalSession>(client, *session));
  for (const auto& [its_group, member] : other.members)
    members[its_group] = std::make_unique<client::GroupMember>(client, *member);
}

client::CallOptions StepRun::call_options() const {
  // A held request waits for its release, not for the client's patience.
  constexpr Duration patience_of_the_held = std::chrono::hours(24);
  client::CallOptions options;
  if (const auto version = arguments().integer("version"))
    options.version_max = static_cast<int>(*version);
  options.timeout = arguments().duration("timeout");
  if (step->hold && !options.timeout) options.timeout = patience_of_the_held;
  // What comes after it must not queue behind it.
  options.own_connection = step->hold.has_value();
  return options;
}

bool asking_again_can_help(protocol::ErrorCode code) {
  const protocol::Reaction reaction = protocol::reaction_of(code);
  return reaction == protocol::Reaction::retry || reaction == protocol::Reaction::find_coordinator;
}

bool StepRun::may_ask_again(const std::string& outcome) const {
  const bool is_expected =
      std::find(expected_errors.begin(), expected_errors.end(), outcome) != expected_errors.end();
  return step->retry.value_or(!is_expected);
}

bool StepRun::is_final(protocol::ErrorCode code) const {
  return !asking_again_can_help(code) || !may_ask_again(to_string(code));
}

// What was not sent may be sent again: the leader may be another one by then.
bool StepRun::is_final(const Error& error) const {
  const std::string outcome = answer_of(error).outcome;
  return outcome != "CANNOT_CONNECT" || !may_ask_again(outcome);
}

asio::awaitable<void> perform(StepRun& run) {
  bool is_known = co_await perform_producer_verb(run);
  if (!is_known) is_known = co_await perform_group_verb(run);
  if (!is_known) is_known = co_await perform_read_verb(run);
  if (!is_known) is_known = co_await perform_admin_verb(run);
  CHECK(is_known);
  run.is_done = true;
}

}  // namespace fencepost::scenario
