// A transaction has one marker in each of its partitions. It may rightly have two where a
// coordinator has crashed or an answer between brokers was lost: a scenario without those can watch
// this.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;
using minibroker::BatchSummary;

class MarkersComeOnce : public PropertyOf<MarkersComeOnce> {
 public:
  void observe(const StepFacts& facts) override {
    for (const minibroker::PartitionState& partition : facts.partitions) {
      std::map<std::int64_t, BatchSummary> last;  // by producer id
      for (const BatchSummary& batch : partition.batches) {
        const auto before = last.find(batch.producer_id);
        if (!broken_ && before != last.end() && is_marker(batch) &&
            before->second.state == batch.state &&
            before->second.producer_epoch == batch.producer_epoch)
          broken_ = "the marker at offset " + std::to_string(batch.base_offset) + " of " +
                    partition.topic + "-" + std::to_string(partition.index) +
                    " ends what the one at " + std::to_string(before->second.base_offset) +
                    " has ended";
        last[batch.producer_id] = batch;
      }
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  static bool is_marker(const BatchSummary& batch) {
    return batch.state == BatchState::commit_marker || batch.state == BatchState::abort_marker;
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_markers_come_once() {
  return std::make_unique<MarkersComeOnce>();
}

}  // namespace fencepost::scenario
