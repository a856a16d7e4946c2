// A group of the classic protocol as a value: its state, members and protocols. What a change of it
// means to those who wait is decided in rebalance.cc and the files of the requests.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/effects.h"
#include "protocol/base/bytes.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

enum class ClassicGroupState { empty, preparing_rebalance, completing_rebalance, stable, dead };

// As DescribeGroups prints it: "PreparingRebalance".
std::string_view to_string(ClassicGroupState state);

// A way to assign partitions that a member offers, with what it has to say for it.
struct ClassicProtocol {
  std::string name;
  SharedBytes metadata;
  bool operator==(const ClassicProtocol&) const = default;
};

struct ClassicMember {
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::string client_id;
  std::string client_host;
  Duration rebalance_timeout{};
  Duration session_timeout{};
  std::vector<ClassicProtocol> protocols;  // most wanted first
  SharedBytes assignment;

  bool is_new = false;  // its first join has not been answered: it cannot send heartbeats yet
  std::optional<RequestContext> waiting_join;
  std::optional<RequestContext> waiting_sync;
  std::optional<Instant> session_deadline;

  bool is_static() const { return group_instance_id.has_value(); }
  // Empty when the member does not offer that protocol.
  SharedBytes metadata_of(const std::string& protocol_name) const;
};

class ClassicGroup {
 public:
  // Without members, protocol type and generation: what an offset commit from outside any group
  // management creates.
  ClassicGroup(std::string group_id, Instant now);

  const std::string& group_id() const { return group_id_; }
  ClassicGroupState state() const { return state_; }
  ClassicGroupState previous_state() const { return previous_state_; }
  bool is_in(ClassicGroupState state) const { return state_ == state; }
  // When the group came into its state; nothing when the log does not say.
  std::optional<Instant> state_since() const { return state_since_; }
  std::int32_t generation() const { return generation_; }
  const std::optional<std::string>& protocol_type() const { return protocol_type_; }
  const std::optional<std::string>& protocol_name() const { return protocol_name_; }
  const std::optional<std::string>& leader() const { return leader_; }
  bool is_leader(const std::string& member_id) const { return leader_ == member_id; }

  void transition_to(ClassicGroupState state, Instant now);
  // Whether this state may go over to PreparingRebalance.
  bool can_rebalance() const;

  // ---- members, in the order in which they came

  const std::vector<ClassicMember>& members() const { return members_; }
  std::vector<ClassicMember>& members() { return members_; }
  ClassicMember* find_member(const std::string& member_id);
  const ClassicMember* find_member(const std::string& member_id) const;
  // The member that owns the instance id.
  ClassicMember* find_static_member(const std::string& group_instance_id);
  const ClassicMember* find_static_member(const std::string& group_instance_id) const;
  // Unknown instance: UNKNOWN_MEMBER_ID; owned by another: FENCED_INSTANCE_ID; not a member:
  // UNKNOWN_MEMBER_ID; in that order, so that a fenced static member learns that it is fenced.
  protocol::ErrorCode check_member(const std::string& member_id,
                                   const std::optional<std::string>& group_instance_id) const;
  // The first member becomes the leader and sets the protocol type.
  void add_member(ClassicMember member, const std::string& protocol_type);
  // Forgets the member, or a member id that was handed out; another member inherits the lead.
  void remove_member(const std::string& member_id);
  // Gives the static member its new id. What waits for it stays with it: answer that before.
  void rename_member(const std::string& old_member_id, const std::string& new_member_id);

  // ---- member ids that were handed out and have not joined yet, with their deadlines

  std::map<std::string, Instant> pending_members;
  // Members that have not sent SyncGroup in this generation.
  std::set<std::string> pending_sync_members;

  // ---- the round

  bool supports_protocols(const std::string& protocol_type,
                          const std::vector<ClassicProtocol>& protocols) const;
  // The protocol that all offer and most want.
  std::string select_protocol() const;
  std::size_t waiting_join_count() const;
  bool have_all_joined() const;
  // Makes sure that the leader is among those who joined; false when nobody has.
  bool elect_leader_among_joined();
  // Empty when there are no members, else CompletingRebalance.
  void begin_next_generation(Instant now);
  // The largest of the members'.
  Duration rebalance_timeout() const;

  // False when nobody's subscription has it. A consumer group whose subscriptions cannot be read
  // counts as subscribed to everything.
  bool is_subscribed_to(const std::string& topic) const;
  bool speaks_consumer_protocol() const { return protocol_type_ == "consumer"; }
  bool are_subscriptions_known() const { return subscribed_topics_.has_value(); }

  std::optional<Instant> join_deadline;
  // Set while the first round of an Empty group collects members: what is left of the time by which
  // it may be extended.
  std::optional<Duration> initial_delay_left;
  bool has_new_member_in_initial_delay = false;
  std::optional<Instant> sync_deadline;

  // Takes over what a record of the log says.
  void restore(std::int32_t generation, std::optional<std::string> protocol_type,
               std::optional<std::string> protocol_name, std::optional<std::string> leader,
               std::optional<Instant> state_since, std::vector<ClassicMember> members);

 private:
  void read_subscriptions();

  std::string group_id_;
  ClassicGroupState state_ = ClassicGroupState::empty;
  ClassicGroupState previous_state_ = ClassicGroupState::empty;
  std::optional<Instant> state_since_;
  std::int32_t generation_ = 0;
  std::optional<std::string> protocol_type_;
  std::optional<std::string> protocol_name_;
  std::optional<std::string> leader_;
  std::vector<ClassicMember> members_;
  std::optional<std::set<std::string>> subscribed_topics_;
};

}  // namespace fencepost::minibroker
