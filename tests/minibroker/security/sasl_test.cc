// The order of requests on a SASL listener, both mechanisms, and what must not get in.
#include "minibroker/security/sasl_exchange.h"

#include "protocol/messages/api_versions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/sasl_authenticate.h"
#include "protocol/messages/sasl_handshake.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;

ClusterSettings settings() {
  ClusterSettings out;
  out.sasl.users = {{"alice", "secret"}};
  return out;
}

struct SaslFixture : ClusterFixture {
  explicit SaslFixture(const ClusterSettings& with = settings()) : ClusterFixture(with) { open(); }
  void open() {
    security::Origin origin;
    origin.protocol = security::Protocol::sasl_plaintext;
    connection = cluster.connect(1, origin);
  }

  template <class Request>
  typename Request::Response ask(const Request& request, int version) {
    const std::int32_t id = send(connection, request, version);
    return answer<typename Request::Response>(id, version);
  }
  SaslHandshakeResponse shake_hands(const std::string& mechanism, int version = 1) {
    SaslHandshakeRequest request;
    request.mechanism = mechanism;
    return ask(request, version);
  }
  SaslAuthenticateResponse authenticate(std::string_view token, int version = 2) {
    SaslAuthenticateRequest request;
    request.auth_bytes = SharedBytes::copy_of(token);
    return ask(request, version);
  }
  // Whether the next thing that happens is that the connection is closed.
  bool is_closed() {
    for (const Output& output : cluster.take_output())
      if (output.is_close && output.connection == connection) return true;
    return false;
  }
  template <class Request>
  bool closes(const Request& request, int version) {
    send(connection, request, version);
    return is_closed();
  }
  bool is_served() {
    const std::int32_t id = send(connection, MetadataRequest{}, 9);
    return is_answered(id);
  }

  ConnectionId connection = 0;
};

constexpr std::string_view plain_alice("\0alice\0secret", 13);
constexpr std::string_view plain_wrong("\0alice\0wrong", 12);

// What SCRAM's client would send as its final message.
std::string scram_final(const SharedBytes& challenge, std::string_view password) {
  const auto mechanism = sasl::ScramMechanism::sha_512;
  const auto server_first = *sasl::parse_server_first(challenge.text());
  const SharedBytes salted =
      sasl::salted_password(mechanism, password, server_first.salt.view(), server_first.iterations);
  sasl::ScramClientFinal out = sasl::make_client_final(server_first.nonce);
  out.proof =
      sasl::client_proof(mechanism, salted.view(),
                         sasl::signed_text("n=alice,r=abc", challenge.text(), out.without_proof));
  return to_text(out);
}

TEST_CASE("PLAIN lets in who knows the password", "[security][sasl]") {
  SaslFixture fixture;
  CHECK(fixture.shake_hands("PLAIN").error_code == ErrorCode::none);
  const auto answer = fixture.authenticate(plain_alice);
  CHECK(answer.error_code == ErrorCode::none);
  CHECK(answer.session_lifetime_ms == 0);
  CHECK(fixture.is_served());
}

TEST_CASE("what a connection sends after it was closed is not served as anybody's",
          "[security][sasl]") {
  ClusterSettings with = settings();
  with.latency = milliseconds(1);
  with.topics = {};
  SaslFixture fixture(with);
  // All three are on their way when the broker closes at the first.
  fixture.send(fixture.connection, SaslAuthenticateRequest{}, 2);
  CreateTopicsRequest create;
  create.topics.emplace_back().name = "t";
  create.topics[0].num_partitions = 1;
  create.topics[0].replication_factor = 1;
  fixture.send(fixture.connection, create, 7);
  fixture.open();
  fixture.send(fixture.connection, create, 7);
  fixture.cluster.disconnect(fixture.connection);
  fixture.advance(milliseconds(10));
  CHECK(fixture.cluster.partitions().empty());
}

TEST_CASE("a connection has to authenticate until it has", "[security][sasl]") {
  SaslFixture fixture;
  CHECK(fixture.cluster.has_to_authenticate(fixture.connection));
  fixture.shake_hands("PLAIN");
  CHECK(fixture.cluster.has_to_authenticate(fixture.connection));
  fixture.authenticate(plain_alice);
  CHECK_FALSE(fixture.cluster.has_to_authenticate(fixture.connection));
  CHECK_FALSE(fixture.cluster.has_to_authenticate(fixture.to(1)));
}

TEST_CASE("PLAIN turns away everybody else, and closes", "[security][sasl]") {
  for (const std::string_view token :
       {plain_wrong, std::string_view("\0bob\0secret", 11), std::string_view("\0alice\0", 7),
        std::string_view("bob\0alice\0secret", 16), std::string_view("alice secret"),
        std::string_view("\0alice\0secret\0x", 15)}) {
    SaslFixture fixture;
    CHECK(fixture.shake_hands("PLAIN").error_code == ErrorCode::none);
    SaslAuthenticateRequest request;
    request.auth_bytes = SharedBytes::copy_of(token);
    fixture.send(fixture.connection, request, 2);
    bool is_closed = false;
    for (const Output& output : fixture.cluster.take_output()) {
      is_closed |= output.is_close;
      if (output.is_close) continue;
      const SharedBytes frame = output.frame.flatten();
      CHECK(frame.text().find("secret") == std::string_view::npos);
      const auto response =
          Codec<SaslAuthenticateResponse>::decode(frame.slice(5, frame.size() - 5), 2);
      REQUIRE(response.ok());
      CHECK(response->error_code == ErrorCode::sasl_authentication_failed);
    }
    CHECK(is_closed);
    CHECK_FALSE(fixture.is_served());
  }
}

TEST_CASE("librdkafka's doubled nonce is not turned away", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("SCRAM-SHA-512");
  const auto challenge = fixture.authenticate("n,,n=alice,r=abc");
  const auto server_first = *sasl::parse_server_first(challenge.auth_bytes.text());
  const SharedBytes salted = sasl::salted_password(
      sasl::ScramMechanism::sha_512, "secret", server_first.salt.view(), server_first.iterations);
  sasl::ScramClientFinal last = sasl::make_client_final("abc" + server_first.nonce);
  last.proof = sasl::client_proof(
      sasl::ScramMechanism::sha_512, salted.view(),
      sasl::signed_text("n=alice,r=abc", challenge.auth_bytes.text(), last.without_proof));
  CHECK(fixture.authenticate(to_text(last)).error_code == ErrorCode::none);
  CHECK(fixture.is_served());
}

TEST_CASE("a final message with another nonce is turned away", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("SCRAM-SHA-512");
  const auto challenge = fixture.authenticate("n,,n=alice,r=abc");
  std::string last = scram_final(challenge.auth_bytes, "secret");
  last.insert(last.find(",p="), "x");
  CHECK(fixture.authenticate(last).error_code == ErrorCode::sasl_authentication_failed);
}

TEST_CASE("SCRAM proves both sides to each other", "[security][sasl]") {
  SaslFixture fixture;
  CHECK(fixture.shake_hands("SCRAM-SHA-512").error_code == ErrorCode::none);
  const auto challenge = fixture.authenticate("n,,n=alice,r=abc");
  CHECK(challenge.error_code == ErrorCode::none);
  CHECK_FALSE(fixture.is_served());
}

TEST_CASE("SCRAM lets in who knows the password", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("SCRAM-SHA-512");
  const auto challenge = fixture.authenticate("n,,n=alice,r=abc");
  const auto last = fixture.authenticate(scram_final(challenge.auth_bytes, "secret"));
  CHECK(last.error_code == ErrorCode::none);
  CHECK(last.auth_bytes.text().starts_with("v="));
  CHECK(fixture.is_served());
}

TEST_CASE("SCRAM says the same of a wrong password and an unknown user", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("SCRAM-SHA-512");
  const auto challenge = fixture.authenticate("n,,n=alice,r=abc");
  const auto wrong = fixture.authenticate(scram_final(challenge.auth_bytes, "wrong"));
  CHECK(wrong.error_code == ErrorCode::sasl_authentication_failed);
  fixture.open();
  fixture.shake_hands("SCRAM-SHA-512");
  const auto unknown = fixture.authenticate("n,,n=bob,r=abc");
  CHECK(unknown.error_code == ErrorCode::sasl_authentication_failed);
  CHECK(unknown.error_message == wrong.error_message);
  CHECK(*wrong.error_message ==
        "Authentication failed during authentication due to invalid credentials with SASL "
        "mechanism SCRAM-SHA-512");
}

TEST_CASE("two exchanges have two nonces", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("SCRAM-SHA-512");
  const auto one = fixture.authenticate("n,,n=alice,r=abc");
  fixture.open();
  fixture.shake_hands("SCRAM-SHA-512");
  CHECK(fixture.authenticate("n,,n=alice,r=abc").auth_bytes != one.auth_bytes);
}

TEST_CASE("versions may be asked for once, then only the mechanism", "[security][sasl]") {
  SaslFixture fixture;
  CHECK(fixture.ask(ApiVersionsRequest{}, 0).error_code == ErrorCode::none);
  CHECK(fixture.closes(ApiVersionsRequest{}, 0));
}

TEST_CASE("anything else before the handshake closes the connection", "[security][sasl]") {
  SaslFixture fixture;
  CHECK(fixture.closes(MetadataRequest{}, 9));
  fixture.open();
  CHECK(fixture.closes(SaslAuthenticateRequest{}, 2));
  fixture.open();
  fixture.shake_hands("PLAIN");
  CHECK(fixture.closes(MetadataRequest{}, 9));
}

TEST_CASE("an unknown mechanism is told the known ones", "[security][sasl]") {
  SaslFixture fixture;
  const auto answer = fixture.shake_hands("GSSAPI");
  CHECK(answer.error_code == ErrorCode::unsupported_sasl_mechanism);
  // In Kafka's order, however they are configured.
  CHECK(answer.mechanisms == std::vector<std::string>{"PLAIN", "SCRAM-SHA-512", "SCRAM-SHA-256"});
  CHECK_FALSE(fixture.is_served());
}

TEST_CASE("PLAIN says what is missing", "[security][sasl]") {
  const auto reason = [](std::string_view token) {
    SaslFixture fixture;
    fixture.shake_hands("PLAIN");
    return fixture.authenticate(token).error_message;
  };
  CHECK(reason("alice") == "Invalid SASL/PLAIN response: expected 3 tokens, got 1");
  CHECK(reason(std::string_view("\0a\0b\0c\0d", 8)) ==
        "Invalid SASL/PLAIN response: expected 3 tokens, got 4");
  CHECK(reason(std::string_view("\0\0secret", 8)) ==
        "Authentication failed: username not specified");
  CHECK(reason(std::string_view("\0alice\0", 7)) ==
        "Authentication failed: password not specified");
}

TEST_CASE("a request in the middle of authenticating is refused as the last", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("PLAIN");
  CHECK(fixture.shake_hands("PLAIN").error_code == ErrorCode::illegal_sasl_state);
  CHECK_FALSE(fixture.is_served());
  fixture.open();
  fixture.shake_hands("PLAIN");
  CHECK(fixture.ask(ApiVersionsRequest{}, 0).error_code == ErrorCode::illegal_sasl_state);
  CHECK_FALSE(fixture.is_served());
}

TEST_CASE("after authenticating, SASL requests are out of place", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("PLAIN");
  fixture.authenticate(plain_alice);
  CHECK(fixture.shake_hands("PLAIN").error_code == ErrorCode::illegal_sasl_state);
  CHECK(fixture.authenticate(plain_alice).error_code == ErrorCode::illegal_sasl_state);
  CHECK(fixture.is_served());
}

TEST_CASE("where nobody authenticates, SASL requests are out of place", "[security][sasl]") {
  ClusterFixture fixture(settings());
  CHECK(fixture.call(1, SaslHandshakeRequest{}, 1).error_code == ErrorCode::illegal_sasl_state);
}

TEST_CASE("an authentication that expires has to be repeated by the same user",
          "[security][sasl]") {
  ClusterSettings expiring = settings();
  expiring.sasl.users["bob"] = "secret";
  expiring.sasl.connections_max_reauth = std::chrono::seconds(60);
  SaslFixture fixture(expiring);
  fixture.shake_hands("PLAIN");
  CHECK(fixture.authenticate(plain_alice).session_lifetime_ms == 60'000);
  fixture.advance(std::chrono::seconds(50));
  fixture.shake_hands("PLAIN");
  CHECK(fixture.authenticate(plain_alice).error_code == ErrorCode::none);
  fixture.advance(std::chrono::seconds(59));
  CHECK(fixture.is_served());
  fixture.shake_hands("PLAIN");
  CHECK(fixture.authenticate(std::string_view("\0bob\0secret", 11)).error_code ==
        ErrorCode::sasl_authentication_failed);
  fixture.open();
  fixture.shake_hands("PLAIN");
  fixture.authenticate(plain_alice);
  fixture.advance(std::chrono::seconds(61));
  CHECK(fixture.closes(MetadataRequest{}, 9));
}

TEST_CASE("old clients send their tokens without a request around them", "[security][sasl]") {
  SaslFixture fixture;
  fixture.shake_hands("PLAIN", 0);
  fixture.cluster.receive(fixture.connection, SharedBytes::copy_of(plain_alice), fixture.now);
  const auto outputs = fixture.cluster.take_output();
  REQUIRE(outputs.size() == 1);
  CHECK_FALSE(outputs[0].is_close);
  CHECK(outputs[0].frame.size() == 0);
  CHECK(fixture.is_served());
}

TEST_CASE("a users file is read line by line, and its errors show nothing of it",
          "[security][sasl]") {
  std::map<std::string, std::string> users;
  CHECK(security::add_users(users, "# ours\nalice:a:b\n\r\nbob:x\r\n").ok());
  CHECK(users == std::map<std::string, std::string>{{"alice", "a:b"}, {"bob", "x"}});
  const auto wrong = security::add_users(users, "carol:y\nhidden");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().text == "line 2: a user is written name:password");
}

}  // namespace
}  // namespace fencepost::minibroker
