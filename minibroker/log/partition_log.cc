// The writing half of the log; see partition_log_reading.cc for the other.
#include "minibroker/log/partition_log.h"

#include <algorithm>

#include "minibroker/log/own_batches.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::RecordBatchHeader;
using protocol::RecordBatchView;
using protocol::TimestampType;

namespace {

// Kafka tells the log start with every refusal but these.
bool hides_log_start(ErrorCode error) {
  return error == ErrorCode::message_too_large || error == ErrorCode::corrupt_message;
}

std::optional<std::int64_t> append_time(const LogSettings& settings, Instant now) {
  if (settings.rules.timestamp_type != TimestampType::log_append_time) return std::nullopt;
  return to_timestamp(now);
}

// The coordinator is being asked about the transaction after the one that this marker ends
// (KAFKA-18654): its answer comes when the marker is in the log already, and still counts.
bool is_about_next(const VerificationEntry* asked, const RecordBatchHeader& batch) {
  return batch.is_control_batch() && asked != nullptr && asked->adds_partition &&
         asked->producer_epoch >= batch.producer_epoch;
}

}  // namespace

void PartitionLog::begin_leader_epoch(std::int32_t leader_epoch) {
  leader_epochs_.begin(leader_epoch, log_end_offset_);
}

const ProducerEntry* PartitionLog::find_producer(std::int64_t producer_id) const {
  const auto it = state_.producers.find(producer_id);
  return it == state_.producers.end() ? nullptr : &it->second;
}

AppendOutcome PartitionLog::append_as_leader(const SharedBytes& records, AppendOrigin origin,
                                             std::int32_t leader_epoch, VerificationGuard guard,
                                             Instant now) {
  AppendOutcome outcome;
  BatchRefusal refusal;
  const std::optional<ValidBatch> valid =
      validate_batch(records, origin, settings_.rules, now, refusal);
  if (!valid) {
    outcome.error = refusal.error;
    outcome.message = std::move(refusal.message);
    outcome.record_errors = std::move(refusal.record_errors);
    if (!hides_log_start(outcome.error)) outcome.log_start_offset = log_start_offset_;
    return outcome;
  }
  outcome.log_start_offset = log_start_offset_;
  const RecordBatchHeader& batch = valid->header;
  make_room(batch, log_end_offset_);
  // Before every other look at the producer: a batch that is in the log stays acknowledged,
  // whatever has happened to its transaction since.
  if (origin == AppendOrigin::client && batch.has_producer_id()) {
    if (const auto known = find_duplicate(find_producer(batch.producer_id), batch)) {
      if (settings_.defect == Defect::duplicates_appended) {
        write(valid->bytes, leader_epoch, now, outcome);
        return outcome;
      }
      outcome.is_duplicate = true;
      outcome.base_offset = known->base_offset;
      outcome.last_offset = known->last_offset;
      outcome.log_append_time_ms = known->timestamp;
      return outcome;
    }
  }
  outcome.error = check_producer(batch, origin, guard);
  if (!outcome.ok()) return outcome;
  write(valid->bytes, leader_epoch, now, outcome);
  return outcome;
}

bool PartitionLog::is_verified(std::int64_t producer_id, VerificationGuard guard) const {
  if (settings_.defect == Defect::verification_answers_reused)
    return guard != no_guard && verifications_.find(producer_id) != nullptr;
  return verifications_.proves(producer_id, guard);
}

// Kafka's order: guard, epoch, sequence, transaction.
ErrorCode PartitionLog::check_producer(const RecordBatchHeader& batch, AppendOrigin origin,
                                       VerificationGuard guard) const {
  if (!batch.has_producer_id()) return ErrorCode::none;
  const ProducerEntry* entry = find_producer(batch.producer_id);
  ErrorCode epoch_error = check_epoch(entry, batch.producer_epoch);
  if (settings_.defect == Defect::producer_epoch_unchecked) epoch_error = ErrorCode::none;
  if (settings_.verifies_transactions && batch.is_transactional() &&
      !has_ongoing_transaction(batch.producer_id, batch.producer_epoch) &&
      !is_verified(batch.producer_id, guard)) {
    // KAFKA-19690: to a fenced producer its fence is to be told, not the lost transaction.
    if (settings_.looks_at_epoch_before_guard && epoch_error != ErrorCode::none) return epoch_error;
    return ErrorCode::invalid_txn_state;
  }
  if (epoch_error != ErrorCode::none) return epoch_error;
  if (origin == AppendOrigin::client && settings_.defect != Defect::sequence_unchecked) {
    const ErrorCode error = check_sequence(entry, verifications_.find(batch.producer_id), batch);
    if (error != ErrorCode::none) return error;
  }
  return check_inside_transaction(entry, batch);
}

AppendOutcome PartitionLog::append_marker(const MarkerRequest& marker, std::int32_t leader_epoch,
                                          Instant now) {
  AppendOutcome outcome;
  outcome.log_start_offset = log_start_offset_;
  const bool has_to_be_newer =
      settings_.demands_newer_marker_epoch && marker.transaction_version >= 2;
  const SharedBytes batch =
      protocol::build_marker({marker.type, marker.coordinator_epoch}, marker.producer_id,
                             marker.producer_epoch, to_timestamp(now));
  make_room(open_own(batch).header(), log_end_offset_);
  const ProducerEntry* entry = find_producer(marker.producer_id);
  outcome.error =
      check_marker(entry, marker.producer_epoch, marker.coordinator_epoch, has_to_be_newer);
  if (settings_.defect == Defect::marker_coordinator_epoch_unchecked &&
      outcome.error == ErrorCode::transaction_coordinator_fenced)
    outcome.error = ErrorCode::none;
  if (!outcome.ok()) return outcome;
  const std::int64_t time_before = entry != nullptr ? entry->last_timestamp : to_timestamp(now);
  write(batch, leader_epoch, now, outcome);
  if (settings_.defect == Defect::marker_time_ignored)
    state_.producers[marker.producer_id].last_timestamp = time_before;
  return outcome;
}

void PartitionLog::write(const SharedBytes& batch, std::int32_t leader_epoch, Instant now,
                         AppendOutcome& outcome) {
  const std::optional<std::int64_t> time = append_time(settings_, now);
  outcome.base_offset = log_end_offset_;
  outcome.log_append_time_ms = time.value_or(protocol::no_timestamp);
  note_stored(
      batches_.append(batch.view(), protocol::Placement{log_end_offset_, leader_epoch, time}));
  outcome.last_offset = log_end_offset_ - 1;
}

ErrorCode PartitionLog::append_as_follower(const SharedBytes& batches, std::int32_t leader_epoch) {
  const Result<std::vector<RecordBatchView>> opened = protocol::open_batches(batches);
  if (!opened) return ErrorCode::corrupt_message;
  for (const RecordBatchView& batch : *opened) {
    if (!batch.is_crc_valid() || batch.header().last_offset_delta < 0)
      return ErrorCode::corrupt_message;
    if (batch.header().partition_leader_epoch > leader_epoch) break;
    if (batch.header().base_offset < log_end_offset_) return ErrorCode::offset_out_of_range;
    note_stored(batches_.append(batch.bytes().view()));
  }
  return ErrorCode::none;
}

// Everything that follows from the batch that is now the last one.
void PartitionLog::note_stored(const RecordBatchView& batch) {
  const RecordBatchHeader& header = batch.header();
  make_room(header, header.base_offset);
  segments_.append(settings_.segments, header);
  size_bytes_ += batch.bytes().size();
  log_end_offset_ = header.last_offset() + 1;
  if (header.partition_leader_epoch >= 0)
    leader_epochs_.begin(header.partition_leader_epoch, header.base_offset);
  apply(state_, batch);
  if (!header.has_producer_id() || !header.is_transactional()) return;
  const bool is_kept = is_about_next(verifications_.find(header.producer_id), header) &&
                       settings_.defect != Defect::next_transaction_not_held_back;
  if (!is_kept) verifications_.remove(header.producer_id);
}

void PartitionLog::make_room(const RecordBatchHeader& batch, std::int64_t offset) {
  const std::size_t before = segments_.all().size();
  segments_.make_room(settings_.segments, batch, offset);
  const bool is_rolled = before > 0 && segments_.all().size() > before;
  if (is_rolled && changes_) changes_->rolled[offset] = state_.producers;
}

void PartitionLog::note_truncation(std::int64_t offset) {
  if (!changes_) return;
  changes_->truncated_to = std::min(offset, changes_->truncated_to.value_or(offset));
  std::erase_if(changes_->rolled, [&](const auto& rolled) { return rolled.first >= offset; });
}

void PartitionLog::apply(State& state, const RecordBatchView& batch) {
  const RecordBatchHeader& header = batch.header();
  if (!header.has_producer_id()) return;
  if (!header.is_control_batch()) {
    ProducerEntry& entry = state.producers[header.producer_id];
    const bool was_open = entry.transaction_first_offset.has_value();
    apply_batch(entry, header);
    if (!was_open && entry.transaction_first_offset)
      state.transactions.begin(header.producer_id, header.base_offset);
    return;
  }
  const Result<std::optional<protocol::EndTransactionMarker>> marker = protocol::read_marker(batch);
  if (!marker || !*marker) return;  // another control record, or one that compaction emptied
  ProducerEntry& entry = state.producers[header.producer_id];
  if (const auto ended = apply_marker(entry, header, **marker))
    state.transactions.end(header.producer_id, *ended);
}

void PartitionLog::advance_high_watermark(std::int64_t offset) {
  high_watermark_ = std::max(high_watermark_, std::min(offset, log_end_offset_));
  state_.transactions.replicated_to(high_watermark_);
}

ErrorCode PartitionLog::delete_records_before(std::int64_t offset) {
  if (offset > high_watermark_) return ErrorCode::offset_out_of_range;
  if (offset <= log_start_offset_) return ErrorCode::none;
  log_start_offset_ = offset;
  drop_segments_below(offset);
  before_start_.transactions.log_starts_at(offset);
  cleaned_state_.transactions.log_starts_at(offset);
  state_.transactions.log_starts_at(offset);
  leader_epochs_.log_starts_at(offset);
  if (settings_.defect == Defect::producer_forgotten_with_records)
    for (auto& [producer_id, entry] : state_.producers)
      std::erase_if(entry.batches,
                    [&](const RememberedBatch& it) { return it.last_offset < offset; });
  return ErrorCode::none;
}

void PartitionLog::drop_segments_below(std::int64_t offset) {
  const std::vector<Segment>& segments = segments_.all();
  std::size_t count = 0;
  while (count + 1 < segments.size() && segments[count + 1].base_offset <= offset) ++count;
  if (count == 0) return;
  const std::size_t kept = batches_.find(segments[count].base_offset);
  for (std::size_t index = 0; index < kept; ++index)
    apply(before_start_, open_own(batches_.bytes(index)));
  size_bytes_ -= batches_.bytes_between(0, kept);
  batches_.drop_front(kept);
  segments_.drop_front(count);
}

void PartitionLog::truncate_to(std::int64_t offset) {
  // An epoch that this replica began as leader, and wrote nothing in, need not be the new leader's:
  // while it stays, the two never agree on where their logs part.
  if (offset >= log_end_offset_) return leader_epochs_.truncate_to(log_end_offset_);
  if (offset < log_start_offset_) return truncate_fully_and_start_at(offset);
  const std::size_t kept = batches_.find(offset);
  // A batch is never cut in two.
  log_end_offset_ =
      kept < batches_.size() ? std::min(offset, batches_.header(kept).base_offset) : offset;
  batches_.truncate(kept);
  segments_.truncate_to(log_end_offset_);
  if (!segments_.all().empty())
    for (std::size_t i = batches_.find(segments_.all().back().base_offset); i < batches_.size();
         ++i)
      segments_.append(settings_.segments, batches_.header(i));
  note_truncation(log_end_offset_);
  high_watermark_ = std::min(high_watermark_, log_end_offset_);
  log_start_offset_ = std::min(log_start_offset_, log_end_offset_);
  leader_epochs_.truncate_to(log_end_offset_);
  first_dirty_offset_ = std::min(first_dirty_offset_, log_end_offset_);
  rebuild();
}

void PartitionLog::rebuild() {
  if (log_end_offset_ < cleaned_until_) {
    cleaned_state_ = State();
    cleaned_until_ = 0;
  }
  for (std::size_t index = begin_rebuild(state_); index < batches_.size(); ++index)
    apply(state_, open_own(batches_.bytes(index)));
  size_bytes_ = batches_.bytes_between(0, batches_.size());
  state_.transactions.replicated_to(high_watermark_);
  state_.transactions.log_starts_at(log_start_offset_);
}

void PartitionLog::truncate_fully_and_start_at(std::int64_t offset) {
  batches_ = BatchStore();
  segments_ = Segments();
  size_bytes_ = 0;
  log_start_offset_ = high_watermark_ = log_end_offset_ = offset;
  leader_epochs_.clear();
  state_ = before_start_ = cleaned_state_ = State();
  cleaned_until_ = first_dirty_offset_ = 0;
  note_truncation(0);
}

std::size_t PartitionLog::begin_rebuild(State& state) const {
  state = cleaned_until_ > 0 ? cleaned_state_ : before_start_;
  return cleaned_until_ > 0 ? batches_.find(cleaned_until_) : 0;
}

void PartitionLog::expire_producers(Instant now, Duration expiration) {
  if (now <= producers_checked_) return;
  producers_checked_ = now;
  const std::int64_t now_ms = to_timestamp(now);
  const std::int64_t expiration_ms = to_milliseconds(expiration);
  expire(state_.producers, now_ms, expiration_ms);
  expire(before_start_.producers, now_ms, expiration_ms);
  expire(cleaned_state_.producers, now_ms, expiration_ms);
  verifications_.expire(now, expiration);
}

VerificationGuard PartitionLog::begin_verification(std::int64_t producer_id, std::int32_t sequence,
                                                   std::int16_t producer_epoch, bool adds_partition,
                                                   Instant now) {
  if (!settings_.verifies_transactions && !adds_partition) return no_guard;
  if (has_ongoing_transaction(producer_id, producer_epoch)) return no_guard;
  return verifications_.begin(producer_id, sequence, producer_epoch, adds_partition, now);
}

bool PartitionLog::has_ongoing_transaction(std::int64_t producer_id,
                                           std::int16_t producer_epoch) const {
  const ProducerEntry* entry = find_producer(producer_id);
  if (entry == nullptr || !entry->transaction_first_offset) return false;
  // Before Kafka 4 the epoch was not looked at.
  return !settings_.holds_back_before_marker || entry->producer_epoch == producer_epoch;
}

bool PartitionLog::has_older_transaction(std::int64_t producer_id,
                                         std::int16_t producer_epoch) const {
  if (settings_.defect == Defect::next_transaction_not_held_back) return false;
  const ProducerEntry* entry = find_producer(producer_id);
  return entry != nullptr && entry->transaction_first_offset &&
         entry->producer_epoch < producer_epoch;
}

}  // namespace fencepost::minibroker
