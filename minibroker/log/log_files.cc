#include "minibroker/log/log_files.h"

#include <algorithm>
#include <limits>

#include "minibroker/log/checkpoints.h"
#include "minibroker/log/segment_scan.h"

namespace fencepost::minibroker {

namespace {

// Index entries are written this many bytes at a time: recovery makes those anew that are missing.
constexpr std::size_t index_write_bytes = 1024;

}  // namespace

std::string segment_path(const std::string& folder, std::int64_t offset,
                         const std::string& suffix) {
  const std::string number = std::to_string(offset);
  return folder + "/" + std::string(segment_name_digits - number.size(), '0') + number + suffix;
}

LogFiles LogFiles::create(std::string folder, const Uuid& topic_id, PartitionLog& log,
                          Storage& storage) {
  LogFiles files(std::move(folder));
  log.follow_changes();
  storage.replace(files.folder_ + "/" + partition_metadata_file,
                  write_partition_metadata(topic_id));
  files.end_offset_ = files.aborted_end_offset_ =
      log.batches().empty() ? log.log_end_offset() : log.batches().header(0).base_offset;
  files.begin_segment(files.end_offset_, storage);
  storage.replace(files.folder_ + "/" + leader_epoch_checkpoint, write_leader_epochs({}));
  files.write(log, storage);
  return files;
}

LogFiles LogFiles::open(std::string folder, Opened opened, PartitionLog& log) {
  CHECK(!opened.base_offsets.empty());
  LogFiles files(std::move(folder));
  log.follow_changes();
  files.base_offsets_ = std::move(opened.base_offsets);
  files.indexer_ = std::move(opened.indexer);
  files.end_offset_ = files.aborted_end_offset_ = opened.end_offset;
  files.epochs_ = std::move(opened.epochs);
  return files;
}

void LogFiles::write(PartitionLog& log, Storage& storage) {
  const LogChanges changes = log.take_changes();
  const std::int64_t kept = std::min(changes.truncated_to.value_or(end_offset_), end_offset_);
  if (std::min(kept, log.log_end_offset()) < end_offset_)
    truncate(std::min(kept, log.log_end_offset()), log, storage);
  if (changes.cleaned_to) replace_cleaned(*changes.cleaned_to, log, storage);
  for (const auto& [offset, producers] : changes.rolled) write_snapshot(offset, producers, storage);
  if (log.log_end_offset() > end_offset_) write_batches(log, storage);
  write_aborted(log, storage);
  write_epochs(log, storage);
  remove_before(log.log_start_offset(), storage);
}

void LogFiles::begin_segment(std::int64_t base_offset, Storage& storage) {
  base_offsets_.push_back(base_offset);
  indexer_ = SegmentIndexer(base_offset);
  for (const char* suffix : {".log", ".index", ".timeindex"})
    storage.append(path(base_offset, suffix), {});
}

// Runs of batches of one segment become one append, whose bytes the log and the queue share.
void LogFiles::write_batches(const PartitionLog& log, Storage& storage) {
  const BatchStore& batches = log.batches();
  const auto& segments = log.segments().all();
  std::size_t first = batches.find(end_offset_);
  while (first < batches.size()) {
    const std::int64_t offset = batches.header(first).base_offset;
    const auto next = std::ranges::upper_bound(segments, offset, {}, &Segment::base_offset);
    CHECK(next != segments.begin());
    const std::int64_t base_offset = std::prev(next)->base_offset;
    if (base_offset > base_offsets_.back()) {
      indexer_.finish();
      write_indexes(storage);
      // Only the last segment may have a torn end.
      (void)storage.sync();
      begin_segment(base_offset, storage);
    }
    const std::int64_t segment_end =
        next == segments.end() ? std::numeric_limits<std::int64_t>::max() : next->base_offset;
    std::size_t end = first;
    for (; end < batches.size() && batches.header(end).base_offset < segment_end; ++end)
      indexer_.add(batches.header(end));
    storage.append(path(base_offsets_.back(), ".log"), batches.range(first, end));
    first = end;
  }
  end_offset_ = log.log_end_offset();
  if (indexer_.pending_bytes() >= index_write_bytes) write_indexes(storage);
}

void LogFiles::write_indexes(Storage& storage) {
  if (indexer_.pending_bytes() == 0) return;
  const std::int64_t base_offset = indexer_.base_offset();
  storage.append(path(base_offset, ".index"), SharedBytes(indexer_.take_offset_index()));
  storage.append(path(base_offset, ".timeindex"), SharedBytes(indexer_.take_time_index()));
}

void LogFiles::write_aborted(const PartitionLog& log, Storage& storage) {
  const std::vector<AbortedTransaction>& aborted = log.transactions().all_aborted();
  if (!aborted.empty() && aborted.back().last_offset >= aborted_end_offset_) {
    for (std::size_t i = 0; i < base_offsets_.size(); ++i) {
      const std::int64_t end = i + 1 < base_offsets_.size() ? base_offsets_[i + 1] : end_offset_;
      ByteVector entries =
          transaction_index_file(aborted, std::max(base_offsets_[i], aborted_end_offset_), end);
      if (!entries.empty())
        storage.append(path(base_offsets_[i], ".txnindex"), SharedBytes(std::move(entries)));
    }
  }
  aborted_end_offset_ = end_offset_;
}

void LogFiles::write_snapshot(std::int64_t offset, const ProducerEntries& producers,
                              Storage& storage) {
  storage.replace(path(offset, ".snapshot"), SharedBytes(snapshot_file(producers)));
}

void LogFiles::write_epochs(const PartitionLog& log, Storage& storage) {
  if (log.leader_epochs().entries() == epochs_) return;
  epochs_ = log.leader_epochs().entries();
  storage.replace(folder_ + "/" + leader_epoch_checkpoint, write_leader_epochs(epochs_));
}

// The segment that is cut is read again: what has been dropped is not in memory any more.
void LogFiles::truncate(std::int64_t offset, const PartitionLog& log, Storage& storage) {
  while (!base_offsets_.empty() && base_offsets_.back() >= offset) {
    remove_segment(base_offsets_.back(), storage);
    base_offsets_.pop_back();
  }
  end_offset_ = aborted_end_offset_ = offset;
  if (base_offsets_.empty()) {
    const auto& segments = log.segments().all();
    end_offset_ = segments.empty() ? log.log_end_offset() : segments.front().base_offset;
    return begin_segment(end_offset_, storage);
  }
  const std::int64_t base_offset = base_offsets_.back();
  const Result<SharedBytes> file = storage.read(path(base_offset, ".log"));
  if (!file) return;  // the next flush() tells
  indexer_ = SegmentIndexer(base_offset);
  for (const protocol::RecordBatchView& batch : scan_segment(*file, base_offset, true).batches)
    if (batch.header().last_offset() < offset) indexer_.add(batch.header());
  storage.truncate(path(base_offset, ".log"), indexer_.size_bytes());
  storage.replace(path(base_offset, ".index"), SharedBytes(indexer_.take_offset_index()));
  storage.replace(path(base_offset, ".timeindex"), SharedBytes(indexer_.take_time_index()));
  storage.replace(
      path(base_offset, ".txnindex"),
      SharedBytes(transaction_index_file(log.transactions().all_aborted(), base_offset, offset)));
}

// ---- compaction

// The closed segments below are written anew, each before those that it replaces are removed.
void LogFiles::replace_cleaned(std::int64_t cleaned_to, const PartitionLog& log, Storage& storage) {
  const auto& segments = log.segments().all();
  std::size_t count = 0;
  for (; count + 1 < segments.size() && segments[count].base_offset < cleaned_to; ++count)
    write_cleaned(segments[count].base_offset, segments[count + 1].base_offset, log, storage);
  if (count == 0 || base_offsets_.back() >= segments[count].base_offset) return;
  // What was appended to has been closed and cleaned in one step.
  end_offset_ = aborted_end_offset_ = segments[count].base_offset;
  begin_segment(end_offset_, storage);
}

void LogFiles::write_cleaned(std::int64_t base_offset, std::int64_t end_offset,
                             const PartitionLog& log, Storage& storage) {
  const BatchStore& batches = log.batches();
  const std::size_t first = batches.find(base_offset);
  const std::size_t end = batches.find(end_offset);
  SegmentIndexer indexer(base_offset);
  for (std::size_t i = first; i < end; ++i) indexer.add(batches.header(i));
  indexer.finish();
  storage.replace(path(base_offset, swap_suffix), batches.range(first, end));
  std::erase_if(base_offsets_, [&](std::int64_t old) {
    if (old < base_offset || old >= end_offset) return false;
    for (const char* suffix : {".log", ".index", ".timeindex", ".txnindex"})
      storage.remove(path(old, suffix));
    if (old != base_offset) storage.remove(path(old, ".snapshot"));
    return true;
  });
  base_offsets_.insert(std::ranges::upper_bound(base_offsets_, base_offset), base_offset);
  storage.rename(path(base_offset, swap_suffix), path(base_offset, ".log"));
  storage.replace(path(base_offset, ".index"), SharedBytes(indexer.take_offset_index()));
  storage.replace(path(base_offset, ".timeindex"), SharedBytes(indexer.take_time_index()));
  ByteVector aborted =
      transaction_index_file(log.transactions().all_aborted(), base_offset, end_offset);
  if (!aborted.empty())
    storage.replace(path(base_offset, ".txnindex"), SharedBytes(std::move(aborted)));
}

void LogFiles::remove_segment(std::int64_t base_offset, Storage& storage) {
  for (const char* suffix : {".log", ".index", ".timeindex", ".txnindex", ".snapshot"})
    storage.remove(path(base_offset, suffix));
}

void LogFiles::remove_before(std::int64_t log_start_offset, Storage& storage) {
  while (base_offsets_.size() > 1 && base_offsets_[1] <= log_start_offset) {
    remove_segment(base_offsets_.front(), storage);
    base_offsets_.erase(base_offsets_.begin());
  }
}

void LogFiles::close(const PartitionLog& log, Storage& storage) {
  indexer_.finish();
  write_indexes(storage);
  if (end_offset_ > base_offsets_.back()) write_snapshot(end_offset_, log.producers(), storage);
}

}  // namespace fencepost::minibroker
