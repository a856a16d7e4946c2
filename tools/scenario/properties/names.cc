// The table of names; property.cc makes each of them.
#include "tools/scenario/properties/names.h"

#include <array>

#include "tools/scenario/parser.h"

namespace fencepost::scenario {

namespace {

constexpr std::array table{
    PropertyName{"aborted_records_stay_hidden", "an aborted record is never read as committed"},
    PropertyName{"last_stable_offset_never_moves_back",
                 "the last stable offset of a partition only grows"},
    PropertyName{"last_stable_offset_waits_for_open_transactions",
                 "the last stable offset never passes an open transaction"},
    PropertyName{"decisions_are_final", "what was committed or aborted stays so, and stays there"},
    PropertyName{"all_or_nothing",
                 "a transaction has one end, and it is the one that was answered"},
    PropertyName{"batches_are_in_sequence",
                 "a producer's batches are in order, without gaps and repeats"},
    PropertyName{"markers_come_once", "a transaction has one marker in each partition"},
    PropertyName{"everything_is_decided",
                 "when faults have stopped and time has passed, no transaction is open"},
    PropertyName{"owners_are_not_refused",
                 "a member of the current generation may commit its offsets"},
    PropertyName{"one_epoch_one_writer", "a producer id and epoch write for one actor only"},
    PropertyName{"recovery_is_complete",
                 "a recovery finds every snapshot that was committed when it began"},
    PropertyName{"operations_are_linearizable",
                 "what was answered has happened, for everybody who asks afterwards"},
    PropertyName{"newest_snapshot_survives", "the last visible snapshot of a key is its newest"},
    PropertyName{"committed_offsets_never_lead_snapshots",
                 "no committed offset is ahead of the visible snapshot"},
};

}  // namespace

std::span<const PropertyName> property_table() {
  return table;
}

std::vector<std::string> property_names() {
  std::vector<std::string> names;
  for (const PropertyName& it : table) names.emplace_back(it.name);
  return names;
}

}  // namespace fencepost::scenario
