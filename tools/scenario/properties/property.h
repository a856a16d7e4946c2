// Named properties of a run: what must hold however the messages fall. Each has a file of its own;
// a run asks after every step or at its end, and remembers the first way in which one is broken.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/cluster.h"
#include "protocol/base/digest.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

// A partition that somebody read, with what the read showed.
struct ReadFact {
  TopicPartition partition;
  bool is_committed = false;         // read_committed
  bool is_recovery = false;          // meant to find all that was committed when it began
  std::int64_t high_watermark = -1;  // of a recovery, when it began
  std::vector<KeyValue> records;
  bool is_whole = false;          // from the beginning to the end, and by a good reader
  bool is_in_background = false;  // it began before other steps
};

// A batch that an actor wrote and got acknowledged.
struct WriteFact {
  std::string actor;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  TopicPartition partition;
  std::int64_t base_offset = -1;
  int transaction = 0;  // of this actor: the one in which the request was made
  std::vector<KeyValue> records;
  bool is_in_background = false;  // it began before other steps
};

void add(Digest& digest, const WriteFact& write);

// The end of a transaction that an actor asked for, and that the coordinator said yes to.
struct EndFact {
  std::string actor;
  int transaction = 0;
  bool is_commit = false;
};

// A commit of offsets that the group refused, and the member that the actor was when it asked.
struct RefusalFact {
  std::string actor;
  std::string group;
  std::string member_id;
  std::int32_t generation = -1;  // the actor's own, whatever it showed
  std::string error;
};

// What actors did, since the last look.
struct Deeds {
  std::vector<ReadFact> reads;
  std::vector<WriteFact> writes;
  std::vector<EndFact> ends;
  std::vector<RefusalFact> refusals;

  // Appends what the other has, which has nothing then.
  void take(Deeds& other);
};

// What a step left behind: the cluster as it is, and what was done by actors.
struct StepFacts {
  const minibroker::Cluster& cluster;
  const Scenario& scenario;
  const std::vector<minibroker::PartitionState>& partitions;  // of the cluster
  Deeds deeds;

  // nullptr when there is no such partition.
  const minibroker::PartitionState* find(const TopicPartition& partition) const;
};

class Property {
 public:
  virtual ~Property() = default;
  // Takes in what a step did; called after every step, whenever the property is asked.
  virtual void observe(const StepFacts& facts) = 0;
  // Why it does not hold at this moment; nothing when it does.
  virtual std::optional<std::string> broken() const = 0;
  // What it remembers of actors, and may hold against what comes later. What it has seen of the
  // cluster needs no mention: as long as it holds, that is still there.
  virtual void add_memory(Digest&) const {}
  // Another one that has seen the same.
  virtual std::unique_ptr<Property> copy() const = 0;
};

// What each of them derives from.
template <class Derived>
class PropertyOf : public Property {
 public:
  std::unique_ptr<Property> copy() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

std::unique_ptr<Property> make_aborted_records_stay_hidden();
std::unique_ptr<Property> make_last_stable_offset_never_moves_back();
std::unique_ptr<Property> make_last_stable_offset_waits_for_open_transactions();
std::unique_ptr<Property> make_decisions_are_final();
std::unique_ptr<Property> make_all_or_nothing();
std::unique_ptr<Property> make_batches_are_in_sequence();
std::unique_ptr<Property> make_markers_come_once();
std::unique_ptr<Property> make_everything_is_decided();
std::unique_ptr<Property> make_owners_are_not_refused();
std::unique_ptr<Property> make_one_epoch_one_writer();
std::unique_ptr<Property> make_recovery_is_complete();
std::unique_ptr<Property> make_operations_are_linearizable();
std::unique_ptr<Property> make_newest_snapshot_survives();
std::unique_ptr<Property> make_committed_offsets_never_lead_snapshots();

// A new one of that name, which has to exist.
std::unique_ptr<Property> make_property(const std::string& name);

}  // namespace fencepost::scenario
