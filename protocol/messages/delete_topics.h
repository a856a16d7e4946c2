// DeleteTopics (API key 20): deletes topics, by name or (version 6 on) by id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/uuid.h"
#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct DeleteTopicsResponse;

struct DeleteTopicsRequest {
  static constexpr MessageInfo info{"DeleteTopicsRequest", MessageKind::request, 20, between(1, 6),
                                    since(4)};
  using Response = DeleteTopicsResponse;

  struct DeleteTopicState {
    static constexpr std::string_view type_name = "DeleteTopicState";

    std::optional<std::string> name;
    Uuid topic_id;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeleteTopicState&) const = default;
    template <class T = DeleteTopicState>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(6)).nullable(since(6)),
          field("topicId", &T::topic_id, since(6)),
      };
    }
  };

  std::vector<DeleteTopicState> topics;
  std::vector<std::string> topic_names;
  std::int32_t timeout_ms = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteTopicsRequest&) const = default;
  template <class T = DeleteTopicsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(6)),
        field("topicNames", &T::topic_names, between(0, 5)).ignorable(),
        field("timeoutMs", &T::timeout_ms, since(0)),
    };
  }
};

struct DeleteTopicsResponse {
  static constexpr MessageInfo info{"DeleteTopicsResponse", MessageKind::response, 20,
                                    between(1, 6), since(4)};

  struct DeletableTopicResult {
    static constexpr std::string_view type_name = "DeletableTopicResult";

    std::optional<std::string> name = std::string{};
    Uuid topic_id;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DeletableTopicResult&) const = default;
    template <class T = DeletableTopicResult>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)).nullable(since(6)),
          field("topicId", &T::topic_id, since(6)).ignorable(),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(5)).nullable(since(5)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<DeletableTopicResult> responses;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DeleteTopicsResponse&) const = default;
  template <class T = DeleteTopicsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("responses", &T::responses, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
