// What can be read from a request frame without handling it: its facts for fault rules, its
// correlation id; and the frame of a broker's own request.
#pragma once

#include <functional>
#include <string>

#include "minibroker/operations.h"
#include "minibroker/sim/fault_plan.h"
#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

// The names of what requests know by number; empty when there is none.
struct NamesByNumber {
  std::function<std::string(const Uuid& topic_id)> topic;
  std::function<std::string(std::int64_t producer_id)> transactional_id;
};

// What cannot be read stays empty.
sim::MessageFacts facts_of(const SharedBytes& frame, const NamesByNumber& names);
std::string client_id_of(const SharedBytes& frame);
std::int32_t correlation_id_of(const SharedBytes& frame);

// Header and body; the token is the correlation id.
Frame broker_request_frame(const BrokerRequest& request, int from_broker);

}  // namespace fencepost::minibroker
