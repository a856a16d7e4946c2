// Addresses as --bootstrap takes them.
#include "client/address.h"

#include <charconv>

namespace fencepost::client {

namespace {

Result<Address> parse_address(std::string_view text) {
  const Error wrong{ErrorKind::invalid_argument,
                    "'" + std::string(text) + "' is not an address; write HOST:PORT"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  Address address;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (failure != std::errc() || end != digits.data() + digits.size()) return wrong;
  if (address.port < 1 || address.port > 65535) return wrong;
  const bool is_bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  if (!is_bracketed && host.find(':') != std::string_view::npos) return wrong;
  address.host = std::string(host);
  return address;
}

}  // namespace

std::string to_string(const Address& address) {
  return address.host + ":" + std::to_string(address.port);
}

Result<std::vector<Address>> parse_addresses(std::string_view text) {
  std::vector<Address> addresses;
  while (true) {
    const std::size_t comma = text.find(',');
    Result<Address> address = parse_address(text.substr(0, comma));
    if (!address) return address.error();
    addresses.push_back(std::move(address).value());
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace fencepost::client
