// The files of one partition, kept in line with its log: segments with their indexes, producer
// snapshots and leader epochs, as Kafka lays them out. They follow the log from outside, step by
// step: a log that has no files does nothing for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "minibroker/log/partition_log.h"
#include "minibroker/log/segment_indexer.h"
#include "minibroker/log/storage.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

constexpr std::size_t segment_name_digits = 20;
// "orders-0/00000000000000000042.log": `suffix` with its dot.
std::string segment_path(const std::string& folder, std::int64_t offset, const std::string& suffix);
// Of a cleaned segment that is complete, until those that it replaces are gone.
inline constexpr const char* swap_suffix = ".log.swap";

class LogFiles {
 public:
  // What is in the files of a segment, oldest first; the last one is appended to.
  struct Opened {
    std::vector<std::int64_t> base_offsets;
    SegmentIndexer indexer{0};
    std::int64_t end_offset = 0;
    std::vector<LeaderEpochs::Entry> epochs;
  };

  // Of a partition whose folder is still to be made.
  static LogFiles create(std::string folder, const Uuid& topic_id, PartitionLog& log,
                         Storage& storage);
  // Of a partition that recovery has looked at.
  static LogFiles open(std::string folder, Opened opened, PartitionLog& log);

  // Makes the files what the log is now. Costs little when nothing has changed.
  void write(PartitionLog& log, Storage& storage);
  // The broker ends: completes the indexes and keeps what is known of the producers.
  void close(const PartitionLog& log, Storage& storage);

  const std::string& folder() const { return folder_; }
  // Everything below has been written.
  std::int64_t end_offset() const { return end_offset_; }

 private:
  explicit LogFiles(std::string folder) : folder_(std::move(folder)) {}

  std::string path(std::int64_t offset, const std::string& suffix) const {
    return segment_path(folder_, offset, suffix);
  }
  void begin_segment(std::int64_t base_offset, Storage& storage);
  void write_batches(const PartitionLog& log, Storage& storage);
  void write_aborted(const PartitionLog& log, Storage& storage);
  void write_indexes(Storage& storage);
  void write_snapshot(std::int64_t offset, const ProducerEntries& producers, Storage& storage);
  void write_epochs(const PartitionLog& log, Storage& storage);
  void truncate(std::int64_t offset, const PartitionLog& log, Storage& storage);
  void replace_cleaned(std::int64_t cleaned_to, const PartitionLog& log, Storage& storage);
  void write_cleaned(std::int64_t base_offset, std::int64_t end_offset, const PartitionLog& log,
                     Storage& storage);
  void remove_segment(std::int64_t base_offset, Storage& storage);
  void remove_before(std::int64_t log_start_offset, Storage& storage);

  std::string folder_;
  std::vector<std::int64_t> base_offsets_;
  SegmentIndexer indexer_{0};  // of the last segment
  std::int64_t end_offset_ = 0;
  std::int64_t aborted_end_offset_ = 0;  // markers below are in their index
  std::vector<LeaderEpochs::Entry> epochs_;
};

}  // namespace fencepost::minibroker
