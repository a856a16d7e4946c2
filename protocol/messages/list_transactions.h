// ListTransactions (API key 66): the transactional ids that a coordinator holds, by state, producer
// id, age and pattern.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct ListTransactionsResponse;

struct ListTransactionsRequest {
  static constexpr MessageInfo info{"ListTransactionsRequest", MessageKind::request, 66,
                                    between(0, 2), since(0)};
  using Response = ListTransactionsResponse;

  std::vector<std::string> state_filters;
  std::vector<std::int64_t> producer_id_filters;
  std::int64_t duration_filter = -1;
  std::optional<std::string> transactional_id_pattern;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListTransactionsRequest&) const = default;
  template <class T = ListTransactionsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("stateFilters", &T::state_filters, since(0)),
        field("producerIdFilters", &T::producer_id_filters, since(0)),
        field("durationFilter", &T::duration_filter, since(1)),
        field("transactionalIdPattern", &T::transactional_id_pattern, since(2)).nullable(since(2)),
    };
  }
};

struct ListTransactionsResponse {
  static constexpr MessageInfo info{"ListTransactionsResponse", MessageKind::response, 66,
                                    between(0, 2), since(0)};

  struct TransactionState {
    static constexpr std::string_view type_name = "TransactionState";

    std::string transactional_id;
    std::int64_t producer_id = 0;
    std::string transaction_state;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const TransactionState&) const = default;
    template <class T = TransactionState>
    static constexpr auto fields() {
      return std::tuple{
          field("transactionalId", &T::transactional_id, since(0)),
          field("producerId", &T::producer_id, since(0)),
          field("transactionState", &T::transaction_state, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<std::string> unknown_state_filters;
  std::vector<TransactionState> transaction_states;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ListTransactionsResponse&) const = default;
  template <class T = ListTransactionsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("unknownStateFilters", &T::unknown_state_filters, since(0)),
        field("transactionStates", &T::transaction_states, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
