// Where the claims of the single writer are checked: by one body on minibrokers of several releases
// in virtual time, and over TCP on the cluster that FENCEPOST_BOOTSTRAP names. What is looked at is
// what any client can see: watermarks, committed records, the group's offset.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "client/reader.h"
#include "fencing/partition_owner.h"
#include "tests/fencing/owner_world.h"
#include "tests/group_driver.h"

namespace fencepost::tests {

// Releases to simulate, or the one real cluster as HOST:PORT.
std::vector<std::string> clusters();

// A cluster and a protocol that it has. PROTOCOLS ("eager consumer") limits them.
struct Place {
  std::string cluster;
  client::GroupProtocol protocol = client::GroupProtocol::eager;
};
std::ostream& operator<<(std::ostream& out, const Place& place);
std::vector<Place> places();

// Topics of three partitions and a group, new for each world.
struct ClaimWorld : LiveCluster {
  explicit ClaimWorld(const std::string& cluster);
  ~ClaimWorld();

  bool is_simulated() const { return world->cluster() != nullptr; }
  // Lets time pass until it is so, but not for ever; whether it is.
  bool wait_for(const std::function<bool()>& done);
  void wait(Duration duration) { world->advance(duration); }
  void create_topic(const std::string& topic);

  fencing::PartitionOwnerOptions owner_options(int partition = 0) const;
  std::unique_ptr<fencing::PartitionOwner> owner(Member& member, int partition = 0);
  std::unique_ptr<fencing::PartitionOwner> owner(Member& member,
                                                 fencing::PartitionOwnerOptions options);
  fencing::TakenOver take_over(fencing::PartitionOwner& owner);
  fencing::WriteOutcome write(fencing::PartitionOwner& owner, const std::string& key,
                              const std::string& value);
  // A transaction with a record in the snapshots, open; of who has nothing to do with the group.
  std::unique_ptr<client::TransactionalProducer> open_transaction(const std::string& id,
                                                                  const std::string& key,
                                                                  const std::string& value);

  // What the group has committed, -1 for nothing; `is_stable`: waits for transactions that hold it.
  std::int64_t group_offset(int partition = 0, bool is_stable = true);
  std::int64_t high_watermark(int partition = 0);
  std::int64_t last_stable_offset(int partition = 0);
  // Whether each transaction on the partition has ended, by one look at it.
  bool nothing_is_open(int partition = 0);
  // The same once the markers are written that a decision, which is answered before, still owes.
  bool nothing_stays_open(int partition = 0) {
    return wait_for([this, partition] { return nothing_is_open(partition); });
  }
  // "k0=v k1=w": the newest committed value of each key.
  std::string state(int partition = 0);

 private:
  std::int64_t listed(const client::TopicPartition& partition, std::int64_t timestamp,
                      client::IsolationLevel isolation_level);
};

// One process of an application: a live member, and owners of the partitions that it is given, who
// are released in the revoke callback.
struct Process {
  Process(ClaimWorld& in, Owners& owners, const std::string& name, client::GroupProtocol protocol);

  // Joins; whether it has come to own that many partitions.
  bool join(std::size_t partitions);
  // Takes over what the member owns.
  void take_over();
  fencing::WriteOutcome write(int partition, const std::string& key, const std::string& value);
  void stop() { member.stop_and_wait(); }
  // Nothing of it comes through any more, and it does not know.
  void go_silent() { member.gate.close(); }
  // The group has thrown it out, and it has heard of it.
  bool hears_that_it_is_out();

  ClaimWorld& world;
  Gate gate;  // of the owners
  client::ClusterClient data;
  GroupDriver member;
  std::map<int, std::unique_ptr<fencing::PartitionOwner>> owned;
  std::map<int, fencing::WriteOutcome> given_up;  // how the last commit in the callback ended
};

std::string text_of(const fencing::Recovery& recovery);

}  // namespace fencepost::tests
