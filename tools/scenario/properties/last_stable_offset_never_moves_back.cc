// The last stable offset of a partition only grows: what a read_committed reader was once shown
// stays shown.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

class LastStableOffsetNeverMovesBack : public PropertyOf<LastStableOffsetNeverMovesBack> {
 public:
  void observe(const StepFacts& facts) override {
    for (const minibroker::PartitionState& partition : facts.partitions) {
      const TopicPartition name{partition.topic, partition.index};
      const auto [at, is_new] = highest_.emplace(name, partition.last_stable_offset);
      if (!broken_ && partition.last_stable_offset < at->second)
        broken_ = "the last stable offset of " + to_string(name) + " moved back from " +
                  std::to_string(at->second) + " to " +
                  std::to_string(partition.last_stable_offset);
      at->second = std::max(at->second, partition.last_stable_offset);
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  std::map<TopicPartition, std::int64_t> highest_;
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_last_stable_offset_never_moves_back() {
  return std::make_unique<LastStableOffsetNeverMovesBack>();
}

}  // namespace fencepost::scenario
