// Two TLS sessions that hand each other their bytes.
#include "protocol/tls/session.h"

#include <array>

#include "tests/certificates.h"

#include "tests/catch.h"

namespace fencepost::protocol::tls {
namespace {

using tests::Certificate;

struct World {
  Certificate authority = tests::make_authority("authority");
  Certificate broker = tests::make_certificate(authority, "broker", "DNS:localhost,IP:127.0.0.1");
  ContextSettings server{broker.certificate, broker.private_key, {}, {}, ClientAuth::none};
  ContextSettings client{{}, {}, {}, authority.certificate, ClientAuth::none};

  // Hands bytes on until nobody has any more; the first error.
  static Result<void> settle(Session& one, Session& other) {
    while (true) {
      const ByteVector there = one.take_output();
      const ByteVector back = other.take_output();
      if (there.empty() && back.empty()) return {};
      if (!there.empty())
        if (Result<void> received = other.receive(there); !received.ok()) return received;
      if (!back.empty())
        if (Result<void> received = one.receive(back); !received.ok()) return received;
    }
  }
  // What a client that wants `host` is told.
  std::string problem_for(const std::string& host, bool verifies_host = true) const {
    Session at_client(*Context::make(Context::Side::client, client), host, verifies_host);
    Session at_server(*Context::make(Context::Side::server, server));
    const Result<void> settled = settle(at_client, at_server);
    return settled.ok() ? "" : settled.error().text;
  }
};

TEST_CASE("bytes arrive on the other side, whoever sends", "[protocol][tls]") {
  const World world;
  Session client(*Context::make(Context::Side::client, world.client), "localhost");
  Session server(*Context::make(Context::Side::server, world.server));
  REQUIRE(World::settle(client, server).ok());
  REQUIRE(client.is_established());
  REQUIRE(server.is_established());
  CHECK(server.peer_name().empty());
  CHECK(client.peer_name() == "CN=broker");
  const std::string text(100'000, 'x');
  REQUIRE(server.write(as_bytes(text)).ok());
  REQUIRE(World::settle(client, server).ok());
  std::string received;
  std::array<std::uint8_t, 4096> space{};
  while (const std::size_t count = *client.read(space))
    received += as_text(std::span(space).first(count));
  CHECK(received == text);
}

TEST_CASE("a certificate has to be for the host that is meant", "[protocol][tls]") {
  const World world;
  CHECK(world.problem_for("localhost").empty());
  CHECK(world.problem_for("127.0.0.1").empty());
  CHECK(world.problem_for("127.0.0.2").find("for another host name") != std::string::npos);
  CHECK(world.problem_for("example.org").find("for another host name") != std::string::npos);
  CHECK(world.problem_for("example.org", false).empty());
}

TEST_CASE("a certificate of an unknown authority is refused", "[protocol][tls]") {
  World world;
  world.client.authorities = tests::make_authority("other").certificate;
  CHECK(world.problem_for("localhost").find("check ssl.ca.location") != std::string::npos);
  CHECK(world.problem_for("localhost", false).find("check ssl.ca.location") != std::string::npos);
}

TEST_CASE("a client that has to show a certificate and has none is refused", "[protocol][tls]") {
  World world;
  world.server.client_auth = ClientAuth::required;
  world.server.authorities = world.authority.certificate;
  CHECK_FALSE(world.problem_for("localhost").empty());
  world.server.client_auth = ClientAuth::requested;
  CHECK(world.problem_for("localhost").empty());
}

TEST_CASE("a client's certificate names him", "[protocol][tls]") {
  World world;
  const Certificate alice = tests::make_certificate(world.authority, "alice, of ours", "");
  world.server.client_auth = ClientAuth::required;
  world.server.authorities = world.authority.certificate;
  world.client.certificate_chain = alice.certificate;
  world.client.private_key = alice.private_key;
  Session client(*Context::make(Context::Side::client, world.client), "localhost");
  Session server(*Context::make(Context::Side::server, world.server));
  REQUIRE(World::settle(client, server).ok());
  CHECK(server.peer_name() == "CN=alice\\, of ours");
}

TEST_CASE("what does not speak TLS is told from what does", "[protocol][tls]") {
  const World world;
  Session client(*Context::make(Context::Side::client, world.client), "localhost");
  const Result<void> received = client.receive(as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n"));
  REQUIRE_FALSE(received.ok());
  CHECK(received.error().text.find("does not speak TLS") != std::string::npos);
}

TEST_CASE("a context says which part of it cannot be used, and shows nothing of it",
          "[protocol][tls]") {
  const World world;
  const auto problem = [](Context::Side side, const ContextSettings& settings) {
    const Result<Context> context = Context::make(side, settings);
    REQUIRE_FALSE(context.ok());
    CHECK(context.error().text.find("secret") == std::string::npos);
    return context.error().text;
  };
  ContextSettings settings = world.server;
  settings.certificate_chain = "secret";
  CHECK(problem(Context::Side::server, settings).find("the certificate") == 0);
  settings = world.server;
  settings.private_key = "secret";
  CHECK(problem(Context::Side::server, settings).find("the private key") == 0);
  settings.private_key = world.authority.private_key;
  CHECK(problem(Context::Side::server, settings).find("does not belong") != std::string::npos);
  CHECK(problem(Context::Side::server, {}).find("needs a certificate") != std::string::npos);
  settings = world.server;
  settings.client_auth = ClientAuth::required;
  CHECK(problem(Context::Side::server, settings).find("whom to trust") != std::string::npos);
  CHECK(problem(Context::Side::client, {{}, {}, {}, "secret", ClientAuth::none}).find("trusted") !=
        std::string::npos);
}

}  // namespace
}  // namespace fencepost::protocol::tls
