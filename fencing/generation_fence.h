// The group's generation as fencing token: offsets are committed in the transaction with the
// generation that the member holds at that moment, and never with an unknown one, which a broker
// lets through while the group is empty.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "client/group_metadata.h"
#include "client/transactional_session.h"
#include "protocol/error_code.h"

namespace fencepost::fencing {

enum class FenceOutcome {
  accepted,            // staged in the transaction
  unknown_generation,  // refused here, nothing was sent: the member is not in the group
  fenced,              // the broker knows a newer owner; stop and abort
  refused,             // another error, see the code; the error table says what to do
};

std::string_view to_string(FenceOutcome outcome);

struct FenceVerdict {
  FenceOutcome outcome = FenceOutcome::accepted;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;
  bool operator==(const FenceVerdict&) const = default;
};

// ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID and STALE_MEMBER_EPOCH are `fenced`.
FenceVerdict verdict_of(protocol::ErrorCode code);

class GenerationFence {
 public:
  // Asked for each commit: a copy kept from earlier would be the stale token that the fence is for.
  using LiveMetadata = std::function<client::GroupMetadata()>;

  explicit GenerationFence(LiveMetadata live) : live_(std::move(live)) {}

  // What the member may do now, without asking a broker: accepted or unknown_generation.
  FenceVerdict check() const;
  // Commits the offsets in the session's open transaction (API 28, one request). Below transaction
  // version 2 add_offsets_to_txn comes first, by the caller. Errors are those of a call.
  client::Task<FenceVerdict> commit(client::TransactionalSession& session,
                                    std::vector<client::CommittedOffset> offsets,
                                    client::ProducerOverrides overrides = {});

 private:
  LiveMetadata live_;
};

}  // namespace fencepost::fencing
