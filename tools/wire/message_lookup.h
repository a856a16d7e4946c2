// Finding a message by what a person or a script calls it.
#pragma once

#include <string>
#include <string_view>

#include "protocol/api.h"
#include "protocol/base/result.h"
#include "protocol/message_type.h"

namespace fencepost::tools::wire {

enum class Side { request, response };

// Nothing but "request" and "response" is a side.
Result<Side> parse_side(std::string_view text);

// An API by Kafka's name in any spelling (EndTxn, end_txn, END_TXN) or by its key (26). The error
// of a name that is none begins with "unknown api" and names the nearest that is.
Result<const protocol::Api*> find_api(std::string_view name);

// That side of an API. Also the message of that name in Kafka's schemas (RequestHeader,
// TransactionLogValue), whichever side is asked for.
Result<const protocol::MessageType*> find_message(std::string_view name, Side side);

// A version that the message has.
Result<int> parse_version(const protocol::MessageInfo& info, std::string_view text);

}  // namespace fencepost::tools::wire
