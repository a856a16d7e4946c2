// AddPartitionsToTxn (API key 24): adds partitions to a transaction. Up to version 3 it comes from
// clients; from version 4 on from partition leaders, many transactions at once, to add or only to
// verify (KIP-890).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct AddPartitionsToTxnResponse;

struct AddPartitionsToTxnRequest {
  static constexpr MessageInfo info{"AddPartitionsToTxnRequest", MessageKind::request, 24,
                                    between(0, 5), since(3)};
  using Response = AddPartitionsToTxnResponse;

  struct AddPartitionsToTxnTopic {
    static constexpr std::string_view type_name = "AddPartitionsToTxnTopic";

    std::string name;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AddPartitionsToTxnTopic&) const = default;
    template <class T = AddPartitionsToTxnTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  struct AddPartitionsToTxnTransaction {
    static constexpr std::string_view type_name = "AddPartitionsToTxnTransaction";

    std::string transactional_id;
    std::int64_t producer_id = 0;
    std::int16_t producer_epoch = 0;
    bool verify_only = false;
    std::vector<AddPartitionsToTxnTopic> topics;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AddPartitionsToTxnTransaction&) const = default;
    template <class T = AddPartitionsToTxnTransaction>
    static constexpr auto fields() {
      return std::tuple{
          field("transactionalId", &T::transactional_id, since(4)),
          field("producerId", &T::producer_id, since(4)),
          field("producerEpoch", &T::producer_epoch, since(4)),
          field("verifyOnly", &T::verify_only, since(4)),
          field("topics", &T::topics, since(4)),
      };
    }
  };

  std::vector<AddPartitionsToTxnTransaction> transactions;
  std::string v3_and_below_transactional_id;
  std::int64_t v3_and_below_producer_id = 0;
  std::int16_t v3_and_below_producer_epoch = 0;
  std::vector<AddPartitionsToTxnTopic> v3_and_below_topics;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AddPartitionsToTxnRequest&) const = default;
  template <class T = AddPartitionsToTxnRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("transactions", &T::transactions, since(4)),
        field("v3AndBelowTransactionalId", &T::v3_and_below_transactional_id, between(0, 3)),
        field("v3AndBelowProducerId", &T::v3_and_below_producer_id, between(0, 3)),
        field("v3AndBelowProducerEpoch", &T::v3_and_below_producer_epoch, between(0, 3)),
        field("v3AndBelowTopics", &T::v3_and_below_topics, between(0, 3)),
    };
  }
};

struct AddPartitionsToTxnResponse {
  static constexpr MessageInfo info{"AddPartitionsToTxnResponse", MessageKind::response, 24,
                                    between(0, 5), since(3)};

  struct AddPartitionsToTxnPartitionResult {
    static constexpr std::string_view type_name = "AddPartitionsToTxnPartitionResult";

    std::int32_t partition_index = 0;
    ErrorCode partition_error_code = ErrorCode::none;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AddPartitionsToTxnPartitionResult&) const = default;
    template <class T = AddPartitionsToTxnPartitionResult>
    static constexpr auto fields() {
      return std::tuple{
          field("partitionIndex", &T::partition_index, since(0)),
          field("partitionErrorCode", &T::partition_error_code, since(0)),
      };
    }
  };

  struct AddPartitionsToTxnTopicResult {
    static constexpr std::string_view type_name = "AddPartitionsToTxnTopicResult";

    std::string name;
    std::vector<AddPartitionsToTxnPartitionResult> results_by_partition;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AddPartitionsToTxnTopicResult&) const = default;
    template <class T = AddPartitionsToTxnTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("resultsByPartition", &T::results_by_partition, since(0)),
      };
    }
  };

  struct AddPartitionsToTxnResult {
    static constexpr std::string_view type_name = "AddPartitionsToTxnResult";

    std::string transactional_id;
    std::vector<AddPartitionsToTxnTopicResult> topic_results;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AddPartitionsToTxnResult&) const = default;
    template <class T = AddPartitionsToTxnResult>
    static constexpr auto fields() {
      return std::tuple{
          field("transactionalId", &T::transactional_id, since(4)),
          field("topicResults", &T::topic_results, since(4)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<AddPartitionsToTxnResult> results_by_transaction;
  std::vector<AddPartitionsToTxnTopicResult> results_by_topic_v3_and_below;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AddPartitionsToTxnResponse&) const = default;
  template <class T = AddPartitionsToTxnResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(4)).ignorable(),
        field("resultsByTransaction", &T::results_by_transaction, since(4)),
        field("resultsByTopicV3AndBelow", &T::results_by_topic_v3_and_below, between(0, 3)),
    };
  }
};

}  // namespace fencepost::protocol
