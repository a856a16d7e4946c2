// Listeners as Kafka writes them: PROTOCOL://HOST:PORT.
#include <charconv>
#include <string>
#include <vector>

#include "minibroker/server/server.h"
#include "protocol/base/nearest.h"

namespace fencepost::minibroker::server {

Result<ListenerSettings> parse_listener(std::string_view text) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::invalid_argument,
                 "'" + std::string(text) + "' is not a listener: " + what,
                 0,
                 {}};
  };
  const std::size_t slashes = text.find("://");
  if (slashes == std::string_view::npos) return wrong("write PROTOCOL://HOST:PORT");
  ListenerSettings listener;
  // In capitals or not, as Kafka has it.
  std::string name(text.substr(0, slashes));
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (const auto protocol = security::find_protocol(name)) {
    listener.protocol = *protocol;
  } else {
    std::vector<std::string_view> names;
    for (const auto it : security::protocols) names.push_back(to_string(it));
    return wrong("the protocol can be PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL" +
                 did_you_mean(name, names));
  }
  const std::string_view address = text.substr(slashes + 3);
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return wrong("the port is missing");
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), listener.port);
  if (error != std::errc() || end != port.data() + port.size() || listener.port < 0 ||
      listener.port > 65535)
    return wrong("the port has to be from 0 to 65535");
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  listener.host = host.empty() ? "0.0.0.0" : std::string(host);
  return listener;
}

}  // namespace fencepost::minibroker::server
