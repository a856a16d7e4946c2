// All of a transaction or nothing of it, and as it was answered: no two batches of one transaction
// end differently, and none ends otherwise than its actor was told.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

using minibroker::BatchState;
using minibroker::BatchSummary;

const char* word_for(bool is_commit) {
  return is_commit ? "committed" : "aborted";
}

class AllOrNothing : public PropertyOf<AllOrNothing> {
 public:
  void observe(const StepFacts& facts) override {
    for (const WriteFact& write : facts.deeds.writes)
      if (write.producer_id >= 0 && write.base_offset >= 0)
        transactions_[{write.actor, write.transaction}].writes.push_back(write);
    for (const EndFact& end : facts.deeds.ends)
      transactions_[{end.actor, end.transaction}].answered = end.is_commit;
    for (const auto& [key, transaction] : transactions_)
      if (!broken_) look_at(key.first, transaction, facts);
  }

  std::optional<std::string> broken() const override { return broken_; }

  void add_memory(Digest& digest) const override {
    for (const auto& [key, transaction] : transactions_) {
      digest.add(key.first);
      digest.add(key.second);
      digest.add(transaction.answered ? 1 + *transaction.answered : 0);
      for (const WriteFact& write : transaction.writes) add(digest, write);
    }
  }

 private:
  struct Transaction {
    std::vector<WriteFact> writes;
    std::optional<bool> answered;  // true: committed
  };

  // Whether the batch is committed; nothing while it is open, or when it is not there.
  static std::optional<bool> end_of(const WriteFact& write, const StepFacts& facts) {
    const minibroker::PartitionState* partition = facts.find(write.partition);
    if (partition == nullptr) return std::nullopt;
    for (const BatchSummary& batch : partition->batches) {
      const bool is_it = batch.base_offset == write.base_offset &&
                         batch.producer_id == write.producer_id &&
                         batch.producer_epoch == write.producer_epoch;
      if (is_it && batch.state == BatchState::committed) return true;
      if (is_it && batch.state == BatchState::aborted) return false;
    }
    return std::nullopt;
  }

  void look_at(const std::string& actor, const Transaction& transaction, const StepFacts& facts) {
    std::optional<bool> first = transaction.answered;
    std::string by = "what " + actor + " was told";
    for (const WriteFact& write : transaction.writes) {
      const std::optional<bool> end = end_of(write, facts);
      if (!end) continue;
      const std::string place =
          "offset " + std::to_string(write.base_offset) + " of " + to_string(write.partition);
      if (first && *first != *end) {
        broken_ = place + " is " + word_for(*end) + "; the transaction is " + word_for(*first) +
                  ", by " + by;
        return;
      }
      first = end;
      by = place;
    }
  }

  std::map<std::pair<std::string, int>, Transaction> transactions_;
  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_all_or_nothing() {
  return std::make_unique<AllOrNothing>();
}

}  // namespace fencepost::scenario
