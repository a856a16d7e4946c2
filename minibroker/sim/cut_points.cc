#include "minibroker/sim/cut_points.h"

#include <algorithm>
#include <array>

#include "protocol/base/check.h"

namespace fencepost::minibroker::sim {

namespace {

using namespace std::string_view_literals;

constexpr std::array names{
    "before_empty"sv,
    "after_empty"sv,
    "replicated_empty"sv,
    "before_ongoing"sv,
    "after_ongoing"sv,
    "replicated_ongoing"sv,
    "before_prepare_commit"sv,
    "after_prepare_commit"sv,
    "replicated_prepare_commit"sv,
    "before_prepare_abort"sv,
    "after_prepare_abort"sv,
    "replicated_prepare_abort"sv,
    "before_tombstones"sv,
    "after_tombstones"sv,
    "replicated_tombstones"sv,
    "before_markers"sv,
    "after_markers"sv,
    "before_marker"sv,
    "after_marker"sv,
    "between_markers"sv,
    "before_offsets_visible"sv,
    "after_offsets_visible"sv,
    "before_complete_commit"sv,
    "after_complete_commit"sv,
    "replicated_complete_commit"sv,
    "before_complete_abort"sv,
    "after_complete_abort"sv,
    "replicated_complete_abort"sv,
};

bool is_at(const Cut& cut, int broker_id, std::string_view point, std::string_view subject) {
  return cut.point == point && (!cut.broker_id || *cut.broker_id == broker_id) &&
         (!cut.subject || *cut.subject == subject);
}

}  // namespace

std::span<const std::string_view> cut_points() {
  return names;
}

std::uint64_t CutPlan::add(Cut cut) {
  CHECK(std::ranges::find(names, cut.point) != names.end());
  cuts_.push_back({++last_id_, std::move(cut)});
  return last_id_;
}

bool CutPlan::remove(std::uint64_t id) {
  return std::erase_if(cuts_, [&](const Entry& entry) { return entry.id == id; }) > 0;
}

bool CutPlan::reach(int broker_id, std::string_view point, std::string_view subject) {
  if (is_noting_) moments_.push_back({broker_id, std::string(point), std::string(subject)});
  for (auto entry = cuts_.begin(); entry != cuts_.end(); ++entry) {
    if (!is_at(entry->cut, broker_id, point, subject)) continue;
    if (entry->cut.skip > 0) {
      --entry->cut.skip;
      continue;
    }
    reached_ = std::move(entry->cut);
    cuts_.erase(entry);
    return true;
  }
  return false;
}

void CutPlan::add_to(Digest& digest) const {
  for (const Entry& entry : cuts_) {
    digest.add(entry.cut.point);
    digest.add(entry.cut.broker_id.value_or(-1));
    digest.add(entry.cut.subject.value_or(""));
    digest.add(entry.cut.skip);
  }
}

}  // namespace fencepost::minibroker::sim
