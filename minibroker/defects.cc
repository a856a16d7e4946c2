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
    DefectInfo{Defect::offsets_applied_at_once, "offsets_applied_at_once",
               "offsets of a transaction count before it ends"},
    DefectInfo{Defect::offsets_survive_abort, "offsets_survive_abort",
               "offsets of an aborted transaction count"},
    DefectInfo{Defect::offsets_lost_at_commit, "offsets_lost_at_commit",
               "the group does not hear of the commit of its offsets"},
    DefectInfo{Defect::generation_unchecked, "generation_unchecked",
               "TxnOffsetCommit is taken from any member and generation"},
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
