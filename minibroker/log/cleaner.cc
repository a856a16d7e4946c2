#include "minibroker/log/cleaner.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>

#include "minibroker/log/cleaned_transactions.h"
#include "minibroker/log/own_batches.h"

namespace fencepost::minibroker {

using protocol::Record;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;

namespace {

// The first closed segment that is too young for min.compaction.lag.ms.
std::int64_t first_young_offset(const std::vector<Segment>& segments, const CleanupRules& rules,
                                std::int64_t first_dirty_offset, std::int64_t now_ms) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  if (rules.min_compaction_lag_ms <= 0) return none;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (segments[i + 1].base_offset <= first_dirty_offset) continue;
    if (segments[i].largest_timestamp > now_ms - rules.min_compaction_lag_ms)
      return segments[i].base_offset;
  }
  return none;
}

bool is_overdue(const std::vector<Segment>& segments, const CleanupRules& rules,
                std::int64_t first_dirty_offset, std::int64_t now_ms) {
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    if (segments[i + 1].base_offset <= first_dirty_offset || segments[i].first_timestamp <= 0)
      continue;
    if (segments[i].first_timestamp < now_ms - rules.max_compaction_lag_ms) return true;
  }
  return false;
}

// As if a marker were a record: all commits have one key, and all aborts another.
std::string marker_key(const RecordBatchView& batch) {
  const auto marker = protocol::read_marker(batch);
  const bool is_commit = marker && *marker && (*marker)->type == protocol::ControlType::commit;
  return is_commit ? "(commit)" : "(abort)";
}

// One round over the segments below the first uncleanable offset.
class Round {
 public:
  Round(const PartitionLog& log, const Cleanable& cleanable, Instant now)
      : log_(log),
        rules_(log.settings().cleanup),
        cleanable_(cleanable),
        now_ms_(to_timestamp(now)) {}

  CleanedSegments run();

 private:
  struct Place {
    std::size_t first_batch = 0;
    std::size_t end_batch = 0;
    std::int64_t end_offset = 0;  // where the next segment begins
  };

  Place place_of(std::size_t segment) const;
  void map_keys();
  void map_keys_of(std::size_t segment, CleanedTransactions& transactions);
  std::size_t group_end(std::size_t first) const;
  void clean_group(std::size_t first, std::size_t end);
  void clean_batch(const RecordBatchView& batch, Segment& into);
  bool keeps_when_empty(const RecordBatchHeader& batch) const;
  bool keeps(const RecordBatchHeader& batch, const Record& record) const;

  const PartitionLog& log_;
  const CleanupRules& rules_;
  const Cleanable& cleanable_;
  std::int64_t now_ms_;
  std::size_t segment_count_ = 0;
  // The newest offset of each key; only looked up in, so that its order decides nothing.
  std::unordered_map<std::string, std::int64_t> newest_;
  CleanedTransactions transactions_;
  CleanedSegments out_;
};

Round::Place Round::place_of(std::size_t segment) const {
  const std::vector<Segment>& segments = log_.segments().all();
  const std::int64_t end_offset =
      segment + 1 < segments.size() ? segments[segment + 1].base_offset : log_.log_end_offset();
  const BatchStore& batches = log_.batches();
  return {batches.find(segments[segment].base_offset), batches.find(end_offset), end_offset};
}

void Round::map_keys() {
  CleanedTransactions transactions;
  transactions.add(log_.aborted_transactions(cleanable_.first_dirty_offset,
                                             cleanable_.first_uncleanable_offset));
  for (std::size_t i = 0; i < segment_count_; ++i)
    if (place_of(i).end_offset > cleanable_.first_dirty_offset) map_keys_of(i, transactions);
}

void Round::map_keys_of(std::size_t segment, CleanedTransactions& transactions) {
  const Place place = place_of(segment);
  for (std::size_t i = place.first_batch; i < place.end_batch; ++i) {
    const RecordBatchView batch = open_own(log_.batches().bytes(i));
    if (batch.header().is_control_batch()) {
      (void)transactions.is_without_transaction(batch);
      if (log_.settings().defect == Defect::markers_compacted_by_key)
        newest_[marker_key(batch)] = batch.header().base_offset;
      continue;
    }
    if (transactions.is_aborted(batch.header())) continue;
    for (const Record& record : records_of(batch))
      if (record.key && record.offset >= cleanable_.first_dirty_offset)
        newest_[std::string(record.key->text())] = record.offset;
  }
}

// Small segments are merged, as long as together they are no larger than one may be.
std::size_t Round::group_end(std::size_t first) const {
  const std::vector<Segment>& segments = log_.segments().all();
  const std::int64_t base_offset = segments[first].base_offset;
  std::int64_t bytes = segments[first].size_bytes;
  std::size_t end = first + 1;
  for (; end < segment_count_; ++end) {
    bytes += segments[end].size_bytes;
    const bool is_in_reach =
        place_of(end).end_offset - 1 - base_offset <= std::numeric_limits<std::int32_t>::max();
    if (bytes > log_.settings().segments.bytes_max || !is_in_reach) break;
  }
  return end;
}

bool Round::keeps_when_empty(const RecordBatchHeader& batch) const {
  // The end of what was cleaned must not be lost.
  if (batch.last_offset() + 1 == cleanable_.first_uncleanable_offset) return true;
  if (!batch.has_producer_id()) return false;
  const auto producer = log_.producers().find(batch.producer_id);
  if (producer == log_.producers().end()) return false;
  // Its last batch says a producer's sequence; a marker, when there is nothing else, its epoch.
  const ProducerEntry& entry = producer->second;
  if (!entry.batches.empty()) return batch.last_offset() == entry.batches.back().last_offset;
  return batch.is_control_batch() && batch.producer_epoch == entry.producer_epoch;
}

bool Round::keeps(const RecordBatchHeader& batch, const Record& record) const {
  if (record.offset >= cleanable_.first_uncleanable_offset) return true;
  if (!record.key) return false;
  const auto newest = newest_.find(std::string(record.key->text()));
  if (newest != newest_.end() && record.offset < newest->second) return false;
  return record.value || !batch.has_delete_horizon() || now_ms_ < batch.base_timestamp;
}

void Round::clean_batch(const RecordBatchView& batch, Segment& into) {
  const RecordBatchHeader& header = batch.header();
  const bool is_control = header.is_control_batch();
  const bool is_void =
      is_control ? transactions_.is_without_transaction(batch) : transactions_.is_aborted(header);
  const bool is_superseded = log_.settings().defect == Defect::markers_compacted_by_key &&
                             is_control && newest_[marker_key(batch)] > header.base_offset;
  if (is_superseded) return;
  const bool is_dropped =
      is_void && (!is_control || (header.has_delete_horizon() && header.base_timestamp <= now_ms_));
  const bool keeps_empty = keeps_when_empty(header);
  if (is_dropped && !keeps_empty) return;
  std::vector<Record> kept;
  bool has_tombstones = false;
  std::size_t count = 0;
  if (!is_dropped)
    for (Record& record : records_of(batch)) {
      ++count;
      if (!is_control && !keeps(header, record)) continue;
      has_tombstones |= !record.value.has_value();
      kept.push_back(std::move(record));
    }
  if (kept.empty() && !keeps_empty) return;
  std::optional<std::int64_t> horizon;
  if ((has_tombstones || (is_void && is_control)) && !header.has_delete_horizon())
    horizon = now_ms_ + rules_.delete_retention_ms;
  const bool is_as_it_was = !kept.empty() && kept.size() == count && !horizon;
  SharedBytes bytes =
      is_as_it_was ? batch.bytes() : protocol::compacted_batch(batch, kept, horizon);
  append_to(into, log_.settings().segments, open_own(bytes).header());
  out_.batches.push_back(std::move(bytes));
}

void Round::clean_group(std::size_t first, std::size_t end) {
  Segment cleaned{log_.segments().all()[first].base_offset};
  for (std::size_t i = first; i < end; ++i) {
    if (log_.settings().defect == Defect::cleaner_forgets_transactions) transactions_ = {};
    const Place place = place_of(i);
    const std::int64_t begin_offset = log_.segments().all()[i].base_offset;
    const bool is_empty = place.first_batch == place.end_batch;
    const std::int64_t bound = i + 1 < end ? place.end_offset
                               : is_empty
                                   ? begin_offset
                                   : log_.batches().header(place.end_batch - 1).last_offset() + 1;
    transactions_.add(log_.aborted_transactions(begin_offset, bound));
    for (std::size_t at = place.first_batch; at < place.end_batch; ++at)
      clean_batch(open_own(log_.batches().bytes(at)), cleaned);
  }
  out_.segments.push_back(std::move(cleaned));
}

CleanedSegments Round::run() {
  const std::vector<Segment>& segments = log_.segments().all();
  while (segment_count_ + 1 < segments.size() &&
         segments[segment_count_].base_offset < cleanable_.first_uncleanable_offset)
    ++segment_count_;
  map_keys();
  for (std::size_t first = 0; first < segment_count_;) {
    const std::size_t end = group_end(first);
    clean_group(first, end);
    first = end;
  }
  out_.segment_count = segment_count_;
  out_.end_offset = cleanable_.first_uncleanable_offset;
  out_.aborted = transactions_.kept();
  return std::move(out_);
}

}  // namespace

Cleanable find_cleanable(const PartitionLog& log, Instant now) {
  const std::vector<Segment>& segments = log.segments().all();
  const CleanupRules& rules = log.settings().cleanup;
  Cleanable out;
  if (segments.empty()) return out;
  const std::int64_t now_ms = to_timestamp(now);
  out.first_dirty_offset = log.first_dirty_offset();
  if (out.first_dirty_offset < log.log_start_offset() ||
      out.first_dirty_offset > log.log_end_offset())
    out.first_dirty_offset = log.log_start_offset();
  const std::int64_t limit =
      std::min({log.last_stable_offset(), segments.back().base_offset,
                first_young_offset(segments, rules, out.first_dirty_offset, now_ms)});
  out.first_uncleanable_offset = log.segments().base_of(std::max(limit, out.first_dirty_offset));
  const std::int64_t dirty_from = std::min(out.first_dirty_offset, out.first_uncleanable_offset);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].base_offset >= out.first_uncleanable_offset) break;
    const bool is_dirty = i + 1 < segments.size() && segments[i + 1].base_offset > dirty_from;
    (is_dirty ? out.cleanable_bytes : out.clean_bytes) += segments[i].size_bytes;
  }
  out.is_overdue = is_overdue(segments, rules, out.first_dirty_offset, now_ms);
  return out;
}

bool has_to_be_cleaned(const Cleanable& cleanable, const CleanupRules& rules) {
  const std::int64_t total = cleanable.clean_bytes + cleanable.cleanable_bytes;
  if (!rules.compacts || cleanable.cleanable_bytes == 0) return false;
  const double ratio = static_cast<double>(cleanable.cleanable_bytes) / static_cast<double>(total);
  return cleanable.is_overdue || ratio > rules.min_cleanable_dirty_ratio;
}

std::optional<Instant> cleaning_due(const PartitionLog& log, Instant now) {
  const CleanupRules& rules = log.settings().cleanup;
  const std::vector<Segment>& segments = log.segments().all();
  if (!rules.compacts || segments.size() < 2) return std::nullopt;
  // Only the passing of a lag makes a log cleanable to which nothing happens.
  std::set<std::int64_t> moments{to_timestamp(now)};
  constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  const auto add = [&](std::int64_t timestamp, std::int64_t lag_ms) {
    if (timestamp < 0 || lag_ms < 0 || timestamp >= end_of_time || lag_ms >= end_of_time) return;
    const std::int64_t at = timestamp + lag_ms;
    if (at > to_timestamp(now) && at < end_of_time) moments.insert(at);
  };
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    add(segments[i].largest_timestamp, rules.min_compaction_lag_ms);
    add(segments[i].first_timestamp + 1, rules.max_compaction_lag_ms);
  }
  for (const std::int64_t moment : moments) {
    const Instant at = std::max(now, Instant(milliseconds(moment)));
    if (has_to_be_cleaned(find_cleanable(log, at), rules)) return at;
  }
  return std::nullopt;
}

void clean(PartitionLog& log, const Cleanable& cleanable, Instant now) {
  CleanedSegments cleaned = Round(log, cleanable, now).run();
  log.replace_segments(std::move(cleaned));
}

}  // namespace fencepost::minibroker
