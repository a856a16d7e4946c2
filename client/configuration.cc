// One table of keys; to add one, add its line, and read it where it takes effect.
#include "client/configuration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

#include "client/transactional_producer.h"
#include "protocol/base/nearest.h"

namespace fencepost::client {

namespace {

enum class Kind {
  text,
  addresses,
  milliseconds,
  bytes,
  compression,
  security_protocol,
  mechanism,
  pem_type,
  identification,
  jaas
};

struct Key {
  std::string_view name;
  Kind kind = Kind::text;
};

// clang-format off
constexpr std::array keys{
    Key{"batch.size", Kind::bytes},
    Key{"bootstrap.servers", Kind::addresses},
    Key{"buffer.memory", Kind::bytes},
    Key{"client.id"},
    Key{"compression.codec", Kind::compression},
    Key{"compression.type", Kind::compression},
    Key{"delivery.timeout.ms", Kind::milliseconds},
    Key{"metadata.broker.list", Kind::addresses},
    Key{"request.timeout.ms", Kind::milliseconds},
    Key{"sasl.jaas.config", Kind::jaas},
    Key{"sasl.mechanism", Kind::mechanism},
    Key{"sasl.mechanisms", Kind::mechanism},
    Key{"sasl.password"},
    Key{"sasl.username"},
    Key{"security.protocol", Kind::security_protocol},
    Key{"socket.timeout.ms", Kind::milliseconds},
    Key{"ssl.ca.location"},
    Key{"ssl.ca.pem"},
    Key{"ssl.certificate.location"},
    Key{"ssl.certificate.pem"},
    Key{"ssl.endpoint.identification.algorithm", Kind::identification},
    Key{"ssl.key.location"},
    Key{"ssl.key.password"},
    Key{"ssl.key.pem"},
    Key{"ssl.keystore.certificate.chain"},
    Key{"ssl.keystore.key"},
    Key{"ssl.keystore.location"},
    Key{"ssl.keystore.type", Kind::pem_type},
    Key{"ssl.truststore.certificates"},
    Key{"ssl.truststore.location"},
    Key{"ssl.truststore.type", Kind::pem_type},
    Key{"transaction.timeout.ms", Kind::milliseconds},
    Key{"transactional.id"},
};
// clang-format on

// Settings of Kafka's clients that a property file may hold and that change nothing here.
constexpr std::array<std::string_view, 12> passed_over{"acks",
                                                       "auto.offset.reset",
                                                       "enable.auto.commit",
                                                       "enable.idempotence",
                                                       "fetch.min.bytes",
                                                       "group.id",
                                                       "isolation.level",
                                                       "key.deserializer",
                                                       "key.serializer",
                                                       "linger.ms",
                                                       "value.deserializer",
                                                       "value.serializer"};

Error invalid(std::string text) {
  return {ErrorKind::invalid_argument, std::move(text), 0, {}};
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& letter : out)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\f");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\f") - first + 1);
}

bool is_one_of(const std::string& value, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, value) != words.end();
}

// What a value of the key can be, if it is not one of these.
std::optional<std::string> problem_of(const Key& key, std::string_view value) {
  const std::string upper = upper_case(value);
  int number = 0;
  switch (key.kind) {
    case Kind::security_protocol:
      if (is_one_of(upper, {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"})) return std::nullopt;
      return "PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL";
    case Kind::mechanism:
      if (is_one_of(upper, {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})) return std::nullopt;
      return "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512";
    case Kind::pem_type:
      if (upper == "PEM") return std::nullopt;
      return "PEM (convert Java's key stores with keytool and openssl)";
    case Kind::identification:
      if (is_one_of(upper, {"", "HTTPS", "NONE"})) return std::nullopt;
      return "https, or empty for none";
    case Kind::milliseconds:
    case Kind::bytes: {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error == std::errc() && end == value.data() + value.size() && number > 0)
        return std::nullopt;
      return key.kind == Kind::bytes ? "a positive number of bytes"
                                     : "a positive number of milliseconds";
    }
    case Kind::compression:
      if (protocol::parse_compression(value).has_value()) return std::nullopt;
      return "none, gzip, snappy, lz4 or zstd";
    case Kind::text:
    case Kind::addresses:
    case Kind::jaas:
      return std::nullopt;
  }
  return std::nullopt;
}

// username="alice" out of Kafka's JAAS line.
std::string jaas_value(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(std::string(name) + "=");
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + name.size() + 1);
  if (rest.empty() || (rest.front() != '"' && rest.front() != '\''))
    return std::string(rest.substr(0, rest.find_first_of(" ;")));
  const char quote = rest.front();
  std::string out;
  for (std::size_t i = 1; i < rest.size() && rest[i] != quote; ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    out += rest[i];
  }
  return out;
}

Result<std::string> read_text(const std::string& path, std::string_view name) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return Error{ErrorKind::io, std::string(name) + ": cannot read the file '" + path + "'"};
  return text.str();
}

// A line with what continues it; takes it off the text.
std::string take_line(std::string_view& text, int& line_number) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (!line.ends_with('\\') || text.empty()) return out.append(line);
    out.append(line.substr(0, line.size() - 1));
  }
}

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

}  // namespace

Result<void> Configuration::set(std::string_view name, std::string_view value) {
  const auto key = std::ranges::find(keys, name, &Key::name);
  if (key == keys.end())
    return invalid("unknown setting '" + std::string(name) + "'" + did_you_mean(name, key_names()));
  if (const std::optional<std::string> wanted = problem_of(*key, value))
    return invalid(std::string(name) + " has to be " + *wanted + ", not '" + std::string(value) +
                   "'");
  if (key->kind == Kind::addresses) {
    Result<std::vector<Address>> addresses = parse_addresses(value);
    if (!addresses) return addresses.error();
    bootstrap_ = std::move(*addresses);
  }
  if (key->kind == Kind::jaas) {
    values_["sasl.username"] = jaas_value(value, "username");
    values_["sasl.password"] = jaas_value(value, "password");
  }
  values_[std::string(name)] = std::string(value);
  return {};
}

Result<void> Configuration::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos)
    return invalid("'" + std::string(assignment) + "' is not of the form name=value");
  return set(trimmed(assignment.substr(0, equals)), trimmed(assignment.substr(equals + 1)));
}

Result<void> Configuration::read_properties(std::string_view text) {
  for (int line_number = 0; !text.empty();) {
    const int first_line = line_number + 1;
    const std::string line = take_line(text, line_number);
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    const std::size_t separator = std::min(line.find_first_of("=:"), line.size());
    const std::string_view name = trimmed(std::string_view(line).substr(0, separator));
    if (std::ranges::find(passed_over, name) != passed_over.end()) continue;
    const std::string_view value =
        trimmed(std::string_view(line).substr(std::min(separator + 1, line.size())));
    if (Result<void> done = set(name, value); !done.ok())
      return invalid("line " + std::to_string(first_line) + ": " + done.error().text);
  }
  return {};
}

Result<void> Configuration::read_file(const std::string& path) {
  Result<std::string> text = read_text(path, "property file");
  if (!text) return text.error();
  Result<void> read = read_properties(*text);
  if (!read.ok()) return invalid(path + ", " + read.error().text);
  return {};
}

std::string Configuration::text_of(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

bool Configuration::uses_tls() const {
  return upper_case(text_of("security.protocol")).ends_with("SSL");
}
bool Configuration::uses_sasl() const {
  return upper_case(text_of("security.protocol")).starts_with("SASL");
}

Result<ConnectionOptions> Configuration::connection() const {
  ConnectionOptions options;
  if (const std::string id = text_of("client.id"); !id.empty()) options.client_id = id;
  for (const std::string_view name : {"request.timeout.ms", "socket.timeout.ms"})
    if (const std::string text = text_of(name); !text.empty())
      options.request_timeout = milliseconds(std::stoll(text));
  if (!uses_sasl()) return options;
  SaslOptions sasl;
  for (const std::string_view name : {"sasl.mechanisms", "sasl.mechanism"})
    if (const std::string text = text_of(name); !text.empty()) sasl.mechanism = upper_case(text);
  sasl.username = text_of("sasl.username");
  sasl.password = text_of("sasl.password");
  if (sasl.username.empty() || sasl.password.empty())
    return invalid("security.protocol " + upper_case(text_of("security.protocol")) +
                   " needs sasl.username and sasl.password, or sasl.jaas.config");
  options.sasl = std::move(sasl);
  return options;
}

Result<TransactionalProducerOptions> Configuration::producer() const {
  TransactionalProducerOptions producer;
  // Checked when they were set.
  const auto number_of = [this](std::string_view name) { return std::stoll(text_of(name)); };
  const auto has = [this](std::string_view name) { return values_.contains(name); };
  for (const std::string_view name : {"compression.codec", "compression.type"})
    if (has(name)) producer.pipeline.compression = *protocol::parse_compression(text_of(name));
  if (has("batch.size"))
    producer.pipeline.batch_bytes_max = static_cast<std::size_t>(number_of("batch.size"));
  if (has("buffer.memory"))
    producer.buffered_bytes_max = static_cast<std::size_t>(number_of("buffer.memory"));
  if (has("delivery.timeout.ms"))
    producer.pipeline.delivery_timeout = milliseconds(number_of("delivery.timeout.ms"));
  if (has("transaction.timeout.ms"))
    producer.transaction_timeout = milliseconds(number_of("transaction.timeout.ms"));
  if (has("transactional.id")) producer.transactional_id = text_of("transactional.id");
  if (producer.pipeline.batch_bytes_max > producer.buffered_bytes_max)
    return invalid("batch.size is above buffer.memory");
  return producer;
}

Result<std::string> Configuration::pem_of(
    std::initializer_list<std::string_view> inline_names,
    std::initializer_list<std::string_view> file_names) const {
  for (const std::string_view name : inline_names)
    if (std::string text = text_of(name); !text.empty()) return text;
  for (const std::string_view name : file_names)
    if (const std::string path = text_of(name); !path.empty()) return read_text(path, name);
  return std::string();
}

Result<std::optional<TlsOptions>> Configuration::tls() const {
  if (!uses_tls()) return std::optional<TlsOptions>();
  Result<std::string> authorities = pem_of({"ssl.ca.pem", "ssl.truststore.certificates"},
                                           {"ssl.ca.location", "ssl.truststore.location"});
  if (!authorities) return authorities.error();
  Result<std::string> chain = pem_of({"ssl.certificate.pem", "ssl.keystore.certificate.chain"},
                                     {"ssl.certificate.location", "ssl.keystore.location"});
  if (!chain) return chain.error();
  Result<std::string> key =
      pem_of({"ssl.key.pem", "ssl.keystore.key"}, {"ssl.key.location", "ssl.keystore.location"});
  if (!key) return key.error();
  protocol::tls::ContextSettings settings;
  settings.authorities = std::move(*authorities);
  settings.certificate_chain = std::move(*chain);
  settings.private_key = std::move(*key);
  settings.key_password = text_of("ssl.key.password");
  Result<protocol::tls::Context> context =
      protocol::tls::Context::make(protocol::tls::Context::Side::client, settings);
  if (!context) return context.error();
  const auto identification = values_.find("ssl.endpoint.identification.algorithm");
  const bool verifies_host =
      identification == values_.end() || upper_case(identification->second) == "HTTPS";
  return std::optional(TlsOptions{std::move(*context), verifies_host});
}

}  // namespace fencepost::client
