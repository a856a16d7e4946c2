#include "minibroker/log/log_recovery.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "minibroker/log/checkpoints.h"
#include "minibroker/log/log_files.h"
#include "minibroker/log/segment_scan.h"

namespace fencepost::minibroker {

using protocol::RecordBatchView;

namespace {

struct SegmentFile {
  std::int64_t base_offset = 0;
  std::shared_ptr<const SharedBytes> file;
  SegmentScan scan;
};

// The offset in "00000000000000000042.log"; nothing for any other name.
std::optional<std::int64_t> offset_in(std::string_view name, std::string_view suffix) {
  if (name.size() != segment_name_digits + suffix.size() || !name.ends_with(suffix))
    return std::nullopt;
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + segment_name_digits, offset);
  if (error != std::errc() || end != name.data() + segment_name_digits || offset < 0)
    return std::nullopt;
  return offset;
}

class Recovery {
 public:
  Recovery(Storage& storage, const std::string& folder, const LogSettings& settings,
           const RecoveryRules& rules)
      : storage_(storage), folder_(folder), rules_(rules), log_(settings) {}

  Result<void> read();
  RecoveredLog finish();

 private:
  std::string path(std::int64_t offset, const std::string& suffix) const {
    return segment_path(folder_, offset, suffix);
  }
  Error damage(std::int64_t base_offset, std::size_t byte, const std::string& what) const {
    return {ErrorKind::malformed, path(base_offset, ".log") + " is damaged: " + what, byte, {}};
  }
  Result<void> complete_swaps();
  Result<void> read_segments();
  Result<void> check_end(const SegmentFile& segment, const SharedBytes& file, bool is_last);
  Result<void> read_producers();
  std::vector<LeaderEpochs::Entry> read_epochs();
  bool is_joined(const SegmentFile& segment, std::int64_t next_base_offset) const {
    return next_base_offset == end_of(segment) ||
           (rules_.has_gaps && next_base_offset > end_of(segment));
  }
  void restore(const SegmentFile& segment);
  void make(const std::string& file, ByteVector bytes, bool is_wanted);
  void remove_stray_snapshots();
  std::int64_t end_of(const SegmentFile& segment) const {
    return segment.scan.batches.empty() ? segment.base_offset
                                        : segment.scan.batches.back().header().last_offset() + 1;
  }

  Storage& storage_;
  std::string folder_;
  RecoveryRules rules_;
  PartitionLog log_;
  std::vector<SegmentFile> segments_;
  std::vector<std::string> names_;
  SegmentIndexer indexer_{0};
  std::vector<std::string> notes_;
};

Result<void> Recovery::read() {
  names_ = storage_.list(folder_);
  if (Result<void> completed = complete_swaps(); !completed) return completed;
  if (Result<void> read = read_segments(); !read) return read;
  return read_producers();
}

// The segments that a cleaned one replaces may be gone already; it has all that is to stay of them.
Result<void> Recovery::complete_swaps() {
  for (const std::string& name : names_) {
    const std::optional<std::int64_t> base_offset = offset_in(name, swap_suffix);
    if (!base_offset) continue;
    const std::string swap = folder_ + "/" + name;
    const Result<SharedBytes> file = storage_.read(swap);
    if (!file) return file.error();
    const SegmentScan scan = scan_segment(*file, *base_offset, true);
    if (!scan.problem.empty())
      return Error{
          ErrorKind::malformed, swap + " is damaged: " + scan.problem, scan.good_bytes, {}};
    const std::int64_t end =
        scan.batches.empty() ? *base_offset + 1 : scan.batches.back().header().last_offset() + 1;
    for (const std::string& other : names_)
      if (const auto replaced = offset_in(other, ".log");
          replaced && *replaced >= *base_offset && *replaced < end)
        storage_.remove(folder_ + "/" + other);
    storage_.rename(swap, path(*base_offset, ".log"));
  }
  names_ = storage_.list(folder_);
  return {};
}

Result<void> Recovery::read_segments() {
  std::vector<std::int64_t> base_offsets;
  for (const std::string& name : names_)
    if (const auto base_offset = offset_in(name, ".log")) base_offsets.push_back(*base_offset);
  if (base_offsets.empty())
    return Error{ErrorKind::malformed, folder_ + " is damaged: it has no segment", 0, {}};
  if (base_offsets.front() > rules_.log_start_offset)
    return damage(base_offsets.front(), 0,
                  "the log begins at offset " + std::to_string(rules_.log_start_offset) +
                      ", the segments before this one are missing");
  for (const std::int64_t base_offset : base_offsets) {
    if (!segments_.empty() && !is_joined(segments_.back(), base_offset)) {
      const SegmentFile& before = segments_.back();
      return damage(before.base_offset, before.file->size(),
                    "it ends at offset " + std::to_string(end_of(before)) +
                        ", and the next segment begins at " + std::to_string(base_offset));
    }
    Result<SharedBytes> file = storage_.read(path(base_offset, ".log"));
    if (!file) return file.error();
    segments_.push_back({base_offset, std::make_shared<const SharedBytes>(*file),
                         scan_segment(*file, base_offset, rules_.has_gaps)});
    const bool is_last = base_offset == base_offsets.back();
    if (Result<void> checked = check_end(segments_.back(), *file, is_last); !checked)
      return checked;
  }
  if (end_of(segments_.back()) < rules_.recovery_point)
    return damage(segments_.back().base_offset, segments_.back().scan.good_bytes,
                  "the log was on disk up to offset " + std::to_string(rules_.recovery_point) +
                      " and ends at " + std::to_string(end_of(segments_.back())));
  return {};
}

// A torn end is behind everything that was synced, and no batch comes after it.
Result<void> Recovery::check_end(const SegmentFile& segment, const SharedBytes& file,
                                 bool is_last) {
  const SegmentScan& scan = segment.scan;
  if (scan.problem.empty()) return {};
  if (!is_last || scan.is_misplaced || end_of(segment) < rules_.recovery_point ||
      has_batch_behind(file, scan.good_bytes, end_of(segment)))
    return damage(segment.base_offset, scan.good_bytes, scan.problem);
  notes_.push_back(path(segment.base_offset, ".log") + ": cut at byte " +
                   std::to_string(scan.good_bytes) + ", behind offset " +
                   std::to_string(end_of(segment) - 1) + ": " +
                   std::to_string(file.size() - scan.good_bytes) + " bytes of a torn write");
  return {};
}

// What is known of producers from segments that are gone. Later snapshots follow from the batches.
Result<void> Recovery::read_producers() {
  const std::int64_t first = segments_.front().base_offset;
  const std::string file = path(first, ".snapshot");
  ProducerEntries producers;
  if (storage_.exists(file)) {
    const Result<SharedBytes> bytes = storage_.read(file);
    if (!bytes) return bytes.error();
    Result<ProducerEntries> read = read_snapshot_file(*bytes);
    if (!read)
      return Error{ErrorKind::malformed,
                   file + " is damaged: " + read.error().text,
                   read.error().offset,
                   {}};
    producers = std::move(*read);
  }
  if (log_.restore_start(first, std::move(producers)) != protocol::ErrorCode::none)
    return Error{
        ErrorKind::malformed, file + " is damaged: transactions begin where none can", 0, {}};
  return {};
}

std::vector<LeaderEpochs::Entry> Recovery::read_epochs() {
  const std::string file = folder_ + "/" + leader_epoch_checkpoint;
  if (!storage_.exists(file)) return {};
  const Result<SharedBytes> bytes = storage_.read(file);
  if (bytes)
    if (Result<std::vector<LeaderEpochs::Entry>> epochs = read_leader_epochs(bytes->text()))
      return std::move(*epochs);
  notes_.push_back(file + ": cannot be read; made anew from the batches");
  return {};
}

// A file beside a segment: written when it is not what it should be.
void Recovery::make(const std::string& file, ByteVector bytes, bool is_wanted) {
  const bool is_there = storage_.exists(file);
  if (!is_there && !is_wanted) return;
  if (is_there) {
    const Result<SharedBytes> now = storage_.read(file);
    if (now && std::ranges::equal(now->view(), bytes)) return;
  }
  storage_.replace(file, SharedBytes(std::move(bytes)));
}

void Recovery::restore(const SegmentFile& segment) {
  const std::int64_t base_offset = segment.base_offset;
  if (base_offset != segments_.front().base_offset &&
      !storage_.exists(path(base_offset, ".snapshot")))
    storage_.replace(path(base_offset, ".snapshot"), SharedBytes(snapshot_file(log_.producers())));
  log_.restore_segment(base_offset);
  indexer_ = SegmentIndexer(base_offset);
  for (const RecordBatchView& batch : segment.scan.batches) {
    log_.restore_batch(batch, segment.file);
    indexer_.add(batch.header());
  }
  if (segment.scan.good_bytes < segment.file->size())
    storage_.truncate(path(base_offset, ".log"), segment.scan.good_bytes);
  if (base_offset != segments_.back().base_offset) indexer_.finish();
  make(path(base_offset, ".index"), indexer_.take_offset_index(), true);
  make(path(base_offset, ".timeindex"), indexer_.take_time_index(), true);
}

void Recovery::remove_stray_snapshots() {
  for (const std::string& name : names_) {
    const std::optional<std::int64_t> offset = offset_in(name, ".snapshot");
    const bool is_stray = offset && std::ranges::none_of(segments_, [&](const SegmentFile& it) {
                            return it.base_offset == *offset;
                          });
    if (is_stray || name.ends_with(".tmp")) storage_.remove(folder_ + "/" + name);
  }
}

RecoveredLog Recovery::finish() {
  std::vector<std::int64_t> base_offsets;
  for (const SegmentFile& segment : segments_) {
    restore(segment);
    base_offsets.push_back(segment.base_offset);
  }
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const bool is_last = i + 1 == segments_.size();
    ByteVector index = transaction_index_file(
        log_.transactions().all_aborted(), base_offsets[i],
        is_last ? std::numeric_limits<std::int64_t>::max() : base_offsets[i + 1]);
    const bool is_wanted = !index.empty();
    make(path(base_offsets[i], ".txnindex"), std::move(index), is_wanted);
  }
  remove_stray_snapshots();
  const std::vector<LeaderEpochs::Entry> epochs = read_epochs();
  log_.restore_end(rules_.log_start_offset, rules_.high_watermark, epochs);
  LogFiles::Opened opened{std::move(base_offsets), std::move(indexer_), log_.log_end_offset(),
                          epochs};
  LogFiles files = LogFiles::open(folder_, std::move(opened), log_);
  return {std::move(log_), std::move(files), std::move(notes_)};
}

}  // namespace

bool has_segments(Storage& storage, const std::string& folder) {
  return std::ranges::any_of(storage.list(folder), [](const std::string& name) {
    return offset_in(name, ".log") || offset_in(name, swap_suffix);
  });
}

Result<RecoveredLog> recover_log(Storage& storage, const std::string& folder,
                                 const LogSettings& settings, const RecoveryRules& rules) {
  Recovery recovery(storage, folder, settings, rules);
  if (Result<void> read = recovery.read(); !read) return read.error();
  return recovery.finish();
}

}  // namespace fencepost::minibroker
