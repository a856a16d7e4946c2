// The records of __transaction_state: key is the transactional.id, value the state of its
// transaction. A null value forgets the id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/field.h"

namespace fencepost::protocol {

struct TransactionLogKey {
  static constexpr MessageInfo info{"TransactionLogKey", MessageKind::data, 0, only(0),
                                    no_versions};

  std::string transactional_id;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const TransactionLogKey&) const = default;
  template <class T = TransactionLogKey>
  static constexpr auto fields() {
    return std::tuple{
        field("transactionalId", &T::transactional_id, only(0)),
    };
  }
};

struct TransactionLogValue {
  static constexpr MessageInfo info{"TransactionLogValue", MessageKind::data, 0, between(0, 1),
                                    since(1)};

  struct PartitionsSchema {
    static constexpr std::string_view type_name = "PartitionsSchema";

    std::string topic;
    std::vector<std::int32_t> partition_ids;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const PartitionsSchema&) const = default;
    template <class T = PartitionsSchema>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitionIds", &T::partition_ids, since(0)),
      };
    }
  };

  std::int64_t producer_id = 0;
  std::int64_t previous_producer_id = -1;
  std::int64_t next_producer_id = -1;
  std::int16_t producer_epoch = 0;
  std::int16_t next_producer_epoch = -1;
  std::int32_t transaction_timeout_ms = 0;
  std::int8_t transaction_status = 0;
  std::optional<std::vector<PartitionsSchema>> transaction_partitions =
      std::vector<PartitionsSchema>{};
  std::int64_t transaction_last_update_timestamp_ms = 0;
  std::int64_t transaction_start_timestamp_ms = 0;
  std::int16_t client_transaction_version = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const TransactionLogValue&) const = default;
  template <class T = TransactionLogValue>
  static constexpr auto fields() {
    return std::tuple{
        field("producerId", &T::producer_id, since(0)),
        field("previousProducerId", &T::previous_producer_id, since(1)).tagged(0, since(1)),
        field("nextProducerId", &T::next_producer_id, since(1)).tagged(1, since(1)),
        field("producerEpoch", &T::producer_epoch, since(0)),
        field("nextProducerEpoch", &T::next_producer_epoch, since(1)).tagged(3, since(1)),
        field("transactionTimeoutMs", &T::transaction_timeout_ms, since(0)),
        field("transactionStatus", &T::transaction_status, since(0)),
        field("transactionPartitions", &T::transaction_partitions, since(0)).nullable(since(0)),
        field("transactionLastUpdateTimestampMs", &T::transaction_last_update_timestamp_ms,
              since(0)),
        field("transactionStartTimestampMs", &T::transaction_start_timestamp_ms, since(0)),
        field("clientTransactionVersion", &T::client_transaction_version, since(1))
            .tagged(2, since(1)),
    };
  }
};

}  // namespace fencepost::protocol
