// A pair of producer id and epoch writes for one actor only: the epoch is a fencing token.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

class OneEpochOneWriter : public PropertyOf<OneEpochOneWriter> {
 public:
  void observe(const StepFacts& facts) override {
    for (const WriteFact& write : facts.deeds.writes) {
      if (write.producer_id < 0) continue;
      const auto [at, is_new] =
          writers_.emplace(std::pair(write.producer_id, write.producer_epoch), write.actor);
      if (broken_ || at->second == write.actor) continue;
      broken_ = "producer " + std::to_string(write.producer_id) + "/" +
                std::to_string(write.producer_epoch) + " wrote for " + at->second + " and for " +
                write.actor;
    }
  }

  std::optional<std::string> broken() const override { return broken_; }

  void add_memory(Digest& digest) const override {
    // Producer ids are only counted up: in which order does not matter.
    std::set<std::pair<std::string, std::int64_t>> epochs;
    for (const auto& [producer, writer] : writers_) epochs.emplace(writer, producer.second);
    for (const auto& [writer, epoch] : epochs) {
      digest.add(writer);
      digest.add(epoch);
    }
  }

 private:
  std::map<std::pair<std::int64_t, std::int16_t>, std::string> writers_;
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_one_epoch_one_writer() {
  return std::make_unique<OneEpochOneWriter>();
}

}  // namespace fencepost::scenario
