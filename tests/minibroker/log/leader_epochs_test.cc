#include "minibroker/log/leader_epochs.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

LeaderEpochs epochs_1_3_4() {
  LeaderEpochs epochs;
  epochs.begin(1, 10);
  epochs.begin(3, 20);
  epochs.begin(4, 30);
  return epochs;
}

TEST_CASE("An epoch ends where the next begins, the last one at the log end", "[log][epochs]") {
  const LeaderEpochs epochs = epochs_1_3_4();
  CHECK(epochs.end_offset_for(1, 99) == EpochEndOffset{1, 20});
  CHECK(epochs.end_offset_for(4, 99) == EpochEndOffset{4, 99});
}

TEST_CASE("For an epoch that wrote nothing the one before it answers", "[log][epochs]") {
  CHECK(epochs_1_3_4().end_offset_for(2, 99) == EpochEndOffset{1, 20});
}

TEST_CASE("An epoch older than all ends where the oldest begins", "[log][epochs]") {
  CHECK(epochs_1_3_4().end_offset_for(0, 99) == EpochEndOffset{0, 10});
}

TEST_CASE("An epoch newer than all has no end", "[log][epochs]") {
  CHECK(epochs_1_3_4().end_offset_for(5, 99) == EpochEndOffset{-1, -1});
  CHECK(epochs_1_3_4().end_offset_for(-1, 99) == EpochEndOffset{-1, -1});
  CHECK(LeaderEpochs().end_offset_for(0, 99) == EpochEndOffset{-1, -1});
}

TEST_CASE("An epoch that is known or older changes nothing", "[log][epochs]") {
  LeaderEpochs epochs = epochs_1_3_4();
  epochs.begin(4, 40);
  epochs.begin(2, 50);
  CHECK(epochs == epochs_1_3_4());
}

TEST_CASE("An epoch that begins where the last one did takes its place", "[log][epochs]") {
  LeaderEpochs epochs = epochs_1_3_4();
  epochs.begin(7, 30);
  CHECK(epochs.entries().back() == LeaderEpochs::Entry{7, 30});
  CHECK(epochs.entries().size() == 3);
  CHECK_FALSE(epochs.start_offset_of(4).has_value());
}

TEST_CASE("Offsets know their epoch", "[log][epochs]") {
  const LeaderEpochs epochs = epochs_1_3_4();
  CHECK_FALSE(epochs.epoch_at(9).has_value());
  CHECK(epochs.epoch_at(10) == 1);
  CHECK(epochs.epoch_at(29) == 3);
  CHECK(epochs.epoch_at(1000) == 4);
}

TEST_CASE("Truncation forgets epochs that began at or after the end", "[log][epochs]") {
  LeaderEpochs epochs = epochs_1_3_4();
  epochs.truncate_to(20);
  CHECK(epochs.latest() == 1);
  epochs.truncate_to(0);
  CHECK_FALSE(epochs.latest().has_value());
}

TEST_CASE("A log start inside an epoch becomes that epoch's start", "[log][epochs]") {
  LeaderEpochs epochs = epochs_1_3_4();
  epochs.log_starts_at(25);
  CHECK(epochs.entries() == std::vector<LeaderEpochs::Entry>{{3, 25}, {4, 30}});
  epochs.log_starts_at(5);
  CHECK(epochs.entries().front() == LeaderEpochs::Entry{3, 25});
}

}  // namespace
}  // namespace fencepost::minibroker
