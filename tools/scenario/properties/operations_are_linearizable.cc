// What was answered has happened, for everybody who asks afterwards: writes lie in the order of
// their answers, a read_uncommitted read shows every record that was acknowledged before it began,
// and what a read has shown, later ones show as well. With acks=-1 Kafka promises all of it. Steps
// in the background have begun earlier than they seem to: what comes of them counts for others
// only.
#include <algorithm>

#include "tools/scenario/properties/property.h"
#include "tools/scenario/properties/snapshots.h"

namespace fencepost::scenario {

namespace {

std::string text_of(const KeyValue& record) {
  return record.key.value_or("null") + "=" + record.value.value_or("null");
}

class OperationsAreLinearizable : public PropertyOf<OperationsAreLinearizable> {
 public:
  void observe(const StepFacts& facts) override {
    for (const WriteFact& write : facts.deeds.writes)
      if (write.base_offset >= 0) take(write);
    for (const ReadFact& read : facts.deeds.reads) {
      const minibroker::PartitionState* partition = facts.find(read.partition);
      const bool is_of_all = read.is_whole && !read.is_in_background;
      if (!is_of_all || partition == nullptr || broken_) continue;
      if (partition->log_start_offset > 0) continue;  // somebody has deleted records
      const bool is_compacted = is_snapshot_topic(facts.scenario, read.partition.topic);
      if (!read.is_committed) look_for_acknowledged(read, is_compacted);
      if (!is_compacted) compare_with_last(read);
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

  void add_memory(Digest& digest) const override {
    for (const auto& [partition, writes] : acknowledged_)
      for (const WriteFact& write : writes) add(digest, write);
    for (const auto& [read, records] : shown_) {
      digest.add(read.first.topic);
      digest.add(read.first.partition);
      digest.add(read.second);
      for (const KeyValue& record : records) digest.add(text_of(record));
    }
  }

 private:
  void take(const WriteFact& write) {
    std::vector<WriteFact>& before = acknowledged_[write.partition];
    for (const WriteFact& it : before) {
      // The same batch again is the same write.
      const bool is_same = it.base_offset == write.base_offset && write.producer_id >= 0 &&
                           it.producer_id == write.producer_id;
      if (is_same) return;
      if (broken_ || write.is_in_background || it.base_offset < write.base_offset) continue;
      broken_ = write.actor + " wrote to offset " + std::to_string(write.base_offset) + " of " +
                to_string(write.partition) + " after " + it.actor + " was told offset " +
                std::to_string(it.base_offset);
    }
    before.push_back(write);
  }

  void look_for_acknowledged(const ReadFact& read, bool is_compacted) {
    for (const WriteFact& write : acknowledged_[read.partition])
      for (const KeyValue& record : write.records) {
        const bool is_there = std::ranges::any_of(read.records, [&](const KeyValue& it) {
          // A newer record of the key may have taken its place.
          return is_compacted ? it.key == record.key : it == record;
        });
        if (broken_ || is_there) continue;
        broken_ = write.actor + " was told that " + text_of(record) + " is at offset " +
                  std::to_string(write.base_offset) + " of " + to_string(read.partition) +
                  ", and a read that came later does not show it";
      }
  }

  void compare_with_last(const ReadFact& read) {
    std::vector<KeyValue>& last = shown_[{read.partition, read.is_committed}];
    const auto end = std::ranges::mismatch(last, read.records).in1;
    if (end != last.end())
      broken_ = "a read of " + to_string(read.partition) + " has shown " + text_of(*end) +
                ", and a later one does not show it there";
    last = read.records;
  }

  std::map<TopicPartition, std::vector<WriteFact>> acknowledged_;
  std::map<std::pair<TopicPartition, bool>, std::vector<KeyValue>> shown_;  // by isolation
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_operations_are_linearizable() {
  return std::make_unique<OperationsAreLinearizable>();
}

}  // namespace fencepost::scenario
