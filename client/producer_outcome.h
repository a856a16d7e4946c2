// How a step of a producer ended: done, or what the application has to do about it.
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/error_code.h"

namespace fencepost::client {

enum class Verdict {
  done,
  abort,            // the transaction is lost and nothing of it will be seen: abort it, begin anew
  fenced,           // a newer producer has this transactional.id; this one is over
  bug,              // refused for what neither asking again nor aborting cures; see the code
  unknown_outcome,  // no reply: it may or may not have taken effect; init() settles which
};

std::string_view to_string(Verdict verdict);

struct ProducerOutcome {
  Verdict verdict = Verdict::done;
  protocol::ErrorCode error_code = protocol::ErrorCode::none;  // none: not a broker's answer
  std::string text = {};                                       // one sentence, empty when done
  bool ok() const { return verdict == Verdict::done; }
};

// What a final answer within a transaction, behind all retries, means. `step` ("EndTxn") begins the
// text. A code that only says "not now" has been asked about for long enough: abort. So do the
// codes by which a group refuses an offset: they say nothing against the producer.
ProducerOutcome outcome_of(std::string_view step, protocol::ErrorCode code);
// The same for no answer. What is not committed yet is as good as aborted, so that only a decision
// (`is_decision`) can have an unknown outcome.
ProducerOutcome outcome_of(std::string_view step, const Error& error, bool is_decision);

}  // namespace fencepost::client
