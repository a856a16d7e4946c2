#include "minibroker/sim/fault_plan.h"

#include <algorithm>

namespace fencepost::minibroker::sim {

namespace {

bool names(const std::vector<std::string>& list, const std::optional<std::string>& wanted) {
  return !wanted || std::ranges::find(list, *wanted) != list.end();
}

}  // namespace

bool FaultRule::matches(const MessageFacts& facts) const {
  return count != 0 && (!api_key || *api_key == facts.api_key) &&
         (!client_id || *client_id == facts.client_id) && names(facts.topics, topic) &&
         names(facts.transactional_ids, transactional_id) &&
         (!to_broker || *to_broker == facts.to_broker);
}

void FaultPlan::add(FaultRule rule) {
  rules_.push_back(std::move(rule));
}

bool FaultPlan::remove(const std::string& name) {
  return std::erase_if(rules_, [&](const FaultRule& rule) { return rule.name == name; }) > 0;
}

std::optional<FaultRule> FaultPlan::take(const MessageFacts& facts) {
  const auto found =
      std::ranges::find_if(rules_, [&](const FaultRule& rule) { return rule.matches(facts); });
  if (found == rules_.end()) return std::nullopt;
  FaultRule taken = *found;
  if (found->count > 0 && --found->count == 0) rules_.erase(found);
  return taken;
}

}  // namespace fencepost::minibroker::sim
