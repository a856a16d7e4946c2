// DescribeLogDirs (API key 35): the folders of a broker that hold partitions, and the size of each
// partition.
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

struct DescribeLogDirsResponse;

struct DescribeLogDirsRequest {
  static constexpr MessageInfo info{"DescribeLogDirsRequest", MessageKind::request, 35,
                                    between(1, 5), since(2)};
  using Response = DescribeLogDirsResponse;

  struct DescribableLogDirTopic {
    static constexpr std::string_view type_name = "DescribableLogDirTopic";

    std::string topic;
    std::vector<std::int32_t> partitions;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribableLogDirTopic&) const = default;
    template <class T = DescribableLogDirTopic>
    static constexpr auto fields() {
      return std::tuple{
          field("topic", &T::topic, since(0)),
          field("partitions", &T::partitions, since(0)),
      };
    }
  };

  std::optional<std::vector<DescribableLogDirTopic>> topics = std::vector<DescribableLogDirTopic>{};
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeLogDirsRequest&) const = default;
  template <class T = DescribeLogDirsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("topics", &T::topics, since(0)).nullable(since(0)),
    };
  }
};

struct DescribeLogDirsResponse {
  static constexpr MessageInfo info{"DescribeLogDirsResponse", MessageKind::response, 35,
                                    between(1, 5), since(2)};

  struct DescribeLogDirsResult {
    static constexpr std::string_view type_name = "DescribeLogDirsResult";

    struct DescribeLogDirsTopic {
      static constexpr std::string_view type_name = "DescribeLogDirsTopic";

      struct DescribeLogDirsPartition {
        static constexpr std::string_view type_name = "DescribeLogDirsPartition";

        std::int32_t partition_index = 0;
        std::int64_t partition_size = 0;
        std::int64_t offset_lag = 0;
        bool is_future_key = false;
        UnknownTaggedFields unknown_tagged_fields;

        bool operator==(const DescribeLogDirsPartition&) const = default;
        template <class T = DescribeLogDirsPartition>
        static constexpr auto fields() {
          return std::tuple{
              field("partitionIndex", &T::partition_index, since(0)),
              field("partitionSize", &T::partition_size, since(0)),
              field("offsetLag", &T::offset_lag, since(0)),
              field("isFutureKey", &T::is_future_key, since(0)),
          };
        }
      };

      std::string name;
      std::vector<DescribeLogDirsPartition> partitions;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const DescribeLogDirsTopic&) const = default;
      template <class T = DescribeLogDirsTopic>
      static constexpr auto fields() {
        return std::tuple{
            field("name", &T::name, since(0)),
            field("partitions", &T::partitions, since(0)),
        };
      }
    };

    ErrorCode error_code = ErrorCode::none;
    std::string log_dir;
    std::vector<DescribeLogDirsTopic> topics;
    std::int64_t total_bytes = -1;
    std::int64_t usable_bytes = -1;
    bool is_cordoned = false;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeLogDirsResult&) const = default;
    template <class T = DescribeLogDirsResult>
    static constexpr auto fields() {
      return std::tuple{
          field("errorCode", &T::error_code, since(0)),
          field("logDir", &T::log_dir, since(0)),
          field("topics", &T::topics, since(0)),
          field("totalBytes", &T::total_bytes, since(4)).ignorable(),
          field("usableBytes", &T::usable_bytes, since(4)).ignorable(),
          field("isCordoned", &T::is_cordoned, since(5)).ignorable(),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::vector<DescribeLogDirsResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeLogDirsResponse&) const = default;
  template <class T = DescribeLogDirsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(3)).ignorable(),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
