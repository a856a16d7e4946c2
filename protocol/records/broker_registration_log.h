// The records of __cluster_metadata that tell which brokers there are (KIP-631).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/uuid.h"
#include "protocol/codec.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct RegisterBrokerRecord {
  static constexpr MessageInfo info{"RegisterBrokerRecord", MessageKind::data, 0, between(0, 4),
                                    since(0)};

  struct BrokerEndpoint {
    static constexpr std::string_view type_name = "BrokerEndpoint";

    std::string name;
    std::string host;
    std::uint16_t port = 0;
    std::int16_t security_protocol = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const BrokerEndpoint&) const = default;
    template <class T = BrokerEndpoint>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("host", &T::host, since(0)),
          field("port", &T::port, since(0)),
          field("securityProtocol", &T::security_protocol, since(0)),
      };
    }
  };

  struct BrokerFeature {
    static constexpr std::string_view type_name = "BrokerFeature";

    std::string name;
    std::int16_t min_supported_version = 0;
    std::int16_t max_supported_version = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const BrokerFeature&) const = default;
    template <class T = BrokerFeature>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("minSupportedVersion", &T::min_supported_version, since(0)),
          field("maxSupportedVersion", &T::max_supported_version, since(0)),
      };
    }
  };

  std::int32_t broker_id = 0;
  bool is_migrating_zk_broker = false;
  Uuid incarnation_id;
  std::int64_t broker_epoch = 0;
  std::vector<BrokerEndpoint> end_points;
  std::vector<BrokerFeature> features;
  std::optional<std::string> rack;
  bool fenced = true;
  bool in_controlled_shutdown = false;
  std::vector<Uuid> log_dirs;
  std::optional<std::vector<Uuid>> cordoned_log_dirs;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const RegisterBrokerRecord&) const = default;
  template <class T = RegisterBrokerRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("brokerId", &T::broker_id, since(0)),
        field("isMigratingZkBroker", &T::is_migrating_zk_broker, since(2)),
        field("incarnationId", &T::incarnation_id, since(0)),
        field("brokerEpoch", &T::broker_epoch, since(0)),
        field("endPoints", &T::end_points, since(0)),
        field("features", &T::features, since(0)),
        field("rack", &T::rack, since(0)).nullable(since(0)),
        field("fenced", &T::fenced, since(0)),
        field("inControlledShutdown", &T::in_controlled_shutdown, since(1)),
        field("logDirs", &T::log_dirs, since(3)).tagged(0, since(3)),
        field("cordonedLogDirs", &T::cordoned_log_dirs, since(4))
            .tagged(1, since(4))
            .nullable(since(4)),
    };
  }
};

struct BrokerRegistrationChangeRecord {
  static constexpr MessageInfo info{"BrokerRegistrationChangeRecord", MessageKind::data, 17,
                                    between(0, 3), since(0)};

  std::int32_t broker_id = 0;
  std::int64_t broker_epoch = 0;
  std::int8_t fenced = 0;  // -1: unfenced, 1: fenced
  std::int8_t in_controlled_shutdown = 0;
  std::vector<Uuid> log_dirs;
  std::optional<std::vector<Uuid>> cordoned_log_dirs;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const BrokerRegistrationChangeRecord&) const = default;
  template <class T = BrokerRegistrationChangeRecord>
  static constexpr auto fields() {
    return std::tuple{
        field("brokerId", &T::broker_id, since(0)),
        field("brokerEpoch", &T::broker_epoch, since(0)),
        field("fenced", &T::fenced, since(0)).tagged(0, since(0)),
        field("inControlledShutdown", &T::in_controlled_shutdown, since(1)).tagged(1, since(1)),
        field("logDirs", &T::log_dirs, since(2)).tagged(2, since(2)),
        field("cordonedLogDirs", &T::cordoned_log_dirs, since(3))
            .tagged(3, since(3))
            .nullable(since(3)),
    };
  }
};

}  // namespace fencepost::protocol
