// How programs are drawn: families of steps, each with a weight of its own in every program, so
// that some programs are mostly transactions and others mostly groups (swarm testing). Most steps
// are what a well-behaved client does next; the others are stale, wrong or out of order.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "protocol/base/random.h"
#include "tools/conform/program.h"

namespace fencepost::conform {

class Generator {
 public:
  Generator(std::uint64_t seed, const Offer& offer)
      : offer_(offer), random_(seed, "conform program") {
    program_.seed = seed;
  }

  Program draw(int step_count);

 private:
  using json = nlohmann::json;
  using Texts = std::initializer_list<const char*>;
  using Family = void (Generator::*)();
  static constexpr protocol::Versions any_version = protocol::since(0);

  // ---- drawing

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_.below(bound)); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  std::string pick(Texts texts) { return *(texts.begin() + below(texts.size())); }
  // The usual one in so many of a hundred cases.
  std::string mostly(const char* usual, std::size_t percent, Texts others) {
    return chance(percent) ? usual : pick(others);
  }
  // A version that both sides answer, the highest one more often; nothing when there is none.
  std::optional<int> version(protocol::ApiKey api, protocol::Versions wanted = any_version);
  // Adds a step; not when no version will do. Draws the version, after all of the body.
  bool add(protocol::ApiKey api, protocol::Versions wanted, std::string actor, const json& body);
  bool add(protocol::ApiKey api, std::optional<int> version, std::string actor, const json& body);

  // ---- the world of a program

  std::string topic() { return mostly("x", 60, {"y"}); }
  json partition() { return below(2); }
  std::string transactional_id() { return mostly("t", 60, {"u", "v"}); }
  void create_topics();
  void read_everything();

  // ---- families

  void transaction_step();
  void init_producer_id(const std::string& id);
  void idempotent_producer();
  void add_partitions(const std::string& id);
  void produce(const std::string& id);
  json produce_topics(const std::string& id, bool is_transactional);
  void add_offsets(const std::string& id);
  void txn_offset_commit(const std::string& id);
  void end_txn(const std::string& id);
  void write_markers(const std::string& id);
  void describe_transaction_state();

  void read_step();
  void list_offsets();
  void fetch();
  void fetch_in_session();
  void leader_epoch();
  void delete_records();
  void describe_producers();

  void group_step();
  void join_group(const std::string& member);
  void sync_group(const std::string& member);
  void heartbeat(const std::string& member);
  void leave_group(const std::string& member);
  void rejoin_all();
  void offset_commit();
  void offset_fetch();
  void describe_groups();

  void consumer_step();
  void consumer_heartbeat(const std::string& member);

  void admin_step();
  void topic_step();
  void config_step();
  void acl_step();

  const Offer& offer_;
  Random random_;
  Program program_;
  std::set<std::string> initialized_;  // transactional ids that have asked for a producer id
};

}  // namespace fencepost::conform
