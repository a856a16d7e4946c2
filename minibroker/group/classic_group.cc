#include "minibroker/group/classic_group.h"

#include <algorithm>

#include "protocol/reader.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

// The topics of a ConsumerProtocolSubscription; every version begins with them.
std::optional<std::vector<std::string>> topics_of(const SharedBytes& subscription) {
  protocol::Reader reader(subscription);
  reader.int16();
  const std::int32_t count = reader.array_length(false);
  std::vector<std::string> topics;
  for (std::int32_t i = 0; i < count && !reader.failed(); ++i) {
    const std::int32_t size = reader.string_length(false);
    if (size < 0) return std::nullopt;
    topics.push_back(reader.text(static_cast<std::size_t>(size)));
  }
  if (reader.failed()) return std::nullopt;
  return topics;
}

bool offers(const ClassicMember& member, const std::string& protocol_name) {
  return std::any_of(member.protocols.begin(), member.protocols.end(),
                     [&](const ClassicProtocol& it) { return it.name == protocol_name; });
}

}  // namespace

std::string_view to_string(ClassicGroupState state) {
  switch (state) {
    case ClassicGroupState::empty:
      return "Empty";
    case ClassicGroupState::preparing_rebalance:
      return "PreparingRebalance";
    case ClassicGroupState::completing_rebalance:
      return "CompletingRebalance";
    case ClassicGroupState::stable:
      return "Stable";
    case ClassicGroupState::dead:
      return "Dead";
  }
  return "";
}

SharedBytes ClassicMember::metadata_of(const std::string& protocol_name) const {
  for (const ClassicProtocol& it : protocols)
    if (it.name == protocol_name) return it.metadata;
  return {};
}

ClassicGroup::ClassicGroup(std::string group_id, Instant now)
    : group_id_(std::move(group_id)), state_since_(now) {}

void ClassicGroup::transition_to(ClassicGroupState state, Instant now) {
  previous_state_ = state_;
  state_ = state;
  state_since_ = now;
}

bool ClassicGroup::can_rebalance() const {
  switch (state_) {
    case ClassicGroupState::empty:
    case ClassicGroupState::completing_rebalance:
    case ClassicGroupState::stable:
      return true;
    case ClassicGroupState::preparing_rebalance:
    case ClassicGroupState::dead:
      return false;
  }
  return false;
}

const ClassicMember* ClassicGroup::find_member(const std::string& member_id) const {
  for (const ClassicMember& it : members_)
    if (it.member_id == member_id) return &it;
  return nullptr;
}

ClassicMember* ClassicGroup::find_member(const std::string& member_id) {
  return const_cast<ClassicMember*>(std::as_const(*this).find_member(member_id));
}

const ClassicMember* ClassicGroup::find_static_member(const std::string& group_instance_id) const {
  for (const ClassicMember& it : members_)
    if (it.group_instance_id == group_instance_id) return &it;
  return nullptr;
}

ClassicMember* ClassicGroup::find_static_member(const std::string& group_instance_id) {
  return const_cast<ClassicMember*>(std::as_const(*this).find_static_member(group_instance_id));
}

ErrorCode ClassicGroup::check_member(const std::string& member_id,
                                     const std::optional<std::string>& group_instance_id) const {
  if (group_instance_id.has_value()) {
    const ClassicMember* owner = find_static_member(*group_instance_id);
    if (owner == nullptr) return ErrorCode::unknown_member_id;
    if (owner->member_id != member_id) return ErrorCode::fenced_instance_id;
  }
  return find_member(member_id) == nullptr ? ErrorCode::unknown_member_id : ErrorCode::none;
}

void ClassicGroup::add_member(ClassicMember member, const std::string& protocol_type) {
  if (members_.empty()) protocol_type_ = protocol_type;
  if (!leader_.has_value()) leader_ = member.member_id;
  pending_members.erase(member.member_id);
  members_.push_back(std::move(member));
}

void ClassicGroup::remove_member(const std::string& member_id) {
  pending_members.erase(member_id);
  pending_sync_members.erase(member_id);
  std::erase_if(members_, [&](const ClassicMember& it) { return it.member_id == member_id; });
  if (is_leader(member_id)) {
    leader_.reset();
    if (!members_.empty()) leader_ = members_.front().member_id;
  }
}

void ClassicGroup::rename_member(const std::string& old_member_id,
                                 const std::string& new_member_id) {
  ClassicMember* member = find_member(old_member_id);
  CHECK(member != nullptr);
  if (is_leader(old_member_id)) leader_ = new_member_id;
  if (pending_sync_members.erase(old_member_id) > 0) pending_sync_members.insert(new_member_id);
  member->member_id = new_member_id;
}

bool ClassicGroup::supports_protocols(const std::string& protocol_type,
                                      const std::vector<ClassicProtocol>& protocols) const {
  if (is_in(ClassicGroupState::empty)) return !protocol_type.empty() && !protocols.empty();
  if (protocol_type_ != protocol_type) return false;
  return std::any_of(protocols.begin(), protocols.end(), [&](const ClassicProtocol& offered) {
    return std::all_of(members_.begin(), members_.end(),
                       [&](const ClassicMember& it) { return offers(it, offered.name); });
  });
}

std::string ClassicGroup::select_protocol() const {
  std::map<std::string, int> votes;
  for (const ClassicMember& voter : members_) {
    for (const ClassicProtocol& candidate : voter.protocols) {
      const bool is_shared =
          std::all_of(members_.begin(), members_.end(),
                      [&](const ClassicMember& it) { return offers(it, candidate.name); });
      if (!is_shared) continue;
      ++votes[candidate.name];
      break;
    }
  }
  std::string selected;
  int most = 0;
  for (const auto& [name, count] : votes) {
    if (count <= most) continue;
    selected = name;
    most = count;
  }
  return selected;
}

std::size_t ClassicGroup::waiting_join_count() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(),
                    [](const ClassicMember& it) { return it.waiting_join.has_value(); }));
}

bool ClassicGroup::have_all_joined() const {
  return pending_members.empty() && waiting_join_count() == members_.size();
}

bool ClassicGroup::elect_leader_among_joined() {
  if (leader_.has_value()) {
    const ClassicMember* current = find_member(*leader_);
    if (current != nullptr && current->waiting_join.has_value()) return true;
  }
  for (const ClassicMember& it : members_) {
    if (!it.waiting_join.has_value()) continue;
    leader_ = it.member_id;
    return true;
  }
  return false;
}

void ClassicGroup::begin_next_generation(Instant now) {
  ++generation_;
  pending_sync_members.clear();
  if (members_.empty()) {
    protocol_name_.reset();
    transition_to(ClassicGroupState::empty, now);
  } else {
    protocol_name_ = select_protocol();
    transition_to(ClassicGroupState::completing_rebalance, now);
  }
  read_subscriptions();
}

Duration ClassicGroup::rebalance_timeout() const {
  Duration largest{};
  for (const ClassicMember& it : members_) largest = std::max(largest, it.rebalance_timeout);
  return largest;
}

bool ClassicGroup::is_subscribed_to(const std::string& topic) const {
  if (subscribed_topics_.has_value()) return subscribed_topics_->count(topic) > 0;
  return speaks_consumer_protocol();
}

void ClassicGroup::read_subscriptions() {
  subscribed_topics_.reset();
  if (members_.empty()) {
    subscribed_topics_.emplace();
    return;
  }
  if (!speaks_consumer_protocol() || !protocol_name_.has_value()) return;
  std::set<std::string> all;
  for (const ClassicMember& it : members_) {
    const auto topics = topics_of(it.metadata_of(*protocol_name_));
    if (!topics.has_value()) return;
    all.insert(topics->begin(), topics->end());
  }
  subscribed_topics_ = std::move(all);
}

void ClassicGroup::restore(std::int32_t generation, std::optional<std::string> protocol_type,
                           std::optional<std::string> protocol_name,
                           std::optional<std::string> leader, std::optional<Instant> state_since,
                           std::vector<ClassicMember> members) {
  generation_ = generation;
  protocol_type_ = std::move(protocol_type);
  protocol_name_ = std::move(protocol_name);
  leader_ = std::move(leader);
  state_since_ = state_since;
  members_ = std::move(members);
  state_ = members_.empty() ? ClassicGroupState::empty : ClassicGroupState::stable;
  previous_state_ = state_;
  read_subscriptions();
}

}  // namespace fencepost::minibroker
