// Whether a member of a consumer group may commit an offset or ask for one.
#pragma once

#include <optional>
#include <string>

#include "minibroker/group/consumer_group.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

// Who commits, and in which epoch it believes to be.
struct Committer {
  std::string member_id;
  std::optional<std::string> instance_id;
  std::int32_t member_epoch = -1;
  bool is_transactional = false;
  int api_version = 0;
};

// UNKNOWN_MEMBER_ID; UNSUPPORTED_VERSION; STALE_MEMBER_EPOCH (ILLEGAL_GENERATION to a member of the
// classic protocol). An older epoch passes here when the era knows assignment epochs: then each
// partition is checked.
protocol::ErrorCode check_committer(const ConsumerGroup& group, const Committer& committer,
                                    bool knows_assignment_epochs);

// An older epoch may still commit what the member has held ever since (KIP-1251).
protocol::ErrorCode check_committed_partition(const ConsumerGroup& group,
                                              const Committer& committer, const Uuid& topic_id,
                                              std::int32_t partition);

// `member_id` of nobody, with a negative epoch: an administrator.
protocol::ErrorCode check_fetcher(const ConsumerGroup& group,
                                  const std::optional<std::string>& member_id,
                                  std::int32_t member_epoch);

}  // namespace fencepost::minibroker
