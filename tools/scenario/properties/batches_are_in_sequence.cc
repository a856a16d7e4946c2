// The batches of a producer are in the log in the order of their sequence numbers, without gaps and
// without repeats. What the log no longer holds, or a leader never knew, leaves nothing to compare.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchSummary;

class BatchesAreInSequence : public PropertyOf<BatchesAreInSequence> {
 public:
  void observe(const StepFacts& facts) override {
    for (const minibroker::PartitionState& partition : facts.partitions) {
      std::map<std::pair<std::int64_t, std::int16_t>, std::int64_t> next;
      for (const BatchSummary& batch : partition.batches) {
        if (batch.producer_id < 0 || batch.base_sequence < 0) continue;
        const auto [at, is_first] =
            next.try_emplace({batch.producer_id, batch.producer_epoch}, batch.base_sequence);
        if (!broken_ && batch.base_sequence != at->second)
          broken_ = "offset " + std::to_string(batch.base_offset) + " of " + partition.topic + "-" +
                    std::to_string(partition.index) + " has sequence " +
                    std::to_string(batch.base_sequence) + ", and " + std::to_string(at->second) +
                    " was to come";
        at->second = batch.base_sequence + batch.last_offset - batch.base_offset + 1;
      }
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_batches_are_in_sequence() {
  return std::make_unique<BatchesAreInSequence>();
}

}  // namespace fencepost::scenario
