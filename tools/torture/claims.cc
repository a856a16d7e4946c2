#include "tools/torture/claims.h"

#include <map>

namespace fencepost::tools {

namespace {

using fencing::example::Tally;

constexpr int shown_max = 3;  // of each kind

// The tallies of a key after each of its events, by the event's offset.
using History = std::map<std::int64_t, Tally>;

std::map<std::string, History> histories_of(const std::vector<SeenEvent>& events) {
  std::map<std::string, Tally> tallies;
  std::map<std::string, History> histories;
  for (const SeenEvent& event : events) {
    Tally& tally = tallies[event.key];
    tally = fencing::example::fold(tally, event.offset, event.value);
    histories[event.key][event.offset] = tally;
  }
  return histories;
}

std::string place(const SeenPartition& partition, const SeenSnapshot& snapshot) {
  return "state-" + std::to_string(partition.index) + ", offset " +
         std::to_string(snapshot.offset) + ": key " + snapshot.key;
}

void check_snapshots(const SeenPartition& partition,
                     const std::map<std::string, History>& histories,
                     std::map<std::string, Tally>* newest, std::vector<std::string>* broken) {
  int wrong = 0;
  int older = 0;
  for (const SeenSnapshot& snapshot : partition.snapshots) {
    const auto tally = fencing::example::parse_tally(snapshot.value);
    const auto history = histories.find(snapshot.key);
    const bool is_known = tally.has_value() && history != histories.end() &&
                          history->second.contains(tally->last_offset);
    const Tally expected = is_known ? history->second.at(tally->last_offset) : Tally();
    if ((!is_known || expected != *tally) && wrong++ < shown_max)
      broken->push_back(place(partition, snapshot) + " is '" + snapshot.value +
                        "', the events give '" + to_string(expected) + "'");
    if (!tally.has_value()) continue;
    Tally& last = (*newest)[snapshot.key];
    if (tally->last_offset < last.last_offset && older++ < shown_max)
      broken->push_back(place(partition, snapshot) + " goes back from event " +
                        std::to_string(last.last_offset) + " to event " +
                        std::to_string(tally->last_offset));
    last = *tally;
  }
}

}  // namespace

std::vector<std::string> broken_claims(const SeenPartition& partition) {
  std::vector<std::string> broken;
  std::map<std::string, Tally> newest;
  check_snapshots(partition, histories_of(partition.events), &newest, &broken);
  int missing = 0;
  for (const SeenEvent& event : partition.events) {
    if (event.offset >= partition.committed_offset) break;
    if (newest[event.key].last_offset >= event.offset || missing++ >= shown_max) continue;
    broken.push_back("in-" + std::to_string(partition.index) + ": the group has committed " +
                     std::to_string(partition.committed_offset) + ", but event " +
                     std::to_string(event.offset) + " of key " + event.key +
                     " is in no snapshot that survives");
  }
  return broken;
}

}  // namespace fencepost::tools
