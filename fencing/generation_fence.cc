// One verdict for the four ways in which a broker says "you are not the owner any more".
#include "fencing/generation_fence.h"

#include "client/response_error.h"

namespace fencepost::fencing {

using protocol::ErrorCode;

std::string_view to_string(FenceOutcome outcome) {
  switch (outcome) {
    case FenceOutcome::accepted:
      return "accepted";
    case FenceOutcome::unknown_generation:
      return "unknown_generation";
    case FenceOutcome::fenced:
      return "fenced";
    case FenceOutcome::refused:
      return "refused";
  }
  return "";
}

FenceVerdict verdict_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::none:
      return {FenceOutcome::accepted, code};
    case ErrorCode::illegal_generation:
    case ErrorCode::unknown_member_id:
    case ErrorCode::fenced_instance_id:
    case ErrorCode::stale_member_epoch:
      return {FenceOutcome::fenced, code};
    default:
      return {FenceOutcome::refused, code};
  }
}

FenceVerdict GenerationFence::check() const {
  FenceVerdict verdict;
  if (live_().generation < 0) verdict.outcome = FenceOutcome::unknown_generation;
  return verdict;
}

client::Task<FenceVerdict> GenerationFence::commit(client::TransactionalSession& session,
                                                   std::vector<client::CommittedOffset> offsets,
                                                   client::ProducerOverrides overrides) {
  client::GroupMetadata shown = live_();
  FenceVerdict verdict;
  if (shown.generation < 0) {
    verdict.outcome = FenceOutcome::unknown_generation;
    co_return verdict;
  }
  Result<protocol::TxnOffsetCommitResponse> response =
      co_await session.txn_offset_commit(std::move(shown), std::move(offsets), overrides);
  if (!response) co_return response.error();
  co_return verdict_of(client::first_error(response.value()));
}

}  // namespace fencepost::fencing
