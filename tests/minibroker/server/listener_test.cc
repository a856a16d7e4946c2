// Listeners as people write them.
#include "minibroker/server/server.h"

#include "tests/catch.h"

namespace fencepost::minibroker::server {
namespace {

std::string problem(std::string_view text) {
  const Result<ListenerSettings> listener = parse_listener(text);
  CHECK_FALSE(listener.ok());
  if (listener.ok()) return {};
  CHECK(listener.error().kind == ErrorKind::invalid_argument);
  return listener.error().text;
}

TEST_CASE("a listener is a protocol, a host and a port", "[server][listener]") {
  const Result<ListenerSettings> listener = parse_listener("SASL_SSL://broker.example:9093");
  REQUIRE(listener.ok());
  CHECK(listener->protocol == security::Protocol::sasl_ssl);
  CHECK(listener->host == "broker.example");
  CHECK(listener->port == 9093);
}

TEST_CASE("a listener without a host is for every address", "[server][listener]") {
  const Result<ListenerSettings> listener = parse_listener("PLAINTEXT://:0");
  REQUIRE(listener.ok());
  CHECK(listener->host == "0.0.0.0");
  CHECK(listener->port == 0);
}

TEST_CASE("an IPv6 address of a listener stands in brackets", "[server][listener]") {
  const Result<ListenerSettings> listener = parse_listener("SSL://[::1]:9092");
  REQUIRE(listener.ok());
  CHECK(listener->host == "::1");
}

TEST_CASE("an unknown protocol is refused with the nearest known one", "[server][listener]") {
  CHECK(problem("SASL_SLL://h:1") ==
        "'SASL_SLL://h:1' is not a listener: the protocol can be PLAINTEXT, SSL, SASL_PLAINTEXT "
        "or SASL_SSL; did you mean SASL_SSL");
}

TEST_CASE("the protocol of a listener may be in small letters", "[server][listener]") {
  const Result<ListenerSettings> listener = parse_listener("sasl_plaintext://h:1");
  REQUIRE(listener.ok());
  CHECK(listener->protocol == security::Protocol::sasl_plaintext);
}

TEST_CASE("a listener with parts missing is refused with what is", "[server][listener]") {
  CHECK(problem("127.0.0.1:9092").find("write PROTOCOL://HOST:PORT") != std::string::npos);
  CHECK(problem("").find("write PROTOCOL://HOST:PORT") != std::string::npos);
  CHECK(problem("SSL://localhost").find("the port is missing") != std::string::npos);
  for (const char* text : {"SSL://h:", "SSL://h:x", "SSL://h:65536", "SSL://h:-1", "SSL://h:1x"})
    CHECK(problem(text).find("the port has to be from 0 to 65535") != std::string::npos);
}

}  // namespace
}  // namespace fencepost::minibroker::server
