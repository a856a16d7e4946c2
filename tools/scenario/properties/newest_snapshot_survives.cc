// The last visible snapshot of a key is its newest: no older state lies on top of it. Newest is the
// one that carries the highest input offset (@N).
#include "tools/scenario/properties/property.h"
#include "tools/scenario/properties/snapshots.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;

class NewestSnapshotSurvives : public PropertyOf<NewestSnapshotSurvives> {
 public:
  void observe(const StepFacts& facts) override {
    broken_.reset();
    for (const minibroker::PartitionState& partition : facts.partitions)
      if (is_snapshot_topic(facts.scenario, partition.topic)) look_at(partition);
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  void look_at(const minibroker::PartitionState& partition) {
    std::map<std::string, std::int64_t> newest;
    for (const minibroker::BatchSummary& batch : partition.batches) {
      if (batch.state != BatchState::plain && batch.state != BatchState::committed) continue;
      for (const std::string& text : batch.records) {
        const KeyValue record = shown_record(text);
        const auto offset = snapshot_offset(record.value.value_or(""));
        if (!record.key || !offset) continue;
        const auto [at, is_new] = newest.emplace(*record.key, *offset);
        at->second = std::max(at->second, *offset);
      }
    }
    for (const auto& [key, value] : committed_state(partition, partition.last_stable_offset)) {
      const auto offset = snapshot_offset(value);
      const auto at = newest.find(key);
      if (broken_ || !offset || at == newest.end() || *offset >= at->second) continue;
      broken_ = "the last visible snapshot of " + key + " in " + partition.topic + "-" +
                std::to_string(partition.index) + " is " + value + "; a newer one, @" +
                std::to_string(at->second) + ", lies below it";
    }
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_newest_snapshot_survives() {
  return std::make_unique<NewestSnapshotSurvives>();
}

}  // namespace fencepost::scenario
