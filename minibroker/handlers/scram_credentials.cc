// DescribeUserScramCredentials and AlterUserScramCredentials (KIP-554): each user of a request is
// answered once. The salted passwords of a request are turned into keys here and go no further.
#include <algorithm>
#include <array>
#include <map>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;
using sasl::find_scram_mechanism;
using sasl::ScramCredential;
using sasl::ScramMechanism;

namespace {

using Deletion = AlterUserScramCredentialsRequest::ScramCredentialDeletion;
using Upsertion = AlterUserScramCredentialsRequest::ScramCredentialUpsertion;
using Described = DescribeUserScramCredentialsResponse::DescribeUserScramCredentialsResult;

constexpr std::array described_mechanisms{ScramMechanism::sha_256, ScramMechanism::sha_512};

// ---- describe

Described describe(const security::Credentials& credentials, const std::string& user,
                   bool is_twice) {
  Described out;
  out.user = user;
  for (const ScramMechanism mechanism : described_mechanisms)
    if (const ScramCredential* found = credentials.find(user, mechanism); found && !is_twice)
      out.credential_infos.push_back({static_cast<std::int8_t>(mechanism), found->iterations, {}});
  if (is_twice) {
    out.error_code = ErrorCode::duplicate_resource;
    out.error_message =
        "Cannot describe SCRAM credentials for the same user twice in a single request: " + user;
  } else if (out.credential_infos.empty()) {
    out.error_code = ErrorCode::resource_not_found;
    out.error_message = "Attempt to describe a user credential that does not exist: " + user;
  }
  return out;
}

// As Kafka does it: without the names, and not at all when all users were meant.
void refuse_describing(Broker& broker, const RequestContext& context,
                       const DescribeUserScramCredentialsRequest& request) {
  if (!request.users) return broker.close(context);
  DescribeUserScramCredentialsResponse response;
  response.error_code = ErrorCode::cluster_authorization_failed;
  response.error_message = std::nullopt;
  for (std::size_t i = 0; i < request.users->size(); ++i) {
    Described& refused = response.results.emplace_back();
    refused.error_code = response.error_code;
    refused.error_message = std::nullopt;
  }
  broker.reply(context, response);
}

// ---- alter

// What is asked for one user: a credential for a mechanism, or its removal.
struct Change {
  ControllerAnswer refused = {};
  ScramMechanism mechanism = ScramMechanism::sha_256;
  std::optional<ScramCredential> credential = {};
};
using Changes = std::map<std::string, Change>;

ControllerAnswer check_user(const std::string& name, std::int8_t mechanism) {
  if (name.empty()) return {ErrorCode::unacceptable_credential, "Username must not be empty"};
  if (!find_scram_mechanism(mechanism))
    return {ErrorCode::unsupported_sasl_mechanism, "Unknown SCRAM mechanism"};
  return {};
}

Change change_of(const security::Credentials& credentials, const Deletion& deletion) {
  Change change;
  change.refused = check_user(deletion.name, deletion.mechanism);
  if (change.refused.error != ErrorCode::none) return change;
  change.mechanism = *find_scram_mechanism(deletion.mechanism);
  if (credentials.find(deletion.name, change.mechanism) == nullptr)
    change.refused = {ErrorCode::resource_not_found,
                      "Attempt to delete a user credential that does not exist"};
  return change;
}

Change change_of(const security::Credentials&, const Upsertion& upsertion) {
  Change change;
  change.refused = check_user(upsertion.name, upsertion.mechanism);
  if (change.refused.error != ErrorCode::none) return change;
  change.mechanism = *find_scram_mechanism(upsertion.mechanism);
  if (upsertion.iterations < sasl::scram_iterations_min)
    change.refused = {ErrorCode::unacceptable_credential, "Too few iterations"};
  else if (upsertion.iterations > sasl::scram_iterations_max)
    change.refused = {ErrorCode::unacceptable_credential, "Too many iterations"};
  else if (upsertion.salted_password.size() == 0)
    change.refused.error = ErrorCode::unknown_server_error;
  else
    change.credential = sasl::credential_of(change.mechanism, upsertion.salted_password.view(),
                                            upsertion.salt, upsertion.iterations);
  return change;
}

// A user that is named twice is not altered at all.
template <class Asked>
void add(const security::Credentials& credentials, const std::vector<Asked>& asked,
         Changes& changes) {
  for (const Asked& each : asked) {
    const auto [entry, is_new] = changes.try_emplace(each.name);
    Change& change = entry->second;
    if (is_new)
      change = change_of(credentials, each);
    else if (change.refused.error == ErrorCode::none)
      change.refused = {ErrorCode::duplicate_resource,
                        "A user credential cannot be altered twice in the same request"};
  }
}

}  // namespace

void describe_user_scram_credentials(Broker& broker, Turn& turn, const RequestContext& context,
                                     const DescribeUserScramCredentialsRequest& request) {
  DescribeUserScramCredentialsResponse response;
  if (!allows_cluster(turn, context, Operation::describe))
    return refuse_describing(broker, context, request);
  const security::Credentials& credentials = turn.controller.credentials();
  std::map<std::string, int> asked;
  if (request.users)
    for (const auto& user : *request.users) ++asked[user.name];
  if (asked.empty())
    for (const std::string& user : credentials.scram_users()) asked[user] = 1;
  for (const auto& [user, count] : asked)
    response.results.push_back(describe(credentials, user, count > 1));
  broker.reply(context, response);
}

void alter_user_scram_credentials(Broker& broker, Turn& turn, const RequestContext& context,
                                  const AlterUserScramCredentialsRequest& request) {
  turn.controller.catch_up();
  Changes changes;
  add(turn.controller.credentials(), request.deletions, changes);
  add(turn.controller.credentials(), request.upsertions, changes);
  const bool is_allowed = allows_cluster(turn, context, Operation::alter);
  AlterUserScramCredentialsResponse response;
  for (auto& [user, change] : changes) {
    ControllerAnswer answer = change.refused;
    if (!is_allowed)
      answer = {ErrorCode::cluster_authorization_failed, cluster_denied_message};
    else if (answer.error == ErrorCode::none)
      answer = turn.controller.set_scram_credential(user, change.mechanism,
                                                    std::move(change.credential));
    auto& result = response.results.emplace_back();
    result.user = user;
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (!answer.message.empty()) result.error_message = answer.message;
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
