// Cut points: the named moments of a broker's work at which it can be made to crash. Where they are
// is said next to what they cut; the list of all names is what scenario files and explore offer.
//
//   before_X, after_X, replicated_X   a record of the transaction log: not yet written; written on
//                                     the leader only; in sync, but nobody has been told
//     X: empty, ongoing, prepare_commit, prepare_abort, complete_commit, complete_abort
//   before_tombstones, after_tombstones, replicated_tombstones    likewise, of a batch that forgets
//                                     transactional ids, or groups and their offsets
//   before_markers, after_markers     on the coordinator: the decision is answered, no marker is
//                                     sent; every marker is answered, nothing is completed
//   before_marker, after_marker       on the leader of a partition: around the append of its marker
//   between_markers                   before the append of a marker that is not the first of its
//                                     request
//   before_offsets_visible, after_offsets_visible    on the group's coordinator
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/digest.h"

namespace fencepost::minibroker::sim {

// What a crash leaves of what was written but not synced to disk.
enum class Unsynced { kept, lost };

// A crash that waits for its moment.
struct Cut {
  std::string point;
  std::optional<int> broker_id = {};
  // The transactional.id; of markers and offsets the partition ("state-0"), and of tombstones the
  // one of the log that they are in ("__consumer_offsets-7").
  std::optional<std::string> subject = {};
  int skip = 0;  // how many such moments pass before
  Unsynced unsynced = Unsynced::kept;
};

// A moment that a broker's work has come to.
struct Moment {
  int broker_id = 0;
  std::string point;
  std::string subject;
  bool operator==(const Moment&) const = default;
};

// The names of all cut points.
std::span<const std::string_view> cut_points();

// The crashes that wait, and the one that has just come due.
class CutPlan {
 public:
  std::uint64_t add(Cut cut);
  // False when it has happened, or never was.
  bool remove(std::uint64_t id);
  void clear() { cuts_.clear(); }
  bool empty() const { return cuts_.empty(); }

  // From now on every moment is noted, in the order in which they come.
  void note_moments() { is_noting_ = true; }
  std::vector<Moment> take_moments() { return std::exchange(moments_, {}); }
  // Whether anybody wants to know of moments at all.
  bool is_interested() const { return is_noting_ || !cuts_.empty(); }

  // A broker is at that moment; true when it is to crash there. The cut is used up.
  bool reach(int broker_id, std::string_view point, std::string_view subject);
  // The cut that reach() has met last; nothing afterwards.
  std::optional<Cut> take_reached() { return std::exchange(reached_, std::nullopt); }

  void add_to(Digest& digest) const;

 private:
  struct Entry {
    std::uint64_t id = 0;
    Cut cut;
  };

  std::vector<Entry> cuts_;
  std::optional<Cut> reached_;
  std::vector<Moment> moments_;
  bool is_noting_ = false;
  std::uint64_t last_id_ = 0;
};

}  // namespace fencepost::minibroker::sim
