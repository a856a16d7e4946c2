#include "minibroker/sim/fault_plan.h"

#include <algorithm>
#include <array>

namespace fencepost::minibroker::sim {

namespace {

constexpr std::array<std::string_view, 9> action_names{
    "hold", "drop", "lose_reply", "hold_reply", "delay", "duplicate", "reorder", "error", "close"};

bool includes(const std::vector<std::string>& list, const std::optional<std::string>& wanted) {
  return !wanted || std::ranges::find(list, *wanted) != list.end();
}

}  // namespace

std::string_view to_string(FaultAction action) {
  return action_names.at(static_cast<std::size_t>(action));
}

std::optional<FaultAction> parse_fault_action(std::string_view name) {
  const auto at = std::ranges::find(action_names, name);
  if (at == action_names.end()) return std::nullopt;
  return static_cast<FaultAction>(at - action_names.begin());
}

std::span<const std::string_view> fault_action_names() {
  return action_names;
}

bool FaultRule::matches(const MessageFacts& facts) const {
  return count != 0 && (!api_key || *api_key == facts.api_key) &&
         (!client_id || *client_id == facts.client_id) && includes(facts.topics, topic) &&
         includes(facts.transactional_ids, transactional_id) &&
         (!from_broker || *from_broker == facts.from_broker) &&
         (!to_broker || *to_broker == facts.to_broker);
}

std::uint64_t FaultPlan::add(FaultRule rule) {
  rule.id = ++last_id_;
  // A request that is to arrive out of order needs the next one as well.
  if (rule.action == FaultAction::reorder && rule.count > 0) rule.count *= 2;
  rules_.push_back(std::move(rule));
  return last_id_;
}

bool FaultPlan::remove(const std::string& name) {
  return std::erase_if(rules_, [&](const FaultRule& rule) { return rule.name == name; }) > 0;
}

bool FaultPlan::remove(std::uint64_t id) {
  return std::erase_if(rules_, [&](const FaultRule& rule) { return rule.id == id; }) > 0;
}

const FaultRule* FaultPlan::find(std::uint64_t id) const {
  const auto found = std::ranges::find(rules_, id, &FaultRule::id);
  return found == rules_.end() ? nullptr : &*found;
}

bool FaultPlan::has_active() const {
  return std::ranges::any_of(rules_, [](const FaultRule& rule) { return rule.count != 0; });
}

void FaultPlan::add_to(Digest& digest) const {
  for (const FaultRule& rule : rules_) {
    if (rule.count == 0) continue;
    digest.add(static_cast<std::int64_t>(rule.action));
    digest.add(rule.name);
    digest.add(rule.api_key ? static_cast<std::int64_t>(*rule.api_key) : std::int64_t{-1});
    digest.add(rule.client_id.value_or(""));
    digest.add(rule.topic.value_or(""));
    digest.add(rule.transactional_id.value_or(""));
    digest.add(rule.to_broker.value_or(-1));
    digest.add(rule.count);
  }
}

std::optional<FaultRule> FaultPlan::take(const MessageFacts& facts) {
  const auto found =
      std::ranges::find_if(rules_, [&](const FaultRule& rule) { return rule.matches(facts); });
  if (found == rules_.end()) return std::nullopt;
  ++found->hits;
  if (found->count > 0) --found->count;
  return *found;
}

}  // namespace fencepost::minibroker::sim
