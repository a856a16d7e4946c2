// An aborted record is never read as committed. A record is known by its key and value: scenarios
// that watch this give each record a value of its own.
#include "tools/scenario/properties/property.h"
#include "tools/scenario/properties/snapshots.h"

namespace fencepost::scenario {

namespace {

class AbortedRecordsStayHidden : public PropertyOf<AbortedRecordsStayHidden> {
 public:
  void observe(const StepFacts& facts) override {
    for (const ReadFact& read : facts.deeds.reads) {
      const minibroker::PartitionState* partition = facts.find(read.partition);
      if (!read.is_committed || partition == nullptr) continue;
      for (const KeyValue& record : read.records) {
        if (broken_ || !is_aborted_only(*partition, record)) continue;
        broken_ = record.key.value_or("null") + "=" + record.value.value_or("null") + " in " +
                  to_string(read.partition) + " was aborted, and read as committed";
      }
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  static bool is_aborted_only(const minibroker::PartitionState& partition, const KeyValue& record) {
    bool is_aborted = false;
    for (const minibroker::BatchSummary& batch : partition.batches) {
      for (const std::string& text : batch.records) {
        if (shown_record(text) != record) continue;
        if (batch.state != minibroker::BatchState::aborted) return false;
        is_aborted = true;
      }
    }
    return is_aborted;
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_aborted_records_stay_hidden() {
  return std::make_unique<AbortedRecordsStayHidden>();
}

}  // namespace fencepost::scenario
