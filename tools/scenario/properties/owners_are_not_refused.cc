// A member of the group's current generation may commit its offsets: a fence that stops its
// rightful owner is as bad as none.
#include <algorithm>

#include "tools/scenario/properties/property.h"

namespace fencepost::scenario {

namespace {

class OwnersAreNotRefused : public PropertyOf<OwnersAreNotRefused> {
 public:
  void observe(const StepFacts& facts) override {
    if (facts.deeds.refusals.empty()) return;
    for (const minibroker::GroupState& group : facts.cluster.groups())
      for (const RefusalFact& refusal : facts.deeds.refusals)
        if (!broken_ && is_of_its_member(refusal, group))
          broken_ = refusal.actor + " is a member of generation " +
                    std::to_string(group.generation) + " of " + group.group_id +
                    ", the current one, and its commit was refused: " + refusal.error;
  }

  std::optional<std::string> broken() const override { return broken_; }

 private:
  static bool is_of_its_member(const RefusalFact& refusal, const minibroker::GroupState& group) {
    const bool is_current =
        group.group_id == refusal.group && group.generation == refusal.generation;
    return is_current && group.state == "Stable" &&
           std::find(group.members.begin(), group.members.end(), refusal.member_id) !=
               group.members.end();
  }

  std::optional<std::string> broken_;
};

}  // namespace

std::unique_ptr<Property> make_owners_are_not_refused() {
  return std::make_unique<OwnersAreNotRefused>();
}

}  // namespace fencepost::scenario
