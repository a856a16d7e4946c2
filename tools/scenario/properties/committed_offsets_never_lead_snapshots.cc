// No committed offset of an input partition is ahead of the snapshot that a new owner would load
// from the snapshot partition of the same index: what lies between would be lost for ever.
#include "tools/scenario/properties/property.h"
#include "tools/scenario/properties/snapshots.h"

namespace fencepost::scenario {

namespace {

class CommittedOffsetsNeverLeadSnapshots : public PropertyOf<CommittedOffsetsNeverLeadSnapshots> {
 public:
  void observe(const StepFacts& facts) override {
    broken_.reset();
    for (const minibroker::PartitionState& partition : facts.partitions) {
      if (!is_snapshot_topic(facts.scenario, partition.topic)) continue;
      std::optional<std::int64_t> loaded;
      for (const auto& [key, value] : committed_state(partition, partition.last_stable_offset))
        if (const auto offset = snapshot_offset(value))
          loaded = std::max(loaded.value_or(*offset), *offset);
      if (loaded) compare(facts, partition, *loaded);
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  void compare(const StepFacts& facts, const minibroker::PartitionState& snapshots,
               std::int64_t loaded) {
    for (const minibroker::GroupState& group : facts.cluster.groups()) {
      for (const minibroker::CommittedOffset& committed : group.offsets) {
        if (broken_ || committed.is_pending || committed.partition != snapshots.index ||
            is_snapshot_topic(facts.scenario, committed.topic) || committed.offset <= loaded)
          continue;
        broken_ = "group " + group.group_id + " has committed " + committed.topic + "-" +
                  std::to_string(committed.partition) + " at " + std::to_string(committed.offset) +
                  ", but the snapshot in " + snapshots.topic + "-" +
                  std::to_string(snapshots.index) + " ends at " + std::to_string(loaded);
      }
    }
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_committed_offsets_never_lead_snapshots() {
  return std::make_unique<CommittedOffsetsNeverLeadSnapshots>();
}

}  // namespace fencepost::scenario
