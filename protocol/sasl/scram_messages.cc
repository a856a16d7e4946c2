// The text form of SCRAM's messages: attributes "x=value" between commas (RFC 5802, section 7).
#include <algorithm>
#include <charconv>

#include "protocol/base/base64.h"
#include "protocol/sasl/scram.h"

namespace fencepost::protocol::sasl {

namespace {

// base64 of "n,,": no channel binding, no authorization id.
constexpr std::string_view no_channel_binding = "biws";

Error malformed(std::string_view message) {
  return {ErrorKind::malformed, "the " + std::string(message) + " of SCRAM cannot be read", 0, {}};
}

std::string_view take_part(std::string_view& text) {
  const std::size_t comma = text.find(',');
  const std::string_view part = text.substr(0, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  return part;
}

// The value of the next attribute, if that has this letter and is not empty.
std::optional<std::string_view> take(std::string_view& text, char letter) {
  std::string_view rest = text;
  const std::string_view part = take_part(rest);
  if (part.size() < 3 || part[0] != letter || part[1] != '=') return std::nullopt;
  text = rest;
  return part.substr(2);
}

std::string escape(std::string_view name) {
  std::string out;
  for (const char letter : name) {
    if (letter == '=')
      out += "=3D";
    else if (letter == ',')
      out += "=2C";
    else
      out += letter;
  }
  return out;
}

std::optional<std::string> unescape(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    if (name.starts_with("=3D") || name.starts_with("=2C")) {
      out += name[1] == '3' ? '=' : ',';
      name.remove_prefix(3);
    } else if (name.front() == '=' || name.front() == '\0') {
      return std::nullopt;
    } else {
      out += name.front();
      name.remove_prefix(1);
    }
  }
  return out;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= 0x21 && letter <= 0x7e; });
}

std::optional<SharedBytes> decoded(std::string_view text) {
  std::optional<ByteVector> bytes = parse_base64(text);
  if (!bytes) return std::nullopt;
  return SharedBytes(std::move(*bytes));
}

}  // namespace

ScramClientFirst make_client_first(std::string_view username, std::string nonce) {
  ScramClientFirst out;
  out.username = std::string(username);
  out.bare = "n=" + escape(username) + ",r=" + nonce;
  out.nonce = std::move(nonce);
  return out;
}

std::string to_text(const ScramClientFirst& message) {
  const std::string& id = message.authorization_id;
  return "n," + (id.empty() ? std::string() : "a=" + escape(id)) + "," + message.bare;
}

std::string to_text(const ScramServerFirst& message) {
  return "r=" + message.nonce + ",s=" + to_base64(message.salt.view()) +
         ",i=" + std::to_string(message.iterations);
}

ScramClientFinal make_client_final(std::string nonce) {
  ScramClientFinal out;
  out.without_proof = "c=" + std::string(no_channel_binding) + ",r=" + nonce;
  out.nonce = std::move(nonce);
  return out;
}

std::string to_text(const ScramClientFinal& message) {
  return message.without_proof + ",p=" + to_base64(message.proof.view());
}

std::string to_text(const ScramServerFinal& message) {
  if (!message.error.empty()) return "e=" + message.error;
  return "v=" + to_base64(message.signature.view());
}

Result<ScramClientFirst> parse_client_first(std::string_view text) {
  const Error wrong = malformed("first message of the client");
  ScramClientFirst out;
  // 'y' and 'p' would want a channel binding, which Kafka does not offer.
  if (take_part(text) != "n") return wrong;
  if (const auto id = take(text, 'a')) {
    const std::optional<std::string> plain = unescape(*id);
    if (!plain) return wrong;
    out.authorization_id = *plain;
  } else if (!take_part(text).empty()) {
    return wrong;
  }
  out.bare = std::string(text);
  take(text, 'm');  // reserved
  const auto name = take(text, 'n');
  const std::optional<std::string> username = unescape(name.value_or(""));
  const auto nonce = take(text, 'r');
  if (!name || !username || !nonce || !is_printable(*nonce)) return wrong;
  out.username = *username;
  out.nonce = std::string(*nonce);
  return out;
}

Result<ScramServerFirst> parse_server_first(std::string_view text) {
  const Error wrong = malformed("first message of the broker");
  take(text, 'm');
  const auto nonce = take(text, 'r');
  const auto salt = take(text, 's');
  const auto iterations = take(text, 'i');
  if (!nonce || !salt || !iterations || !is_printable(*nonce)) return wrong;
  ScramServerFirst out;
  out.nonce = std::string(*nonce);
  const std::optional<SharedBytes> bytes = decoded(*salt);
  const char* end = iterations->data() + iterations->size();
  const auto [rest, error] = std::from_chars(iterations->data(), end, out.iterations);
  if (!bytes || error != std::errc() || rest != end || out.iterations <= 0) return wrong;
  out.salt = *bytes;
  return out;
}

Result<ScramClientFinal> parse_client_final(std::string_view text) {
  const Error wrong = malformed("final message of the client");
  const std::size_t proof_at = text.rfind(",p=");
  if (proof_at == std::string_view::npos) return wrong;
  ScramClientFinal out;
  out.without_proof = std::string(text.substr(0, proof_at));
  const auto binding = take(text, 'c');
  const auto nonce = take(text, 'r');
  if (!binding || !parse_base64(*binding) || !nonce || !is_printable(*nonce)) return wrong;
  out.nonce = std::string(*nonce);
  std::string_view last = text;
  while (!text.empty()) last = take_part(text);
  const std::optional<SharedBytes> proof =
      decoded(last.substr(std::min<std::size_t>(2, last.size())));
  if (!last.starts_with("p=") || !proof || proof->empty()) return wrong;
  out.proof = *proof;
  return out;
}

Result<ScramServerFinal> parse_server_final(std::string_view text) {
  const Error wrong = malformed("final message of the broker");
  ScramServerFinal out;
  if (const auto problem = take(text, 'e')) {
    out.error = std::string(*problem);
    return out;
  }
  const auto signature = take(text, 'v');
  const std::optional<SharedBytes> bytes = decoded(signature.value_or(""));
  if (!signature || !bytes) return wrong;
  out.signature = *bytes;
  return out;
}

}  // namespace fencepost::protocol::sasl
