// Each link is two coroutines that carry bytes one way. One that has read while the link is cut
// keeps the bytes until it heals; TCP holds back the rest.
#include "tools/torture/proxy.h"

#include <array>
#include <asio/co_spawn.hpp>
#include <asio/connect.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "client/event.h"

namespace fencepost::tools {

namespace {

using asio::ip::tcp;

constexpr std::uint8_t socks_version = 5;
constexpr std::uint8_t address_name = 3;
constexpr std::uint8_t refused = 5;

struct Link {
  explicit Link(tcp::socket accepted)
      : client(std::move(accepted)), broker(client.get_executor()) {}
  tcp::socket client;
  tcp::socket broker;

  void close() {
    asio::error_code ignored;
    client.close(ignored);
    broker.close(ignored);
  }
};

asio::awaitable<bool> read_bytes(tcp::socket& socket, std::uint8_t* space, std::size_t size) {
  asio::error_code failure;
  co_await asio::async_read(socket, asio::buffer(space, size),
                            asio::redirect_error(asio::use_awaitable, failure));
  co_return !failure;
}

asio::awaitable<bool> write_bytes(tcp::socket& socket, std::vector<std::uint8_t> bytes) {
  asio::error_code failure;
  co_await asio::async_write(socket, asio::buffer(bytes),
                             asio::redirect_error(asio::use_awaitable, failure));
  co_return !failure;
}

// Where the client wants to go; nothing when it speaks something else.
asio::awaitable<std::optional<client::Address>> read_request(tcp::socket& socket) {
  std::array<std::uint8_t, 256> bytes{};
  bool is_read = co_await read_bytes(socket, bytes.data(), 2);
  if (!is_read || bytes[0] != socks_version) co_return std::nullopt;
  is_read = co_await read_bytes(socket, bytes.data(), bytes[1]);
  if (!is_read) co_return std::nullopt;
  std::vector<std::uint8_t> without_authentication{socks_version, 0};
  const bool is_written = co_await write_bytes(socket, std::move(without_authentication));
  if (!is_written) co_return std::nullopt;
  is_read = co_await read_bytes(socket, bytes.data(), 5);
  if (!is_read || bytes[3] != address_name) co_return std::nullopt;
  const std::size_t size = bytes[4];
  is_read = co_await read_bytes(socket, bytes.data(), size);
  if (!is_read) co_return std::nullopt;
  client::Address wanted;
  wanted.host.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
  is_read = co_await read_bytes(socket, bytes.data(), 2);
  if (!is_read) co_return std::nullopt;
  wanted.port = bytes[0] << 8 | bytes[1];
  co_return wanted;
}

asio::awaitable<bool> connect(tcp::socket& socket, client::Address wanted) {
  asio::error_code failure;
  tcp::resolver resolver(socket.get_executor());
  const tcp::resolver::results_type found = co_await resolver.async_resolve(
      wanted.host, std::to_string(wanted.port), asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return false;
  co_await asio::async_connect(socket, found, asio::redirect_error(asio::use_awaitable, failure));
  if (!failure) socket.set_option(tcp::no_delay(true), failure);
  co_return !failure;
}

}  // namespace

struct Proxy::State {
  explicit State(asio::any_io_executor executor) : acceptor(executor), healed(executor) {
    healed.set();
  }
  tcp::acceptor acceptor;
  client::Event healed;
  std::vector<std::weak_ptr<Link>> links;

  void drop_links() {
    for (const std::weak_ptr<Link>& it : std::exchange(links, {}))
      if (const std::shared_ptr<Link> link = it.lock()) link->close();
  }
};

namespace {

template <class State>
asio::awaitable<void> carry(std::shared_ptr<State> state, std::shared_ptr<Link> link,
                            tcp::socket* from, tcp::socket* to) {
  std::vector<std::uint8_t> bytes(std::size_t{64} << 10);
  asio::error_code failure;
  while (!failure) {
    const std::size_t count = co_await from->async_read_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, failure));
    while (!state->healed.is_set()) co_await state->healed.wait();
    if (failure) break;
    co_await asio::async_write(*to, asio::buffer(bytes.data(), count),
                               asio::redirect_error(asio::use_awaitable, failure));
  }
  link->close();
}

template <class State>
asio::awaitable<void> serve(std::shared_ptr<State> state, std::shared_ptr<Link> link) {
  while (!state->healed.is_set()) co_await state->healed.wait();
  const std::optional<client::Address> wanted = co_await read_request(link->client);
  if (!wanted.has_value()) co_return link->close();
  const bool is_connected = co_await connect(link->broker, *wanted);
  std::vector<std::uint8_t> reply{socks_version, 0, 0, 1, 0, 0, 0, 0, 0, 0};
  if (!is_connected) reply[1] = refused;
  const bool is_written = co_await write_bytes(link->client, std::move(reply));
  if (!is_connected || !is_written) co_return link->close();
  const asio::any_io_executor executor = link->client.get_executor();
  asio::co_spawn(executor, carry(state, link, &link->client, &link->broker), asio::detached);
  asio::co_spawn(executor, carry(state, link, &link->broker, &link->client), asio::detached);
}

template <class State>
asio::awaitable<void> accept_links(std::shared_ptr<State> state) {
  while (true) {
    asio::error_code failure;
    tcp::socket socket =
        co_await state->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, failure));
    if (!state->acceptor.is_open()) co_return;
    if (failure) continue;
    socket.set_option(tcp::no_delay(true), failure);
    std::erase_if(state->links, [](const auto& it) { return it.expired(); });
    auto link = std::make_shared<Link>(std::move(socket));
    state->links.push_back(link);
    const asio::any_io_executor executor = link->client.get_executor();
    asio::co_spawn(executor, serve(state, std::move(link)), asio::detached);
  }
}

}  // namespace

Proxy::Proxy(asio::any_io_executor executor)
    : state_(std::make_shared<State>(std::move(executor))) {}

Proxy::~Proxy() {
  asio::error_code ignored;
  state_->acceptor.close(ignored);
  state_->drop_links();
  state_->healed.set();
}

Result<client::Address> Proxy::listen() {
  asio::error_code failure;
  const tcp::endpoint here(asio::ip::address_v4::loopback(), 0);
  state_->acceptor.open(here.protocol(), failure);
  if (!failure) state_->acceptor.bind(here, failure);
  if (!failure) state_->acceptor.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) return Error{ErrorKind::io, "cannot listen for a worker: " + failure.message()};
  asio::co_spawn(state_->acceptor.get_executor(), accept_links(state_), asio::detached);
  return client::Address{"127.0.0.1", state_->acceptor.local_endpoint().port()};
}

void Proxy::cut() {
  state_->healed.reset();
}

void Proxy::heal(bool drops_links) {
  if (drops_links) state_->drop_links();
  state_->healed.set();
}

}  // namespace fencepost::tools
