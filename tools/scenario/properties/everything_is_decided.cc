// Liveness, to be asked when faults have stopped and the time of the longest transaction has
// passed: no transaction is open, at no coordinator and in no partition, and every reader may read
// to the end.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

class EverythingIsDecided : public PropertyOf<EverythingIsDecided> {
 public:
  void observe(const StepFacts& facts) override {
    broken_.reset();
    for (const minibroker::TransactionState& it : facts.cluster.transactions())
      if (is_under_way(it.state)) broken_ = it.transactional_id + " is still in " + it.state;
    for (const minibroker::PartitionState& it : facts.partitions) {
      const std::string name = it.topic + "-" + std::to_string(it.index);
      if (it.leader_id < 0)
        broken_ = name + " has no leader";
      else if (it.last_stable_offset != it.log_end_offset)
        broken_ = "the last stable offset of " + name + " stands at " +
                  std::to_string(it.last_stable_offset) + ", its log ends at " +
                  std::to_string(it.log_end_offset);
    }
    for (const minibroker::GroupState& group : facts.cluster.groups())
      for (const minibroker::CommittedOffset& it : group.offsets)
        if (it.is_pending)
          broken_ = "group " + group.group_id + " has an offset of " + it.topic + "-" +
                    std::to_string(it.partition) + " that is neither committed nor aborted";
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  static bool is_under_way(const std::string& state) {
    return state == "Ongoing" || state == "PrepareCommit" || state == "PrepareAbort" ||
           state == "PrepareEpochFence";
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_everything_is_decided() {
  return std::make_unique<EverythingIsDecided>();
}

}  // namespace fencepost::scenario
