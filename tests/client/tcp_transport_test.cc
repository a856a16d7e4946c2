// The TCP transport against a socket on 127.0.0.1, the one place with a real port.
#include "client/tcp_transport.h"

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <functional>
#include <optional>

#include "client/connection.h"
#include "client/system_clock.h"
#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::client;
using asio::ip::tcp;

namespace {

// Accepts one connection, reads `bytes_expected` bytes, answers with `answer` and closes.
asio::awaitable<void> serve_once(tcp::acceptor* acceptor, std::size_t bytes_expected,
                                 std::string answer, std::string* received) {
  tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
  received->resize(bytes_expected);
  co_await asio::async_read(socket, asio::buffer(*received), asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
}

Task<SharedBytes> exchange(Transport* transport, int port, Frame frame) {
  Result<std::unique_ptr<Channel>> channel = co_await transport->connect("127.0.0.1", port);
  if (!channel) co_return channel.error();
  Result<void> sent = co_await channel.value()->send(std::move(frame));
  if (!sent) co_return sent.error();
  co_return co_await channel.value()->receive();
}

// A SOCKS5 proxy for one connection to "127.0.0.1", whose reply to the request has that code; then
// it is the broker itself.
asio::awaitable<void> serve_as_proxy(tcp::acceptor* acceptor, int code, std::string answer,
                                     std::string* received) {
  tcp::socket socket = co_await acceptor->async_accept(asio::use_awaitable);
  const std::string without_authentication("\x05\x00", 2);
  std::string reply("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10);
  reply[1] = static_cast<char>(code);
  received->resize(3 + 16);
  co_await asio::async_read(socket, asio::buffer(*received, 3), asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(without_authentication), asio::use_awaitable);
  co_await asio::async_read(socket, asio::buffer(*received) + 3, asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(reply), asio::use_awaitable);
  if (code != 0) co_return;
  std::string frame(7, ' ');
  co_await asio::async_read(socket, asio::buffer(frame), asio::use_awaitable);
  co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
}

struct TcpWorld {
  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  std::string received;

  int port() const { return acceptor.local_endpoint().port(); }
  // What the client gets when it sends "ab", "c" and the server answers so.
  Result<SharedBytes> exchange_with(std::string answer,
                                    std::size_t frame_bytes_max = default_frame_bytes_max) {
    TcpTransport transport(frame_bytes_max);
    Frame frame(SharedBytes::copy_of("ab"));
    frame.append(SharedBytes::copy_of("c"));
    asio::co_spawn(io, serve_once(&acceptor, 7, std::move(answer), &received), asio::detached);
    return run(exchange(&transport, port(), std::move(frame)));
  }
  template <class T>
  Result<T> run(Task<T> task) {
    auto place = std::make_shared<std::optional<Result<T>>>();
    asio::co_spawn(io, store(std::move(task), place), asio::detached);
    io.restart();
    while (!place->has_value() && io.run_one_for(std::chrono::seconds(20)) > 0) {
    }
    REQUIRE(place->has_value());
    return std::move(**place);
  }
};

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text.push_back(static_cast<char>(value));
  return text;
}

}  // namespace

TEST_CASE("Frames travel through a SOCKS5 proxy, which is told the broker's name", "[client]") {
  TcpWorld world;
  TcpTransport transport;
  transport.use_proxy({"127.0.0.1", world.port()});
  asio::co_spawn(world.io,
                 serve_as_proxy(&world.acceptor, 0, bytes({0, 0, 0, 2}) + "xy", &world.received),
                 asio::detached);
  Frame frame(SharedBytes::copy_of("abc"));
  const auto answer = world.run(exchange(&transport, 9092, std::move(frame)));
  REQUIRE(answer.ok());
  CHECK(answer.value().text() == "xy");
  CHECK(world.received ==
        bytes({5, 1, 0, 5, 1, 0, 3, 9}) + "127.0.0.1" + bytes({9092 >> 8, 9092 & 255}));
}

TEST_CASE("What a proxy refuses is an error that names broker and proxy", "[client]") {
  TcpWorld world;
  TcpTransport transport;
  transport.use_proxy({"127.0.0.1", world.port()});
  asio::co_spawn(world.io, serve_as_proxy(&world.acceptor, 5, "", &world.received), asio::detached);
  Frame frame(SharedBytes::copy_of("abc"));
  const auto answer = world.run(exchange(&transport, 9092, std::move(frame)));
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().kind == ErrorKind::cannot_connect);
  CHECK(answer.error().text ==
        "cannot connect to 127.0.0.1:9092 through 127.0.0.1:" + std::to_string(world.port()) +
            ": the SOCKS5 proxy was refused the connection");
}

TEST_CASE("Frames travel over TCP behind their length, all pieces in one", "[client]") {
  TcpWorld world;
  const auto answer = world.exchange_with(bytes({0, 0, 0, 2}) + "xy");
  CHECK(world.received == bytes({0, 0, 0, 3}) + "abc");
  CHECK(answer.value().text() == "xy");
}

TEST_CASE("An impossible length from the other side is malformed", "[client]") {
  TcpWorld world;
  const auto negative = world.exchange_with(bytes({255, 255, 255, 255}));
  CHECK(negative.error().kind == ErrorKind::malformed);
  TcpWorld other;
  const auto too_large = other.exchange_with(bytes({0, 0, 0, 9}) + "123456789", 8);
  CHECK(too_large.error().text.find("a frame of 9 bytes") != std::string::npos);
}

TEST_CASE("A connection that ends in the middle of a frame is closed", "[client]") {
  TcpWorld world;
  const auto result = world.exchange_with(bytes({0, 0, 0, 9}) + "123");
  CHECK(result.error().kind == ErrorKind::closed);
  CHECK(result.error().text == "reading from 127.0.0.1:" + std::to_string(world.port()) +
                                   ": the other side closed the connection");
}

TEST_CASE("A frame above the limit is not sent", "[client]") {
  TcpWorld world;
  TcpTransport small(2);
  const auto result = world.run(exchange(&small, world.port(), Frame(SharedBytes::copy_of("abc"))));
  CHECK(result.error().kind == ErrorKind::not_encodable);
}

TEST_CASE("A port where nobody listens names the address and the step", "[client]") {
  TcpWorld world;
  const int port = world.port();
  world.acceptor.close();
  TcpTransport transport;
  const auto result = world.run(exchange(&transport, port, Frame()));
  CHECK(result.error().kind == ErrorKind::cannot_connect);
  CHECK(result.error().text ==
        "cannot connect to 127.0.0.1:" + std::to_string(port) +
            ": opening the connection: Connection refused; check that a broker "
            "listens there, on that port");
}

TEST_CASE("A broker that closes instead of answering ApiVersions cannot be connected to",
          "[client]") {
  TcpWorld world;
  TcpTransport transport;
  SystemClock clock;
  std::string received;
  asio::co_spawn(world.io, serve_once(&world.acceptor, 4, "", &received), asio::detached);
  const auto result = world.run(Connection::open(transport, clock, "127.0.0.1", world.port(), {}));
  CHECK(result.error().kind == ErrorKind::cannot_connect);
}

TEST_CASE("The system clock moves forward and sleeps until its deadline", "[client]") {
  TcpWorld world;
  SystemClock clock;
  const Instant begin = clock.now();
  bool is_awake = false;
  asio::co_spawn(world.io, clock.sleep_until(begin + milliseconds(2)),
                 [&is_awake](const std::exception_ptr&) { is_awake = true; });
  world.io.run();
  CHECK(is_awake);
  CHECK(clock.now() >= begin + milliseconds(2));
}
