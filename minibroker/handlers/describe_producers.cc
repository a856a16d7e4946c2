// DescribeProducers: what a partition leader knows of its producers (KIP-664).
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

void describe_producers(Broker& broker, Turn&, const RequestContext& context,
                        const DescribeProducersRequest& request) {
  DescribeProducersResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    for (std::int32_t index : topic.partition_indexes) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = index;
      Replica* replica = broker.replicas().leader({topic.name, index}, answer.error_code);
      if (replica == nullptr) continue;
      for (const auto& [producer_id, entry] : replica->log.producers()) {
        auto& producer = answer.active_producers.emplace_back();
        producer.producer_id = producer_id;
        producer.producer_epoch = entry.producer_epoch;
        producer.last_sequence = entry.last_sequence();
        producer.last_timestamp = entry.last_timestamp;
        producer.coordinator_epoch = entry.coordinator_epoch;
        producer.current_txn_start_offset = entry.transaction_first_offset.value_or(-1);
      }
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
