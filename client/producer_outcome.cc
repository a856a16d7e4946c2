// The one place where an answer becomes what an application does about it.
#include "client/producer_outcome.h"

#include "client/explained.h"

namespace fencepost::client {

namespace {

using protocol::ErrorCode;
using protocol::Reaction;

Verdict verdict_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::illegal_generation:
    case ErrorCode::unknown_member_id:
    case ErrorCode::fenced_instance_id:
    case ErrorCode::fenced_member_epoch:
    case ErrorCode::stale_member_epoch:
      return Verdict::abort;
    // Up to Produce 10 and TxnOffsetCommit 3 this is how TRANSACTION_ABORTABLE is spelled.
    case ErrorCode::invalid_txn_state:
      return Verdict::abort;
    default:
      break;
  }
  switch (protocol::reaction_of(code)) {
    case Reaction::go_on:
      return Verdict::done;
    case Reaction::retry:
    case Reaction::find_coordinator:
    case Reaction::abort:
      return Verdict::abort;
    case Reaction::fenced:
      return Verdict::fenced;
    case Reaction::bug:
      return Verdict::bug;
  }
  return Verdict::bug;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::done:
      return "done";
    case Verdict::abort:
      return "abort";
    case Verdict::fenced:
      return "fenced";
    case Verdict::bug:
      return "bug";
    case Verdict::unknown_outcome:
      return "unknown_outcome";
  }
  return "";
}

ProducerOutcome outcome_of(std::string_view step, ErrorCode code) {
  ProducerOutcome outcome;
  outcome.verdict = verdict_of(code);
  outcome.error_code = code;
  if (!outcome.ok()) outcome.text = std::string(step) + " is answered with " + explained(code);
  return outcome;
}

ProducerOutcome outcome_of(std::string_view step, const Error& error, bool is_decision) {
  ProducerOutcome outcome;
  outcome.text = std::string(step) + ": " + error.text;
  switch (error.kind) {
    case ErrorKind::unknown_outcome:
    case ErrorKind::malformed:
      outcome.verdict = is_decision ? Verdict::unknown_outcome : Verdict::abort;
      break;
    case ErrorKind::cannot_connect:
    case ErrorKind::closed:
    case ErrorKind::stalled:
    case ErrorKind::io:
      outcome.verdict = Verdict::abort;
      break;
    case ErrorKind::unsupported_version:
    case ErrorKind::not_encodable:
    case ErrorKind::invalid_argument:
      outcome.verdict = Verdict::bug;
      break;
  }
  return outcome;
}

}  // namespace fencepost::client
