// DescribeCluster (API key 60): brokers, cluster id and controller.
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

struct DescribeClusterResponse;

struct DescribeClusterRequest {
  static constexpr MessageInfo info{"DescribeClusterRequest", MessageKind::request, 60,
                                    between(0, 2), since(0)};
  using Response = DescribeClusterResponse;

  bool include_cluster_authorized_operations = false;
  std::int8_t endpoint_type = 1;
  bool include_fenced_brokers = false;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeClusterRequest&) const = default;
  template <class T = DescribeClusterRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("includeClusterAuthorizedOperations", &T::include_cluster_authorized_operations,
              since(0)),
        field("endpointType", &T::endpoint_type, since(1)),
        field("includeFencedBrokers", &T::include_fenced_brokers, since(2)),
    };
  }
};

struct DescribeClusterResponse {
  static constexpr MessageInfo info{"DescribeClusterResponse", MessageKind::response, 60,
                                    between(0, 2), since(0)};

  struct DescribeClusterBroker {
    static constexpr std::string_view type_name = "DescribeClusterBroker";

    std::int32_t broker_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::optional<std::string> rack;
    bool is_fenced = false;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeClusterBroker&) const = default;
    template <class T = DescribeClusterBroker>
    static constexpr auto fields() {
      return std::tuple{
          field("brokerId", &T::broker_id, since(0)),
          field("host", &T::host, since(0)),
          field("port", &T::port, since(0)),
          field("rack", &T::rack, since(0)).nullable(since(0)),
          field("isFenced", &T::is_fenced, since(2)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message;
  std::int8_t endpoint_type = 1;
  std::string cluster_id;
  std::int32_t controller_id = -1;
  std::vector<DescribeClusterBroker> brokers;
  std::int32_t cluster_authorized_operations = -2147483648;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeClusterResponse&) const = default;
  template <class T = DescribeClusterResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("endpointType", &T::endpoint_type, since(1)),
        field("clusterId", &T::cluster_id, since(0)),
        field("controllerId", &T::controller_id, since(0)),
        field("brokers", &T::brokers, since(0)),
        field("clusterAuthorizedOperations", &T::cluster_authorized_operations, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
