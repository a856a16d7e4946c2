// The client's side of SASL against the broker's side.
#include "client/sasl.h"

#include "minibroker/security/sasl_exchange.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using minibroker::security::Credentials;
using minibroker::security::SaslExchange;

namespace {

constexpr const char* mechanisms[] = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};

SaslOptions options_for(const std::string& mechanism, const std::string& password) {
  return {mechanism, "al,i=ce", password, {}};
}

Credentials credentials(const std::string& password) {
  minibroker::security::SaslSettings settings;
  settings.users = {{"al,i=ce", password}};
  return Credentials(settings, Random(1));
}

// Runs the exchange to its end: what the broker makes of the client.
SaslExchange::State run(SaslClient& client, const std::string& mechanism, Result<void>& at_client) {
  const Credentials known = credentials("secret");
  SaslExchange exchange(mechanism, "server-nonce");
  std::optional<SharedBytes> token = *client.start();
  SaslExchange::Step step;
  while (token.has_value()) {
    step = exchange.take(known, token->view());
    if (step.state == SaslExchange::State::failed) return step.state;
    Result<std::optional<SharedBytes>> next = client.take(step.answer.view());
    if (!next.ok()) {
      at_client = next.error();
      return step.state;
    }
    token = *next;
  }
  return step.state;
}

}  // namespace

TEST_CASE("Client and broker agree by each mechanism", "[client][sasl]") {
  for (const std::string mechanism : mechanisms) {
    INFO(mechanism);
    SaslClient client(options_for(mechanism, "secret"));
    Result<void> at_client;
    CHECK(run(client, mechanism, at_client) == SaslExchange::State::complete);
    CHECK(at_client.ok());
  }
}

TEST_CASE("A wrong password gets in by no mechanism", "[client][sasl]") {
  for (const std::string mechanism : mechanisms) {
    INFO(mechanism);
    SaslClient client(options_for(mechanism, "wrong"));
    Result<void> at_client;
    CHECK(run(client, mechanism, at_client) == SaslExchange::State::failed);
  }
}

TEST_CASE("A broker that does not know the password is not believed", "[client][sasl]") {
  SaslClient client(options_for("SCRAM-SHA-256", "secret"));
  const SharedBytes first = *client.start();
  // Whoever has no credential can still make up a challenge and a signature.
  const auto parsed = *protocol::sasl::parse_client_first(first.text());
  const std::string challenge = "r=" + parsed.nonce + "x,s=AAAA,i=4096";
  REQUIRE(client.take(as_bytes(challenge)).ok());
  const Result<std::optional<SharedBytes>> end = client.take(as_bytes("v=AAAA"));
  REQUIRE_FALSE(end.ok());
  CHECK(end.error().text.find("does not know the password") != std::string::npos);
}

TEST_CASE("A challenge that weakens the exchange is refused", "[client][sasl]") {
  const auto take = [](const std::string& rest) {
    SaslOptions options = options_for("SCRAM-SHA-256", "secret");
    options.nonce = "mine";
    SaslClient client(options);
    REQUIRE(client.start().ok());
    return client.take(as_bytes(rest)).ok();
  };
  CHECK(take("r=mineyours,s=AAAA,i=4096"));
  CHECK_FALSE(take("r=mine,s=AAAA,i=4096"));
  CHECK_FALSE(take("r=yours,s=AAAA,i=4096"));
  CHECK_FALSE(take("r=mineyours,s=AAAA,i=1"));
  CHECK_FALSE(take("r=mineyours,s=AAAA,i=2000000000"));
  CHECK_FALSE(take(""));
}

TEST_CASE("An unknown mechanism is refused before anything is sent", "[client][sasl]") {
  CHECK(SaslClient(options_for("GSSAPI", "x")).start().error().kind == ErrorKind::invalid_argument);
}
