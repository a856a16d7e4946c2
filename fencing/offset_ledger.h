// Which input offset may be committed: the newest one whose snapshots are all committed, or in the
// transaction that commits it. A plain value.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace fencepost::fencing {

class OffsetLedger {
 public:
  explicit OffsetLedger(std::int64_t assigned_offset) : committed_(assigned_offset) {}

  // A write begins; its number, counted from 1.
  std::int64_t begin_write() { return ++last_write_; }
  // Everything below `offset` is in writes that have begun.
  void advance(std::int64_t offset);
  // That write is in the transaction under way. Writes get there in the order of their numbers.
  void include(std::int64_t write, const std::string& key);
  // The offset that this transaction may commit.
  std::int64_t committable() const;
  // How the transaction ended: with `offset`, or without effect.
  void commit(std::int64_t offset);
  void abort();

  std::int64_t committed() const { return committed_; }

 private:
  struct Mark {
    std::int64_t offset = 0;
    std::int64_t last_write = 0;  // what it covers
  };

  std::int64_t committed_;
  std::int64_t last_write_ = 0;
  std::int64_t included_ = 0;                    // every write up to here had its transaction
  std::deque<Mark> marks_;                       // ascending
  std::map<std::string, std::int64_t> missing_;  // by key, the first write that was not committed
  std::map<std::string, std::int64_t> pending_;  // the same for the transaction under way
};

}  // namespace fencepost::fencing
