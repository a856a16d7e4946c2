// One step of a consumer group: what a request (or a timer) wants of it, worked out from the group
// as it is. Nothing happens to the group here; the coordinator applies the changes and writes them,
// or throws them away when the step ends with a refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/effects.h"
#include "minibroker/era.h"
#include "minibroker/group/consumer_records.h"
#include "minibroker/group/reconciliation.h"
#include "minibroker/group/settings.h"
#include "minibroker/group/topic_directory.h"

namespace fencepost::minibroker {

enum class MemberTimer { session, rebalance, join, sync };

struct TimerChange {
  std::string member_id;
  MemberTimer timer = MemberTimer::session;
  std::optional<Instant> deadline = {};  // nothing: it is cancelled
  bool is_kept_if_set = false;
  std::int32_t member_epoch = 0;  // of the rebalance timer: counts only while the member is there
};

struct Refusal {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::string message = {};
};

struct TargetView {
  std::int32_t epoch = 0;
  Assignment assignment = {};
};

class ConsumerStep {
 public:
  ConsumerStep(const ConsumerGroup& group, const TopicDirectory& topics,
               const ConsumerGroupSettings& settings, const Era& era, Instant now)
      : group_(group), topics_(topics), settings_(settings), era_(era), now_(now) {}

  // ---- what came of it

  std::vector<ConsumerChange> changes = {};
  std::vector<TimerChange> timers = {};
  std::optional<Refusal> refusal = {};
  bool has_fresh_metadata = false;
  std::optional<std::set<std::string>> regexes_to_resolve = {};

  // ---- what it is made of; each returns at once, with nothing done, after a refusal

  void refuse(protocol::ErrorCode error, std::string message);
  void refuse_if_full(const std::string& member_id, const std::optional<std::string>& instance_id);

  // Who sends the request.
  struct Identity {
    std::string member_id;
    std::int32_t member_epoch = 0;
    std::optional<std::string> instance_id;
    bool may_join = false;
    bool speaks_classic = false;
  };
  // The member as it was, or as it begins. A static member may take the place of an earlier one.
  ConsumerMember find_or_create(const Identity& identity, const OwnedPartitions& owned);

  enum class Subscription { same, changed, resolved };
  // Notes what is new about the member; whether its subscription by name is.
  bool update_subscription(const ConsumerMember& before, const ConsumerMember& after);
  // The same for its pattern. `resolved`: what the new pattern matches is known already.
  Subscription update_regex(const ConsumerMember& before, const ConsumerMember& after,
                            bool is_resolving);
  bool has_preferred_assignor_changed(const ConsumerMember& before, const ConsumerMember& after);
  // Looks at the topics again; the group epoch rises when they have changed, or when asked to.
  void update_metadata(const ConsumerMember& before, const ConsumerMember& after, bool bumps_epoch);
  // Has the assignor run when the group has moved on, and not too soon after the last time.
  TargetView update_target(const ConsumerMember& before, const ConsumerMember& after);
  TargetView current_target(const ConsumerMember& member) const;
  ConsumerMember reconcile_member(const ConsumerMember& member, const TargetView& target,
                                  bool has_subscription_changed, const OwnedPartitions& owned);

  // Members that leave or are thrown out.
  void remove_members(const std::vector<ConsumerMember>& members);
  void start_timer(const std::string& member_id, MemberTimer timer, Duration timeout);
  void cancel_timer(const std::string& member_id, MemberTimer timer);
  // What a refresh of the patterns has found.
  void take_resolved(const std::map<std::string, ResolvedRegex>& resolved);

  std::int32_t group_epoch() const { return new_group_epoch_.value_or(group_.group_epoch); }
  const ConsumerGroup& group() const { return group_; }
  const TopicDirectory& topics() const { return topics_; }
  const ConsumerGroupSettings& settings() const { return settings_; }
  Instant now() const { return now_; }

 private:
  void check_epoch(const ConsumerMember& member, std::int32_t member_epoch,
                   const OwnedPartitions& owned);
  ConsumerMember replace_static(const ConsumerMember& owner, const Identity& identity);
  void resolve_if_due(const ConsumerMember& before, const ConsumerMember& after, bool is_new_regex);
  std::int64_t hash_of(const SubscriptionCounts& subscribed) const;

  const ConsumerGroup& group_;
  const TopicDirectory& topics_;
  const ConsumerGroupSettings& settings_;
  const Era& era_;
  Instant now_;
  std::optional<std::int32_t> new_group_epoch_;
  std::optional<bool> is_homogeneous_;
};

}  // namespace fencepost::minibroker
