#include "protocol/error_code.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

TEST_CASE("a coordinator that moved or is not there yet is looked up again",
          "[protocol][error_code]") {
  CHECK(reaction_of(ErrorCode::not_coordinator) == Reaction::find_coordinator);
  CHECK(reaction_of(ErrorCode::coordinator_not_available) == Reaction::find_coordinator);
  CHECK(reaction_of(ErrorCode::not_leader_or_follower) == Reaction::find_coordinator);
}

TEST_CASE("a coordinator that is busy or loading gets the same request again",
          "[protocol][error_code]") {
  CHECK(reaction_of(ErrorCode::concurrent_transactions) == Reaction::retry);
  CHECK(reaction_of(ErrorCode::coordinator_load_in_progress) == Reaction::retry);
  CHECK(reaction_of(ErrorCode::request_timed_out) == Reaction::retry);
}

TEST_CASE("whatever says that another owner took over is a fence", "[protocol][error_code]") {
  for (ErrorCode code :
       {ErrorCode::producer_fenced, ErrorCode::invalid_producer_epoch,
        ErrorCode::illegal_generation, ErrorCode::unknown_member_id, ErrorCode::fenced_instance_id,
        ErrorCode::stale_member_epoch, ErrorCode::fenced_member_epoch})
    CHECK(reaction_of(code) == Reaction::fenced);
}

TEST_CASE("an abortable error costs the transaction, not the producer", "[protocol][error_code]") {
  CHECK(reaction_of(ErrorCode::transaction_abortable) == Reaction::abort);
  CHECK(reaction_of(ErrorCode::out_of_order_sequence_number) == Reaction::abort);
}

TEST_CASE("an error that no retry and no abort can mend stops the producer",
          "[protocol][error_code]") {
  CHECK(reaction_of(ErrorCode::invalid_txn_state) == Reaction::bug);
  CHECK(reaction_of(ErrorCode::invalid_producer_id_mapping) == Reaction::bug);
  CHECK(reaction_of(ErrorCode::transactional_id_authorization_failed) == Reaction::bug);
  CHECK(reaction_of(ErrorCode::unsupported_version) == Reaction::bug);
}

TEST_CASE("success is no reason to react, and nothing else is success", "[protocol][error_code]") {
  for (const ErrorCodeInfo& info : error_codes()) {
    INFO(info.name);
    CHECK((reaction_of(info.code) == Reaction::go_on) == (info.code == ErrorCode::none));
  }
}

TEST_CASE("what the producer is told to send again is never a fence for Kafka's client",
          "[protocol][error_code]") {
  for (const ErrorCodeInfo& info : error_codes()) {
    INFO(info.name);
    const Reaction reaction = reaction_of(info.code);
    if (reaction == Reaction::retry) CHECK(info.is_retriable);
    if (reaction == Reaction::fenced) CHECK(!info.is_retriable);
  }
}

TEST_CASE("an error code that Kafka does not know keeps its number", "[protocol][error_code]") {
  CHECK(to_string(static_cast<ErrorCode>(1234)) == "ERROR_1234");
  CHECK(find_error_code(static_cast<ErrorCode>(1234)) == nullptr);
  CHECK(!is_retriable(static_cast<ErrorCode>(1234)));
  CHECK(!parse_error_code("ERROR_1234").has_value());
  CHECK(!parse_error_code("producer_fenced").has_value());
}

}  // namespace
}  // namespace fencepost::protocol
