// A recovery finds every snapshot that was committed when it began: what lies below the high
// watermark of that moment. What was open then may be committed while it waits, and counts as well.
#include "tools/scenario/properties/property.h"
#include "tools/scenario/properties/snapshots.h"

namespace fencepost::scenario {

namespace {

class RecoveryIsComplete : public PropertyOf<RecoveryIsComplete> {
 public:
  void observe(const StepFacts& facts) override {
    for (const ReadFact& read : facts.deeds.reads) {
      const minibroker::PartitionState* partition = facts.find(read.partition);
      if (!read.is_recovery || partition == nullptr || broken_) continue;
      std::map<std::string, std::string> found;
      for (const KeyValue& record : read.records) {
        if (!record.key) continue;
        if (record.value)
          found[*record.key] = *record.value;
        else
          found.erase(*record.key);
      }
      for (const auto& [key, value] : committed_state(*partition, read.high_watermark))
        check(read.partition, key, value, found);
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  void check(const TopicPartition& partition, const std::string& key, const std::string& value,
             const std::map<std::string, std::string>& found) {
    const auto at = found.find(key);
    if (broken_ || (at != found.end() && at->second == value)) return;
    broken_ = "a recovery of " + to_string(partition) +
              (at == found.end() ? " missed " + key + "=" + value
                                 : " found " + key + "=" + at->second + " instead of " + value) +
              ", which was committed below its high watermark";
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_recovery_is_complete() {
  return std::make_unique<RecoveryIsComplete>();
}

}  // namespace fencepost::scenario
