// Users with SCRAM credentials, set and described through the protocol as Kafka does it.
#include "protocol/messages/alter_user_scram_credentials.h"
#include "protocol/messages/describe_user_scram_credentials.h"
#include "protocol/messages/sasl_authenticate.h"
#include "protocol/messages/sasl_handshake.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;
using sasl::ScramMechanism;

constexpr const char* password = "open sesame";

struct ScramFixture : ClusterFixture {
  ScramFixture() : ClusterFixture(ClusterSettings{}) {}

  static AlterUserScramCredentialsRequest upsertion(const std::string& user,
                                                    int iterations = 4096) {
    AlterUserScramCredentialsRequest request;
    auto& it = request.upsertions.emplace_back();
    it.name = user;
    it.mechanism = static_cast<std::int8_t>(ScramMechanism::sha_256);
    it.iterations = iterations;
    it.salt = SharedBytes::copy_of(std::string_view("salt and pepper"));
    it.salted_password =
        sasl::salted_password(ScramMechanism::sha_256, password, it.salt.view(), iterations);
    return request;
  }
  AlterUserScramCredentialsResponse::AlterUserScramCredentialsResult alter(
      const AlterUserScramCredentialsRequest& request) {
    return call(1, request, 0).results.at(0);
  }
  std::vector<std::string> users() {
    std::vector<std::string> names;
    for (const auto& result : call(1, DescribeUserScramCredentialsRequest{}, 0).results)
      names.push_back(result.user);
    return names;
  }

  // Whether the user gets in with that password.
  bool lets_in(const std::string& user, std::string_view with) {
    security::Origin origin;
    origin.protocol = security::Protocol::sasl_plaintext;
    const ConnectionId connection = cluster.connect(1, origin);
    SaslHandshakeRequest handshake;
    handshake.mechanism = "SCRAM-SHA-256";
    answer<SaslHandshakeResponse>(send(connection, handshake, 1), 1);
    const std::string first = "n=" + user + ",r=abc";
    const SaslAuthenticateResponse challenge = authenticate(connection, "n,," + first);
    if (challenge.error_code != ErrorCode::none) return false;
    const auto server_first = *sasl::parse_server_first(challenge.auth_bytes.text());
    const SharedBytes salted = sasl::salted_password(
        ScramMechanism::sha_256, with, server_first.salt.view(), server_first.iterations);
    sasl::ScramClientFinal final_message = sasl::make_client_final(server_first.nonce);
    final_message.proof = sasl::client_proof(
        ScramMechanism::sha_256, salted.view(),
        sasl::signed_text(first, challenge.auth_bytes.text(), final_message.without_proof));
    return authenticate(connection, to_text(final_message)).error_code == ErrorCode::none;
  }
  SaslAuthenticateResponse authenticate(ConnectionId connection, std::string_view token) {
    SaslAuthenticateRequest request;
    request.auth_bytes = SharedBytes::copy_of(token);
    return answer<SaslAuthenticateResponse>(send(connection, request, 2), 2);
  }
};

TEST_CASE("who was given a credential gets in with its password", "[security][scram]") {
  ScramFixture fixture;
  CHECK_FALSE(fixture.lets_in("alice", password));
  CHECK(fixture.alter(ScramFixture::upsertion("alice")).error_code == ErrorCode::none);
  CHECK(fixture.lets_in("alice", password));
  CHECK_FALSE(fixture.lets_in("alice", "open barley"));
  CHECK(fixture.users() == std::vector<std::string>{"alice"});
}

TEST_CASE("who lost his credential stays out", "[security][scram]") {
  ScramFixture fixture;
  fixture.alter(ScramFixture::upsertion("alice"));
  AlterUserScramCredentialsRequest removal;
  removal.deletions.push_back({"alice", 2, {}});
  CHECK(fixture.alter(removal).error_code == ErrorCode::resource_not_found);
  removal.deletions[0].mechanism = static_cast<std::int8_t>(ScramMechanism::sha_256);
  CHECK(fixture.alter(removal).error_code == ErrorCode::none);
  CHECK_FALSE(fixture.lets_in("alice", password));
  CHECK(fixture.users().empty());
}

TEST_CASE("a description holds mechanism and iterations, and no key", "[security][scram]") {
  ScramFixture fixture;
  fixture.alter(ScramFixture::upsertion("alice", 5000));
  DescribeUserScramCredentialsRequest request;
  request.users.emplace() = {{"alice", {}}, {"bob", {}}, {"bob", {}}, {"carol", {}}};
  const auto described = fixture.call(1, request, 0);
  REQUIRE(described.results.size() == 3);
  CHECK(described.results[0].credential_infos.at(0).iterations == 5000);
  CHECK(described.results[1].error_code == ErrorCode::duplicate_resource);
  CHECK(described.results[2].error_code == ErrorCode::resource_not_found);
}

TEST_CASE("a credential that cannot be is refused by itself", "[security][scram]") {
  ScramFixture fixture;
  CHECK(fixture.alter(ScramFixture::upsertion("alice", 4095)).error_message ==
        "Too few iterations");
  CHECK(fixture.alter(ScramFixture::upsertion("alice", 16385)).error_message ==
        "Too many iterations");
  CHECK(fixture.alter(ScramFixture::upsertion("")).error_code ==
        ErrorCode::unacceptable_credential);
  AlterUserScramCredentialsRequest request = ScramFixture::upsertion("alice");
  request.upsertions[0].mechanism = 3;
  CHECK(fixture.alter(request).error_code == ErrorCode::unsupported_sasl_mechanism);
  request = ScramFixture::upsertion("alice");
  request.upsertions[0].salted_password = {};
  CHECK(fixture.alter(request).error_code == ErrorCode::unknown_server_error);
  request = ScramFixture::upsertion("alice");
  request.upsertions.push_back(request.upsertions[0]);
  CHECK(fixture.alter(request).error_code == ErrorCode::duplicate_resource);
  CHECK(fixture.users().empty());
}

}  // namespace
}  // namespace fencepost::minibroker
