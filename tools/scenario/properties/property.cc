// Which class stands behind which name.
#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

std::unique_ptr<Property> make_property(const std::string& name) {
  if (name == "aborted_records_stay_hidden") return make_aborted_records_stay_hidden();
  if (name == "last_stable_offset_never_moves_back")
    return make_last_stable_offset_never_moves_back();
  if (name == "last_stable_offset_waits_for_open_transactions")
    return make_last_stable_offset_waits_for_open_transactions();
  if (name == "decisions_are_final") return make_decisions_are_final();
  if (name == "one_epoch_one_writer") return make_one_epoch_one_writer();
  if (name == "recovery_is_complete") return make_recovery_is_complete();
  if (name == "newest_snapshot_survives") return make_newest_snapshot_survives();
  if (name == "committed_offsets_never_lead_snapshots")
    return make_committed_offsets_never_lead_snapshots();
  CHECK(!"the parser let a property through that nobody makes");
  return nullptr;
}

}  // namespace fencepost::scenario
