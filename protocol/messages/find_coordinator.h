// FindCoordinator (API key 10): the broker that coordinates a group (key type 0) or a
// transactional.id (key type 1). Version 4 on asks for many keys at once.
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

struct FindCoordinatorResponse;

struct FindCoordinatorRequest {
  static constexpr MessageInfo info{"FindCoordinatorRequest", MessageKind::request, 10,
                                    between(0, 6), since(3)};
  using Response = FindCoordinatorResponse;

  std::string key;
  std::int8_t key_type = 0;
  std::vector<std::string> coordinator_keys;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const FindCoordinatorRequest&) const = default;
  template <class T = FindCoordinatorRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("key", &T::key, between(0, 3)),
        field("keyType", &T::key_type, since(1)),
        field("coordinatorKeys", &T::coordinator_keys, since(4)),
    };
  }
};

struct FindCoordinatorResponse {
  static constexpr MessageInfo info{"FindCoordinatorResponse", MessageKind::response, 10,
                                    between(0, 6), since(3)};

  struct Coordinator {
    static constexpr std::string_view type_name = "Coordinator";

    std::string key;
    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Coordinator&) const = default;
    template <class T = Coordinator>
    static constexpr auto fields() {
      return std::tuple{
          field("key", &T::key, since(4)),
          field("nodeId", &T::node_id, since(4)),
          field("host", &T::host, since(4)),
          field("port", &T::port, since(4)),
          field("errorCode", &T::error_code, since(4)),
          field("errorMessage", &T::error_message, since(4)).nullable(since(4)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  std::vector<Coordinator> coordinators;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const FindCoordinatorResponse&) const = default;
  template <class T = FindCoordinatorResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(1)).ignorable(),
        field("errorCode", &T::error_code, between(0, 3)),
        field("errorMessage", &T::error_message, between(1, 3)).nullable(between(1, 3)).ignorable(),
        field("nodeId", &T::node_id, between(0, 3)),
        field("host", &T::host, between(0, 3)),
        field("port", &T::port, between(0, 3)),
        field("coordinators", &T::coordinators, since(4)),
    };
  }
};

}  // namespace fencepost::protocol
