// The last stable offset never passes an open transaction: what is above it may still be aborted.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

class LastStableOffsetWaitsForOpenTransactions
    : public PropertyOf<LastStableOffsetWaitsForOpenTransactions> {
 public:
  void observe(const StepFacts& facts) override {
    for (const minibroker::PartitionState& partition : facts.partitions)
      for (const minibroker::BatchSummary& batch : partition.batches) {
        if (broken_ || batch.state != minibroker::BatchState::open ||
            batch.base_offset >= partition.last_stable_offset)
          continue;
        broken_ = "the last stable offset of " + partition.topic + "-" +
                  std::to_string(partition.index) + " is " +
                  std::to_string(partition.last_stable_offset) +
                  ", above the open transaction at " + std::to_string(batch.base_offset);
      }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_last_stable_offset_waits_for_open_transactions() {
  return std::make_unique<LastStableOffsetWaitsForOpenTransactions>();
}

}  // namespace fencepost::scenario
