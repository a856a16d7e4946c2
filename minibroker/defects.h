// Mistakes that the brokers of an era can be told to make, one at a time and none by default: to
// see what a bug of that kind does, and to prove that the properties see it. Each is one switch, at
// the place where the mistake would be made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fencepost::minibroker {

enum class Defect : std::uint8_t {
  none,
  // ---- log/
  producer_epoch_unchecked,
  sequence_unchecked,
  duplicates_appended,
  stable_offset_past_transaction,
  aborted_transactions_unlisted,
  verification_off,
  verification_answers_reused,
  guard_before_epoch,
  next_transaction_not_held_back,
  marker_coordinator_epoch_unchecked,
  marker_time_ignored,
  new_leader_knows_no_transaction,
  producer_forgotten_with_records,
  markers_compacted_by_key,
  cleaner_forgets_transactions,
  produce_says_producer_fenced,
  // ---- transaction/
  fence_on_timeout_off,
  takeover_keeps_epoch,
  takeover_keeps_transaction,
  end_txn_epoch_unchecked,
  addition_epoch_unchecked,
  end_txn_answered_early,
  epoch_kept_at_end,
  last_marker_missing,
  marker_sent_twice,
  markers_disagree,
  completed_before_markers,
  timeout_ignored,
  prepared_forgotten_at_load,
  last_acknowledgement_unnoticed,
  pending_kept_after_failed_write,
  failed_fence_raises_epoch_again,
  fence_raises_epoch_twice,
  last_epoch_without_successor,
  internal_epoch_handed_out,
  // ---- group/
  offsets_applied_at_once,
  offsets_survive_abort,
  offsets_lost_at_commit,
  generation_unchecked,
  loading_group_knows_nothing,
  pending_offsets_expire,
  deleted_offsets_stay_pending,
  static_member_not_written,
};

struct DefectInfo {
  Defect defect = Defect::none;
  std::string_view name;
  std::string_view meaning;  // what a broker with it does
};

// All but `none`, in the order above.
std::span<const DefectInfo> defects();
std::optional<Defect> find_defect(std::string_view name);

}  // namespace fencepost::minibroker
