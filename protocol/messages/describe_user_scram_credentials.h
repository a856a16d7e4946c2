// DescribeUserScramCredentials (API key 50): who can authenticate by SCRAM, and how (KIP-554).
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

struct DescribeUserScramCredentialsResponse;

struct DescribeUserScramCredentialsRequest {
  static constexpr MessageInfo info{"DescribeUserScramCredentialsRequest", MessageKind::request, 50,
                                    only(0), since(0)};
  using Response = DescribeUserScramCredentialsResponse;

  struct UserName {
    static constexpr std::string_view type_name = "UserName";

    std::string name;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const UserName&) const = default;
    template <class T = UserName>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
      };
    }
  };

  std::optional<std::vector<UserName>> users = std::vector<UserName>{};
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeUserScramCredentialsRequest&) const = default;
  template <class T = DescribeUserScramCredentialsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("users", &T::users, since(0)).nullable(since(0)),
    };
  }
};

struct DescribeUserScramCredentialsResponse {
  static constexpr MessageInfo info{"DescribeUserScramCredentialsResponse", MessageKind::response,
                                    50, only(0), since(0)};

  struct DescribeUserScramCredentialsResult {
    static constexpr std::string_view type_name = "DescribeUserScramCredentialsResult";

    struct CredentialInfo {
      static constexpr std::string_view type_name = "CredentialInfo";

      std::int8_t mechanism = 0;
      std::int32_t iterations = 0;
      UnknownTaggedFields unknown_tagged_fields;

      bool operator==(const CredentialInfo&) const = default;
      template <class T = CredentialInfo>
      static constexpr auto fields() {
        return std::tuple{
            field("mechanism", &T::mechanism, since(0)),
            field("iterations", &T::iterations, since(0)),
        };
      }
    };

    std::string user;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    std::vector<CredentialInfo> credential_infos;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const DescribeUserScramCredentialsResult&) const = default;
    template <class T = DescribeUserScramCredentialsResult>
    static constexpr auto fields() {
      return std::tuple{
          field("user", &T::user, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
          field("credentialInfos", &T::credential_infos, since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  ErrorCode error_code = ErrorCode::none;
  std::optional<std::string> error_message = std::string{};
  std::vector<DescribeUserScramCredentialsResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const DescribeUserScramCredentialsResponse&) const = default;
  template <class T = DescribeUserScramCredentialsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("errorCode", &T::error_code, since(0)),
        field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
