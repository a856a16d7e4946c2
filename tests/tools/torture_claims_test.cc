// The claims that a torture is checked by: each is broken here by hand once.
#include "tools/torture/claims.h"

#include "tests/catch.h"

using namespace fencepost::tools;

namespace {

// Three events of key k, and a snapshot after the second and the third.
SeenPartition good() {
  SeenPartition partition;
  partition.events = {{0, "k", "5"}, {2, "k", "1"}, {3, "k", "1"}};
  partition.snapshots = {{0, "k", "count=2 sum=6 last_offset=2"},
                         {2, "k", "count=3 sum=7 last_offset=3"}};
  partition.committed_offset = 4;
  return partition;
}

}  // namespace

TEST_CASE("What is in order breaks no claim", "[torture]") {
  CHECK(broken_claims(good()).empty());
  SeenPartition behind = good();
  behind.snapshots.pop_back();
  behind.committed_offset = 3;
  CHECK(broken_claims(behind).empty());
}

TEST_CASE("A snapshot that lacks an event is wrong", "[torture]") {
  SeenPartition partition = good();
  partition.snapshots.back().value = "count=2 sum=6 last_offset=3";
  CHECK(broken_claims(partition) ==
        std::vector<std::string>{"state-0, offset 2: key k is 'count=2 sum=6 last_offset=3', the "
                                 "events give 'count=3 sum=7 last_offset=3'"});
}

TEST_CASE("An older snapshot behind a newer one is wrong", "[torture]") {
  SeenPartition partition = good();
  std::swap(partition.snapshots[0].value, partition.snapshots[1].value);
  const auto broken = broken_claims(partition);
  REQUIRE(broken.size() == 2);
  CHECK(broken[0] == "state-0, offset 2: key k goes back from event 3 to event 2");
  CHECK(broken[1] ==
        "in-0: the group has committed 4, but event 3 of key k is in no snapshot that survives");
}

TEST_CASE("An offset that leads the snapshots is wrong", "[torture]") {
  SeenPartition partition = good();
  partition.snapshots.clear();
  CHECK(broken_claims(partition).size() == 3);
}
