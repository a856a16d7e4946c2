// AlterUserScramCredentials (API key 51): sets and removes credentials for SCRAM (KIP-554). The
// password itself does not travel, but who reads the salted one can authenticate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/error_code.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct AlterUserScramCredentialsResponse;

struct AlterUserScramCredentialsRequest {
  static constexpr MessageInfo info{"AlterUserScramCredentialsRequest", MessageKind::request, 51,
                                    only(0), since(0)};
  using Response = AlterUserScramCredentialsResponse;

  struct ScramCredentialDeletion {
    static constexpr std::string_view type_name = "ScramCredentialDeletion";

    std::string name;
    std::int8_t mechanism = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ScramCredentialDeletion&) const = default;
    template <class T = ScramCredentialDeletion>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("mechanism", &T::mechanism, since(0)),
      };
    }
  };

  struct ScramCredentialUpsertion {
    static constexpr std::string_view type_name = "ScramCredentialUpsertion";

    std::string name;
    std::int8_t mechanism = 0;
    std::int32_t iterations = 0;
    SharedBytes salt;
    SharedBytes salted_password;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ScramCredentialUpsertion&) const = default;
    template <class T = ScramCredentialUpsertion>
    static constexpr auto fields() {
      return std::tuple{
          field("name", &T::name, since(0)),
          field("mechanism", &T::mechanism, since(0)),
          field("iterations", &T::iterations, since(0)),
          field("salt", &T::salt, since(0)),
          field("saltedPassword", &T::salted_password, since(0)),
      };
    }
  };

  std::vector<ScramCredentialDeletion> deletions;
  std::vector<ScramCredentialUpsertion> upsertions;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterUserScramCredentialsRequest&) const = default;
  template <class T = AlterUserScramCredentialsRequest>
  static constexpr auto fields() {
    return std::tuple{
        field("deletions", &T::deletions, since(0)),
        field("upsertions", &T::upsertions, since(0)),
    };
  }
};

struct AlterUserScramCredentialsResponse {
  static constexpr MessageInfo info{"AlterUserScramCredentialsResponse", MessageKind::response, 51,
                                    only(0), since(0)};

  struct AlterUserScramCredentialsResult {
    static constexpr std::string_view type_name = "AlterUserScramCredentialsResult";

    std::string user;
    ErrorCode error_code = ErrorCode::none;
    std::optional<std::string> error_message = std::string{};
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const AlterUserScramCredentialsResult&) const = default;
    template <class T = AlterUserScramCredentialsResult>
    static constexpr auto fields() {
      return std::tuple{
          field("user", &T::user, since(0)),
          field("errorCode", &T::error_code, since(0)),
          field("errorMessage", &T::error_message, since(0)).nullable(since(0)),
      };
    }
  };

  std::int32_t throttle_time_ms = 0;
  std::vector<AlterUserScramCredentialsResult> results;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AlterUserScramCredentialsResponse&) const = default;
  template <class T = AlterUserScramCredentialsResponse>
  static constexpr auto fields() {
    return std::tuple{
        field("throttleTimeMs", &T::throttle_time_ms, since(0)),
        field("results", &T::results, since(0)),
    };
  }
};

}  // namespace fencepost::protocol
