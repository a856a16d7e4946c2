// Which class stands behind which name.
#include "tools/scenario/properties/property.h"

#include <algorithm>
#include <iterator>

namespace fencepost::scenario {

void Deeds::take(Deeds& other) {
  std::ranges::move(other.reads, std::back_inserter(reads));
  std::ranges::move(other.writes, std::back_inserter(writes));
  std::ranges::move(other.ends, std::back_inserter(ends));
  std::ranges::move(other.refusals, std::back_inserter(refusals));
  other = {};
}

void add(Digest& digest, const WriteFact& write) {
  digest.add(write.actor);
  digest.add(write.transaction);
  digest.add(write.partition.topic);
  digest.add(write.partition.partition);
  digest.add(write.base_offset);
}

const minibroker::PartitionState* StepFacts::find(const TopicPartition& partition) const {
  for (const minibroker::PartitionState& it : partitions)
    if (it.index == partition.partition && it.topic == partition.topic) return &it;
  return nullptr;
}

std::unique_ptr<Property> make_property(const std::string& name) {
  if (name == "aborted_records_stay_hidden") return make_aborted_records_stay_hidden();
  if (name == "last_stable_offset_never_moves_back")
    return make_last_stable_offset_never_moves_back();
  if (name == "last_stable_offset_waits_for_open_transactions")
    return make_last_stable_offset_waits_for_open_transactions();
  if (name == "decisions_are_final") return make_decisions_are_final();
  if (name == "all_or_nothing") return make_all_or_nothing();
  if (name == "batches_are_in_sequence") return make_batches_are_in_sequence();
  if (name == "markers_come_once") return make_markers_come_once();
  if (name == "everything_is_decided") return make_everything_is_decided();
  if (name == "owners_are_not_refused") return make_owners_are_not_refused();
  if (name == "one_epoch_one_writer") return make_one_epoch_one_writer();
  if (name == "operations_are_linearizable") return make_operations_are_linearizable();
  if (name == "recovery_is_complete") return make_recovery_is_complete();
  if (name == "newest_snapshot_survives") return make_newest_snapshot_survives();
  if (name == "committed_offsets_never_lead_snapshots")
    return make_committed_offsets_never_lead_snapshots();
  CHECK(!"the parser let a property through that nobody makes");
  return nullptr;
}

}  // namespace fencepost::scenario
