#include "minibroker/defects.h"

#include <algorithm>
#include <array>

namespace fencepost::minibroker {

namespace {

constexpr std::array table{
    DefectInfo{Defect::producer_epoch_unchecked, "producer_epoch_unchecked",
               "a leader appends batches of an older producer epoch"},
    DefectInfo{Defect::sequence_unchecked, "sequence_unchecked",
               "a leader appends batches in whatever sequence they come"},
    DefectInfo{Defect::duplicates_appended, "duplicates_appended",
               "a leader appends a batch again that it has"},
    DefectInfo{Defect::stable_offset_past_transaction, "stable_offset_past_transaction",
               "the last stable offset is one too high while a transaction is open"},
    DefectInfo{Defect::aborted_transactions_unlisted, "aborted_transactions_unlisted",
               "Fetch does not say which transactions are aborted"},
    DefectInfo{Defect::verification_off, "verification_off",
               "a leader does not ask whether a partition is in the transaction (KIP-890 part 1)"},
    DefectInfo{Defect::verification_answers_reused, "verification_answers_reused",
               "an answer that came too late counts as that to a later question (KAFKA-14884)"},
    DefectInfo{Defect::guard_before_epoch, "guard_before_epoch",
               "a fenced producer is told of its lost transaction, not of the fence (KAFKA-19690)"},
    DefectInfo{Defect::next_transaction_not_held_back, "next_transaction_not_held_back",
               "a batch does not wait for the marker of the transaction before (KAFKA-18575)"},
    DefectInfo{Defect::marker_coordinator_epoch_unchecked, "marker_coordinator_epoch_unchecked",
               "a leader writes the markers of a coordinator that has been replaced"},
    DefectInfo{Defect::marker_time_ignored, "marker_time_ignored",
               "a producer expires by the time of its last record (KAFKA-9144)"},
    DefectInfo{Defect::new_leader_knows_no_transaction, "new_leader_knows_no_transaction",
               "to a new leader nothing is open that was begun before it led"},
    DefectInfo{Defect::producer_forgotten_with_records, "producer_forgotten_with_records",
               "who deletes records deletes the sequences of their producers (KAFKA-7190)"},
    DefectInfo{Defect::markers_compacted_by_key, "markers_compacted_by_key",
               "compaction keeps the last commit and the last abort marker"},
    DefectInfo{Defect::cleaner_forgets_transactions, "cleaner_forgets_transactions",
               "compaction forgets open transactions between two segments (KAFKA-8351)"},
    DefectInfo{Defect::produce_says_producer_fenced, "produce_says_producer_fenced",
               "Produce answers a fence by its newer name (KAFKA-10687)"},
    DefectInfo{Defect::fence_on_timeout_off, "fence_on_timeout_off",
               "a transaction that is aborted by its timeout leaves its producer unfenced"},
    DefectInfo{Defect::takeover_keeps_epoch, "takeover_keeps_epoch",
               "InitProducerId hands out the epoch that is in use"},
    DefectInfo{Defect::takeover_keeps_transaction, "takeover_keeps_transaction",
               "InitProducerId does not abort what is open"},
    DefectInfo{Defect::end_txn_epoch_unchecked, "end_txn_epoch_unchecked",
               "EndTxn is taken from any epoch"},
    DefectInfo{Defect::addition_epoch_unchecked, "addition_epoch_unchecked",
               "partitions are added to a transaction for any epoch"},
    DefectInfo{Defect::end_txn_answered_early, "end_txn_answered_early",
               "EndTxn is answered before the decision is in the log"},
    DefectInfo{Defect::epoch_kept_at_end, "epoch_kept_at_end",
               "EndTxn v5 does not raise the epoch (KIP-890 part 2)"},
    DefectInfo{Defect::last_marker_missing, "last_marker_missing",
               "the last partition of a transaction gets no marker"},
    DefectInfo{Defect::marker_sent_twice, "marker_sent_twice", "each marker is sent twice"},
    DefectInfo{Defect::markers_disagree, "markers_disagree",
               "the last partition of a committed transaction gets an abort marker"},
    DefectInfo{Defect::completed_before_markers, "completed_before_markers",
               "a transaction is complete before its markers are written"},
    DefectInfo{Defect::timeout_ignored, "timeout_ignored",
               "transactions are not aborted by their timeout"},
    DefectInfo{Defect::prepared_forgotten_at_load, "prepared_forgotten_at_load",
               "a coordinator that loads does not go on with what was decided"},
    DefectInfo{Defect::last_acknowledgement_unnoticed, "last_acknowledgement_unnoticed",
               "nobody looks whether a marker was the last one (KAFKA-9777)"},
    DefectInfo{Defect::pending_kept_after_failed_write, "pending_kept_after_failed_write",
               "an id stays busy with what could not be written (KAFKA-5351)"},
    DefectInfo{Defect::failed_fence_raises_epoch_again, "failed_fence_raises_epoch_again",
               "each attempt to fence raises the epoch, written or not (KAFKA-9666)"},
    DefectInfo{Defect::fence_raises_epoch_twice, "fence_raises_epoch_twice",
               "a fence raises the epoch, and its abort does so again (KAFKA-19367)"},
    DefectInfo{Defect::last_epoch_without_successor, "last_epoch_without_successor",
               "a fence of the last epoch reserves no producer id to go on with (KAFKA-20090)"},
    DefectInfo{Defect::internal_epoch_handed_out, "internal_epoch_handed_out",
               "the end of the last epoch is answered with that of the marker (KAFKA-18660)"},
    DefectInfo{Defect::offsets_applied_at_once, "offsets_applied_at_once",
               "offsets of a transaction count before it ends"},
    DefectInfo{Defect::offsets_survive_abort, "offsets_survive_abort",
               "offsets of an aborted transaction count"},
    DefectInfo{Defect::offsets_lost_at_commit, "offsets_lost_at_commit",
               "the group does not hear of the commit of its offsets"},
    DefectInfo{Defect::generation_unchecked, "generation_unchecked",
               "TxnOffsetCommit is taken from any member and generation"},
    DefectInfo{Defect::loading_group_knows_nothing, "loading_group_knows_nothing",
               "OffsetFetch finds nothing while the group loads (KAFKA-20416)"},
    DefectInfo{Defect::pending_offsets_expire, "pending_offsets_expire",
               "a group with nothing but pending offsets is taken for empty (KAFKA-19163)"},
    DefectInfo{Defect::deleted_offsets_stay_pending, "deleted_offsets_stay_pending",
               "a group is never rid of pending offsets that were deleted (KAFKA-19164)"},
    DefectInfo{Defect::static_member_not_written, "static_member_not_written",
               "the new member id of a static member is not in the log (KAFKA-10284)"},
};

}  // namespace

std::span<const DefectInfo> defects() {
  return table;
}

std::optional<Defect> find_defect(std::string_view name) {
  const auto at = std::ranges::find(table, name, &DefectInfo::name);
  return at == table.end() ? std::nullopt : std::optional(at->defect);
}

}  // namespace fencepost::minibroker
