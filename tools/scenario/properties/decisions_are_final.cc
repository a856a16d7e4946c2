// A batch that a marker has committed or aborted stays so, and stays in the log: nobody may be
// shown the one end of a transaction today and the other, or none, tomorrow.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;
using minibroker::BatchSummary;

const char* word_for(BatchState state) {
  return state == BatchState::committed ? "committed" : "aborted";
}

class DecisionsAreFinal : public PropertyOf<DecisionsAreFinal> {
 public:
  void observe(const StepFacts& facts) override {
    for (const minibroker::PartitionState& partition : facts.partitions) {
      if (partition.leader_id < 0) continue;  // nobody shows anything of it now
      const TopicPartition name{partition.topic, partition.index};
      std::map<std::int64_t, BatchSummary>& decided = decided_[name];
      std::map<std::int64_t, BatchSummary> now;
      for (const BatchSummary& batch : partition.batches) now[batch.base_offset] = batch;
      for (const auto& [offset, batch] : decided)
        if (offset >= partition.log_start_offset) compare(name, batch, now);
      for (const auto& [offset, batch] : now)
        if (is_decided(batch, partition)) decided.try_emplace(offset, batch);
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  static bool is_decided(const BatchSummary& batch, const minibroker::PartitionState& partition) {
    const bool has_marker =
        batch.state == BatchState::committed || batch.state == BatchState::aborted;
    return has_marker && batch.last_offset < partition.last_stable_offset;
  }

  void compare(const TopicPartition& partition, const BatchSummary& before,
               const std::map<std::int64_t, BatchSummary>& now) {
    if (broken_) return;
    const auto at = now.find(before.base_offset);
    const bool is_there = at != now.end() && at->second.producer_id == before.producer_id &&
                          at->second.producer_epoch == before.producer_epoch;
    if (is_there && at->second.state == before.state) return;
    broken_ = "offset " + std::to_string(before.base_offset) + " of " + to_string(partition) +
              " was " + word_for(before.state) + ", and is " + (is_there ? "not any more" : "lost");
  }

  std::map<TopicPartition, std::map<std::int64_t, BatchSummary>> decided_;
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_decisions_are_final() {
  return std::make_unique<DecisionsAreFinal>();
}

}  // namespace fencepost::scenario
