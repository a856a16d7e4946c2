// What the symbols of a program stand for on one cluster: filled in before a request is sent,
// learned from each answer, and put back into the answer before it is compared.
//
//   "~x"                  a name of this play alone: a topic, group, transactional id, ...
//   "$producer t"         the producer id that t was given; -1 before. "$former t": the one before
//   "$epoch t +1"         its epoch, and so many more
//   "$member m"           the member id that m was given; empty before
//   "$generation m -1"    the generation or member epoch of m; -1 before. "$earlier m": the last
//   one
//   "$owned m"            what the group has assigned to m, as ConsumerGroupHeartbeat lists it
//   "$session f", "$session_epoch f +1"   the fetch session of f
//   "$topic x"            the id of topic ~x
//   "$broker"             the id of the broker that leads the topics
//   {"$batch": {...}}     a record batch (batch.h); {"$subscription": {...}}, {"$assignment":
//   {...}}
//                         what consumers keep inside the group protocol
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "tools/conform/program.h"

namespace fencepost::conform {

class Bindings {
 public:
  // `prefix` makes the names of this play its own; letters, digits and dashes.
  Bindings(std::string prefix, int broker_id) : prefix_(std::move(prefix)), broker_id_(broker_id) {}

  // The request of the step in Kafka's JSON form, as its version has it. Errors: malformed for a
  // symbol that is none.
  Result<std::string> request(const Step& step);
  // Remembers what the answer to the step gives.
  void learn(const Step& step, const nlohmann::json& answer);
  // The answer with symbols for what differs between two clusters, and without what carries no
  // meaning here: times, addresses, texts for people, the order of lists.
  std::string comparable(const Step& step, const nlohmann::json& answer) const;

  std::string real(const std::string& name) const { return prefix_ + name; }
  const std::string& prefix() const { return prefix_; }
  void set_topic_id(const std::string& topic, const std::string& id) { topic_ids_[topic] = id; }

 private:
  friend class Filling;
  friend class Showing;

  struct Producer {
    std::int64_t id = -1;
    std::int64_t former_id = -1;
    std::int16_t epoch = -1;
  };
  struct Member {
    std::string id;
    std::int32_t generation = -1;
    std::int32_t earlier_generation = -1;
    std::string owned;  // JSON; empty: nothing assigned yet
  };
  struct Session {
    std::int32_t id = 0;
    std::int32_t epoch = 0;
  };
  // Of a producer in one partition.
  struct Sequence {
    std::int32_t next = 0;
    int last_count = 1;  // records of the last batch that was taken
  };
  struct SentBatch {
    std::string producer;
    std::string place;
    Sequence sequence;  // when it is taken
  };

  void learn_producer(const std::string& actor, const nlohmann::json& answer);
  void learn_sequences(const nlohmann::json& answer);
  void learn_classic_member(const std::string& actor, const nlohmann::json& answer);
  void learn_consumer_member(const std::string& actor, const nlohmann::json& answer);
  void learn_topics(const nlohmann::json& answer);

  std::string prefix_;
  int broker_id_;
  std::map<std::string, Producer> producers_;
  std::map<std::string, Member> members_;
  std::map<std::string, Session> sessions_;
  std::map<std::string, std::string> topic_ids_;                      // by name, without prefix
  std::map<std::string, std::map<std::string, Sequence>> sequences_;  // by producer and place
  std::vector<SentBatch> sent_batches_;                               // of the last request
  // Every id that was ever given, and what it is shown as.
  std::map<std::int64_t, std::string> producer_symbols_;
  std::map<std::string, std::string> member_symbols_;
};

}  // namespace fencepost::conform
