#include "tools/security_options.h"

#include <openssl/rand.h>

#include <fstream>
#include <sstream>

namespace fencepost::tools {

namespace {

using minibroker::server::ListenerSettings;
using protocol::tls::ClientAuth;

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    return Error{ErrorKind::invalid_argument, "cannot read the file '" + path + "'", 0, {}};
  return text.str();
}

Result<void> read_into(const std::string& path, std::string& text) {
  if (path.empty()) return {};
  Result<std::string> read = read_file(path);
  if (!read.ok()) return read.error();
  text = std::move(*read);
  return {};
}

ClientAuth client_auth_named(const std::string& name) {
  if (name == "required") return ClientAuth::required;
  return name == "requested" ? ClientAuth::requested : ClientAuth::none;
}

Result<void> add_users(const SecurityOptions& options, minibroker::security::SaslSettings& sasl) {
  std::string file;
  if (Result<void> read = read_into(options.users_file, file); !read.ok()) return read;
  if (Result<void> added = minibroker::security::add_users(sasl.users, file); !added.ok())
    return Error{ErrorKind::invalid_argument, options.users_file + ", " + added.error().text};
  for (const std::string& text : options.users) {
    auto user = minibroker::security::parse_user(text);
    if (!user.ok()) return user.error();
    sasl.users.insert_or_assign(user->first, user->second);
  }
  return {};
}

Result<void> read_certificates(const SecurityOptions& options,
                               minibroker::server::ServerSettings& server) {
  if (options.certificate_file.empty()) return {};
  protocol::tls::ContextSettings tls;
  tls.client_auth = client_auth_named(options.client_auth);
  // Without a file of its own the key is beside the certificate, as in Kafka's PEM key store.
  const std::string& key_file =
      options.key_file.empty() ? options.certificate_file : options.key_file;
  Result<void> read = read_into(options.certificate_file, tls.certificate_chain);
  if (read.ok()) read = read_into(key_file, tls.private_key);
  if (read.ok()) read = read_into(options.key_password_file, tls.key_password);
  if (read.ok()) read = read_into(options.authorities_file, tls.authorities);
  if (!read.ok()) return read;
  while (tls.key_password.ends_with('\n')) tls.key_password.pop_back();
  server.tls = std::move(tls);
  return {};
}

}  // namespace

void add_security_options(CLI::App& command, SecurityOptions& options) {
  command
      .add_option("--listener", options.listeners,
                  "PROTOCOL://HOST:PORT instead of --port; PLAINTEXT, SSL, SASL_PLAINTEXT or "
                  "SASL_SSL")
      ->allow_extra_args(false);
  command.add_option("--users", options.users_file, "File of users for SASL: name:password a line");
  command
      .add_option("--user", options.users,
                  "A user for SASL: name:password; process lists show it, unlike --users")
      ->allow_extra_args(false);
  command.add_option("--certificate", options.certificate_file,
                     "PEM file: the certificate of TLS listeners with its chain");
  command.add_option("--key", options.key_file,
                     "PEM file: its private key (default: in the file of --certificate)");
  command.add_option("--key-password-file", options.key_password_file,
                     "File that holds the password of the private key");
  command.add_option("--client-ca", options.authorities_file,
                     "PEM file: who vouches for the certificates of clients");
  command.add_option("--client-auth", options.client_auth, "Whether clients show certificates")
      ->check(CLI::IsMember({"none", "requested", "required"}))
      ->capture_default_str();
}

Result<void> apply(const SecurityOptions& options, minibroker::ClusterSettings& cluster,
                   minibroker::server::ServerSettings& server) {
  for (const std::string& text : options.listeners) {
    Result<ListenerSettings> listener = minibroker::server::parse_listener(text);
    if (!listener.ok()) return listener.error();
    server.listeners.push_back(std::move(*listener));
  }
  if (Result<void> added = add_users(options, cluster.sasl); !added.ok()) return added;
  // Nobody is to foretell the nonces of a cluster that strangers can reach.
  unsigned char entropy[sizeof(cluster.sasl.entropy)];
  if (RAND_bytes(entropy, sizeof entropy) != 1)
    return Error{ErrorKind::io, "the system has no random numbers"};
  for (const unsigned char byte : entropy) cluster.sasl.entropy = cluster.sasl.entropy << 8 | byte;
  return read_certificates(options, server);
}

}  // namespace fencepost::tools
