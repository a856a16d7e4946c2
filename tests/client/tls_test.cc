// The TCP transport through TLS, against a TLS session on a socket of 127.0.0.1.
#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include "client/tcp_transport.h"
#include "tests/certificates.h"
#include "tests/client/world.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using asio::ip::tcp;
using protocol::tls::Context;
using protocol::tls::ContextSettings;
using protocol::tls::Session;

namespace {

// Sends back whatever comes, decrypted and encrypted again, until the client leaves.
asio::awaitable<void> echo(tcp::acceptor* acceptor, Context context) {
  tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
  Session session(context);
  std::array<std::uint8_t, 8192> space{};
  asio::error_code failure;
  while (!failure) {
    const std::size_t count = co_await socket.async_read_some(
        asio::buffer(space), asio::redirect_error(asio::use_awaitable, failure));
    if (failure || !session.receive(std::span(space).first(count)).ok()) co_return;
    std::array<std::uint8_t, 8192> plain{};
    for (Result<std::size_t> read = session.read(plain); read.ok() && *read > 0;
         read = session.read(plain))
      if (!session.write(std::span(plain).first(*read)).ok()) co_return;
    const ByteVector out = session.take_output();
    co_await asio::async_write(socket, asio::buffer(out),
                               asio::redirect_error(asio::use_awaitable, failure));
  }
}

Task<SharedBytes> exchange(Transport* transport, std::string host, int port, std::string text) {
  Result<std::unique_ptr<Channel>> channel = co_await transport->connect(std::move(host), port);
  if (!channel) co_return channel.error();
  Frame frame(SharedBytes::copy_of(text));
  Result<void> sent = co_await channel.value()->send(std::move(frame));
  if (!sent) co_return sent.error();
  co_return co_await channel.value()->receive();
}

struct TlsWorld {
  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  tests::Certificate authority = tests::make_authority("authority");
  tests::Certificate broker = tests::make_certificate(authority, "broker", "IP:127.0.0.1");
  ContextSettings server{broker.certificate, broker.private_key, {}, {}, {}};
  ContextSettings client{{}, {}, {}, authority.certificate, {}};
  bool verifies_host = true;

  Result<SharedBytes> send(const std::string& text) {
    TlsOptions tls{*Context::make(Context::Side::client, client), verifies_host};
    TcpTransport transport(std::optional<TlsOptions>(std::move(tls)));
    asio::co_spawn(io, echo(&acceptor, *Context::make(Context::Side::server, server)),
                   asio::detached);
    auto place = std::make_shared<std::optional<Result<SharedBytes>>>();
    const int port = acceptor.local_endpoint().port();
    asio::co_spawn(io, store(exchange(&transport, "127.0.0.1", port, text), place), asio::detached);
    while (!place->has_value() && io.run_one_for(std::chrono::seconds(20)) > 0) {
    }
    REQUIRE(place->has_value());
    return std::move(**place);
  }
};

}  // namespace

TEST_CASE("Frames travel through TLS, small and large", "[client][tls]") {
  TlsWorld small;
  CHECK(small.send("hello")->text() == "hello");
  TlsWorld large;
  const std::string text(300'000, 'x');
  CHECK(large.send(text)->text() == text);
}

TEST_CASE("A broker whose certificate is not trusted gets no frame, and is named",
          "[client][tls]") {
  TlsWorld world;
  world.client.authorities = tests::make_authority("other").certificate;
  const Result<SharedBytes> result = world.send("hello");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().kind == ErrorKind::cannot_connect);
  CHECK(result.error().text.find("cannot connect to 127.0.0.1:") == 0);
  CHECK(result.error().text.find("establishing TLS") != std::string::npos);
  CHECK(result.error().text.find("check ssl.ca.location") != std::string::npos);
}

TEST_CASE("A certificate for another host is refused unless nobody asks", "[client][tls]") {
  TlsWorld world;
  world.broker = tests::make_certificate(world.authority, "broker", "DNS:example.org");
  world.server.certificate_chain = world.broker.certificate;
  world.server.private_key = world.broker.private_key;
  CHECK(world.send("hello").error().text.find("for another host name") != std::string::npos);
  TlsWorld trusting;
  trusting.server = world.server;
  trusting.client = world.client;
  trusting.verifies_host = false;
  CHECK(trusting.send("hello").ok());
}
