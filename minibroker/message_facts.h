// What can be read from a request frame without handling it: its facts for fault rules, its
// correlation id; and the frame of a broker's own request.
#pragma once

#include "minibroker/operations.h"
#include "minibroker/sim/fault_plan.h"
#include "protocol/base/bytes.h"

namespace fencepost::minibroker {

// What cannot be read stays empty.
sim::MessageFacts facts_of(const SharedBytes& frame);
std::string client_id_of(const SharedBytes& frame);
std::int32_t correlation_id_of(const SharedBytes& frame);

// Header and body; the token is the correlation id.
Frame broker_request_frame(const BrokerRequest& request, int from_broker);

}  // namespace fencepost::minibroker
