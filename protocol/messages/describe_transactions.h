// DescribeTransactions (API key 65): the coordinator's view of transactional ids: state, producer,
// partitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct DescribeTransactionsResponse;

struct DescribeTransactionsRequest {
  static constexpr MessageInfo info{"DescribeTransactionsRequest", MessageKind::request, 65,
                                    only(0), since(0)};
  using Response = DescribeTransactionsResponse;

  std::vector<std::string> transactional_ids;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeTransactionsRequest&) const = default;
  template <class T = DescribeTransactionsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalIds", &T::transactional_ids, since(0)),
    };
  }
};

struct DescribeTransactionsResponse {
  static constexpr MessageInfo info{"DescribeTransactionsResponse", MessageKind::response, 65,
                                    only(0), since(0)};

  struct TopicData {
    static constexpr std::string_view type_name = "TopicData";

    std::string topic;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TopicData&) const = default;
    template <class T = TopicData>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct TransactionState {
    static constexpr std::string_view type_name = "TransactionState";

    ErrorCode error_code = ErrorCode::none;
    std::string transactional_id;
    std::string transaction_state;
    std::int32_t transaction_timeout_ms = 0;
    std::int64_t transaction_start_time_ms = 0;
    std::int64_t producer_id = 0;
    std::int16_t producer_epoch = 0;
    std::vector<TopicData> topics;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TransactionState&) const = default;
    template <class T = TransactionState>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("transactionalId", &T::transactional_id, since(0)),
          field("transactionState", &T::transaction_state, since(0)),
          field("transactionTimeoutMs", &T::transaction_timeout_ms, since(0)),
          field("transactionStartTimeMs", &T::transaction_start_time_ms, since(0)),
          field("producerId", &T::producer_id, since(0)),
          field("producerEpoch", &T::producer_epoch, since(0)),
          field("topics", &T::topics, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<TransactionState> transaction_states;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeTransactionsResponse&) const = default;
  template <class T = DescribeTransactionsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("transactionStates", &T::transaction_states, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
