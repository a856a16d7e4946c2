// Somebody in a scenario: a client of its own with what earlier answers gave it, and one step that
// it is doing.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/cluster_client.h"
#include "client/group_member.h"
#include "client/transactional_session.h"
#include "tools/scenario/answer.h"
#include "tools/scenario/observed_transport.h"
#include "tools/scenario/properties/property.h"
#include "tools/scenario/world.h"

namespace fencepost::scenario {

// Topics, groups and transactional ids as the cluster knows them: on a real one each run has names
// of its own, so that it can be repeated.
class Naming {
 public:
  explicit Naming(std::string prefix) : prefix_(std::move(prefix)) {}
  std::string real(const std::string& name) const;
  client::TopicPartition real(const TopicPartition& partition) const;
  // The text with the names as the file has them.
  std::string shown(std::string text) const;

 private:
  std::string prefix_;
};

// A member of the consumer group protocol (KIP-848), as its heartbeats leave it.
struct ConsumerMember {
  std::vector<std::string> topics;
  Duration rebalance_timeout{};
  std::string member_id;
  std::int32_t epoch = 0;
  std::vector<client::TopicPartition> assignment;
};

struct Actor {
  Actor(std::string actor_name, World& world, TopicNames& names);
  // The same one, which has to be idle, in a copy of its world.
  Actor(const Actor& other, World& world, TopicNames& names);
  bool is_idle() const { return client.is_idle() && !transport.is_holding(); }

  std::string name;
  ObservedTransport transport;
  client::ClusterClient client;
  // The current one is the last; earlier ones may still have a request in flight.
  std::vector<std::unique_ptr<client::TransactionalSession>> sessions;
  std::map<std::string, std::unique_ptr<client::GroupMember>> members;  // by group
  std::map<std::string, ConsumerMember> consumers;                      // likewise
  std::string group;  // the last one that it named
  // Of the open transaction.
  std::set<TopicPartition> added_partitions;
  std::set<std::string> added_groups;
  int transaction = 0;               // its number, of those in which the actor asked for something
  bool is_transaction_used = false;  // it has, in this one

  // The number for what it asks for now.
  int use_transaction() {
    is_transaction_used = true;
    return transaction;
  }
  // What it asks for from now on belongs to another one.
  void leave_transaction() { transaction += std::exchange(is_transaction_used, false) ? 1 : 0; }
};

// Whether the same request may be answered otherwise later.
bool asking_again_can_help(protocol::ErrorCode code);

// A step under way. It lives until its coroutine has ended.
struct StepRun {
  const Step* step = nullptr;
  Actor* actor = nullptr;
  World* world = nullptr;
  const Naming* naming = nullptr;
  const Scenario* scenario = nullptr;
  Fence fence = Fence::none;
  std::vector<std::string> expected_errors;  // these are answers, not reasons to try again
  Answer answer;
  Deeds deeds;
  bool is_done = false;

  const Arguments& arguments() const { return step->arguments; }
  client::CallOptions call_options() const;
  bool is_final(protocol::ErrorCode code) const;
  bool is_final(const Error& error) const;
  // Whether the step is not there for this very outcome.
  bool may_ask_again(const std::string& outcome) const;
  // Others go on while it does.
  bool is_in_background() const { return step->hold.has_value() || step->as.has_value(); }
};

// Does what the step's verb says and leaves the answer in the run.
asio::awaitable<void> perform(StepRun& run);

// The groups of verbs, each in a file of its own; false when the verb is not among them.
asio::awaitable<bool> perform_producer_verb(StepRun& run);
asio::awaitable<bool> perform_group_verb(StepRun& run);
// `join` with protocol consumer.
asio::awaitable<void> join_consumer_group(StepRun& run);
asio::awaitable<bool> perform_read_verb(StepRun& run);
asio::awaitable<bool> perform_admin_verb(StepRun& run);

}  // namespace fencepost::scenario
