// Greeting, its answer, request, its answer: each is read to its last byte and no further, what
// follows is the broker's.
#include "client/socks5.h"

#include <array>
#include <asio/read.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <cstdint>
#include <vector>

namespace fencepost::client {

namespace {

constexpr std::uint8_t version = 5;
constexpr std::uint8_t without_authentication = 0;
constexpr std::uint8_t command_connect = 1;
constexpr std::uint8_t address_v4 = 1;
constexpr std::uint8_t address_name = 3;
constexpr std::uint8_t address_v6 = 4;

Error refused(const std::string& reason) {
  return Error{ErrorKind::cannot_connect, "the SOCKS5 proxy " + reason};
}

std::string reply_text(std::uint8_t code) {
  constexpr std::array<const char*, 9> texts{
      "succeeded",
      "failed",
      "does not allow it",
      "cannot reach the network",
      "cannot reach the host",
      "was refused the connection",
      "had no answer in time",
      "cannot do that",
      "does not know this kind of address",
  };
  return code < texts.size() ? texts[code] : "answers with code " + std::to_string(code);
}

Task<void> write_all(asio::ip::tcp::socket& socket, std::vector<std::uint8_t> bytes) {
  asio::error_code failure;
  co_await asio::async_write(socket, asio::buffer(bytes),
                             asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return refused("cannot be written to: " + failure.message());
  co_return Result<void>();
}

Task<std::vector<std::uint8_t>> read_exactly(asio::ip::tcp::socket& socket, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  asio::error_code failure;
  co_await asio::async_read(socket, asio::buffer(bytes),
                            asio::redirect_error(asio::use_awaitable, failure));
  if (failure) co_return refused("ended the connection");
  co_return bytes;
}

// The address that the proxy connects from, which nobody needs.
Task<void> skip_address(asio::ip::tcp::socket& socket, std::uint8_t kind) {
  std::size_t size = kind == address_v4 ? 4 : 16;
  if (kind == address_name) {
    Result<std::vector<std::uint8_t>> length = co_await read_exactly(socket, 1);
    if (!length) co_return length.error();
    size = length->front();
  } else if (kind != address_v4 && kind != address_v6) {
    co_return refused("answers with an unknown kind of address");
  }
  Result<std::vector<std::uint8_t>> rest = co_await read_exactly(socket, size + 2);
  if (!rest) co_return rest.error();
  co_return Result<void>();
}

}  // namespace

Task<void> ask_proxy(asio::ip::tcp::socket& socket, std::string host, int port) {
  if (host.size() > 255) co_return refused("takes no host name above 255 bytes");
  std::vector<std::uint8_t> greeting{version, 1, without_authentication};
  Result<void> written = co_await write_all(socket, std::move(greeting));
  if (!written) co_return written.error();
  Result<std::vector<std::uint8_t>> chosen = co_await read_exactly(socket, 2);
  if (!chosen) co_return chosen.error();
  if (chosen->at(0) != version) co_return refused("speaks another protocol");
  if (chosen->at(1) != without_authentication) co_return refused("asks for a user");

  std::vector<std::uint8_t> request{version, command_connect, 0, address_name,
                                    static_cast<std::uint8_t>(host.size())};
  request.insert(request.end(), host.begin(), host.end());
  request.push_back(static_cast<std::uint8_t>(port >> 8));
  request.push_back(static_cast<std::uint8_t>(port));
  written = co_await write_all(socket, std::move(request));
  if (!written) co_return written.error();
  Result<std::vector<std::uint8_t>> reply = co_await read_exactly(socket, 4);
  if (!reply) co_return reply.error();
  if (reply->at(1) != 0) co_return refused(reply_text(reply->at(1)));
  co_return co_await skip_address(socket, reply->at(3));
}

}  // namespace fencepost::client
