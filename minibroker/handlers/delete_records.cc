// DeleteRecords: moves the log start; the leader's own log decides, followers hear of it with their
// next fetch.
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int64_t up_to_high_watermark = -1;

bool is_internal(const std::string& topic) {
  return topic == consumer_offsets_topic || topic == transaction_state_topic;
}

ErrorCode delete_before(Broker& broker, const TopicPartition& partition, std::int64_t offset,
                        std::int64_t& low_watermark) {
  if (is_internal(partition.topic)) return ErrorCode::invalid_topic_exception;
  ErrorCode error = ErrorCode::none;
  Replica* replica = broker.replicas().leader(partition, error);
  if (replica == nullptr) return error;
  if (!replica->log.settings().cleanup.deletes) return ErrorCode::policy_violation;
  if (offset == up_to_high_watermark) offset = replica->log.high_watermark();
  if (offset < 0) return ErrorCode::offset_out_of_range;
  error = replica->log.delete_records_before(offset);
  if (error != ErrorCode::none) return error;
  broker.replicas().on_start_moved(partition);
  low_watermark = replica->log.log_start_offset();
  return error;
}

}  // namespace

void delete_records(Broker& broker, Turn& turn, const RequestContext& context,
                    const DeleteRecordsRequest& request) {
  DeleteRecordsResponse response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    const bool is_allowed = allows_topic(turn, context, Operation::delete_, topic.name);
    for (const auto& wanted : topic.partitions) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = wanted.partition_index;
      answer.low_watermark = -1;
      answer.error_code = is_allowed ? delete_before(broker, {topic.name, wanted.partition_index},
                                                     wanted.offset, answer.low_watermark)
                                     : ErrorCode::topic_authorization_failed;
    }
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
