// What a cluster shows of itself, as JSON: Kafka's words in snake case, times in milliseconds.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "minibroker/cluster.h"

namespace fencepost::minibroker::server {

using Json = nlohmann::ordered_json;

Json to_json(const BrokerState& broker);
Json to_json(const TransactionState& transaction);
Json to_json(const GroupState& group);
Json to_json(const ProducerState& producer);
Json to_json(const Event& event);
// `held`: how many messages wait under the rule's name.
Json to_json(const sim::FaultRule& rule, std::size_t held);
// Positions and replicas; `batches` adds the log itself.
Json to_json(const PartitionState& partition, bool has_batches);

}  // namespace fencepost::minibroker::server
