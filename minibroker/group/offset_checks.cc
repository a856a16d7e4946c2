#include "minibroker/group/offset_checks.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

constexpr int first_commit_version_with_member_epoch = 9;

ErrorCode stale(const ConsumerMember& member) {
  return member.classic.has_value() ? ErrorCode::illegal_generation : ErrorCode::stale_member_epoch;
}

const std::int32_t* epoch_of(const EpochAssignment& assignment, const Uuid& topic_id,
                             std::int32_t partition) {
  const auto topic = assignment.find(topic_id);
  if (topic == assignment.end()) return nullptr;
  const auto found = topic->second.find(partition);
  return found == topic->second.end() ? nullptr : &found->second;
}

}  // namespace

ErrorCode check_committer(const ConsumerGroup& group, const Committer& committer,
                          bool knows_assignment_epochs) {
  if (committer.member_epoch < 0 && group.is_empty()) return ErrorCode::none;
  // Clients older than KIP-447 say nothing of themselves.
  const bool is_anonymous = committer.member_epoch == -1 && committer.member_id.empty() &&
                            !committer.instance_id.has_value();
  if (committer.is_transactional && is_anonymous) return ErrorCode::none;
  const ConsumerMember* member = group.find_member(committer.member_id);
  if (member == nullptr) return ErrorCode::unknown_member_id;
  if (!committer.is_transactional && !member->classic.has_value() &&
      committer.api_version < first_commit_version_with_member_epoch)
    return ErrorCode::unsupported_version;
  if (committer.member_epoch == member->member_epoch) return ErrorCode::none;
  if (committer.member_epoch > member->member_epoch || !knows_assignment_epochs)
    return stale(*member);
  return ErrorCode::none;
}

ErrorCode check_committed_partition(const ConsumerGroup& group, const Committer& committer,
                                    const Uuid& topic_id, std::int32_t partition) {
  const ConsumerMember* member = group.find_member(committer.member_id);
  if (member == nullptr || committer.member_epoch >= member->member_epoch) return ErrorCode::none;
  const std::int32_t* since = epoch_of(member->assigned, topic_id, partition);
  if (since == nullptr) since = epoch_of(member->pending_revocation, topic_id, partition);
  return since != nullptr && committer.member_epoch >= *since ? ErrorCode::none : stale(*member);
}

ErrorCode check_fetcher(const ConsumerGroup& group, const std::optional<std::string>& member_id,
                        std::int32_t member_epoch) {
  if (!member_id.has_value() && member_epoch < 0) return ErrorCode::none;
  const ConsumerMember* member = group.find_member(member_id.value_or(""));
  if (member == nullptr) return ErrorCode::unknown_member_id;
  return member_epoch == member->member_epoch ? ErrorCode::none : stale(*member);
}

}  // namespace fencepost::minibroker
