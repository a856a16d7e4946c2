#include "tools/conform/player.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "protocol/error_code.h"
#include "protocol/json.h"

namespace fencepost::conform {

using client::Connection;
using nlohmann::json;
using protocol::ApiKey;
using protocol::ErrorCode;

namespace {

constexpr Duration request_timeout = std::chrono::seconds(10);
constexpr Duration settling_time_max = std::chrono::seconds(5);
constexpr Duration settling_pause = milliseconds(5);

// The number of every error in an answer.
void collect_errors(const json& value, std::vector<ErrorCode>* errors) {
  if (value.is_array())
    for (const json& item : value) collect_errors(item, errors);
  if (!value.is_object()) return;
  for (const auto& [key, item] : value.items()) {
    if (key.ends_with("rrorCode") && item.is_number_integer())
      errors->push_back(static_cast<ErrorCode>(item.get<int>()));
    collect_errors(item, errors);
  }
}

// Errors that say: not yet.
bool is_passing(const json& answer, bool has_one_broker) {
  std::vector<ErrorCode> errors;
  collect_errors(answer, &errors);
  return std::ranges::any_of(errors, [has_one_broker](ErrorCode it) {
    return it == ErrorCode::coordinator_load_in_progress ||
           it == ErrorCode::coordinator_not_available || it == ErrorCode::concurrent_transactions ||
           (it == ErrorCode::not_coordinator && !has_one_broker);
  });
}

// A partition leader that is told CONCURRENT_TRANSACTIONS asks a few times itself.
int attempts_of(ApiKey api) {
  return api == ApiKey::produce ? 6 : 25;
}

// The answer that gives a member its id, with which it has to come again (KIP-394).
bool asks_for_member_id(const Step& step, const json& answer) {
  return step.api == ApiKey::join_group &&
         answer.value("errorCode", 0) == static_cast<int>(ErrorCode::member_id_required);
}

// Whose coordinator a request is for; of several groups or ids there is one in a program that is
// played to several brokers.
struct Coordinated {
  client::CoordinatorType type;
  std::string key;
};

std::optional<Coordinated> coordinated_of(ApiKey api, const json& request) {
  using client::CoordinatorType;
  struct Place {
    const char* pointer;
    CoordinatorType type;
  };
  constexpr std::array places{
      Place{"/groupId", CoordinatorType::group},
      Place{"/groups/0", CoordinatorType::group},
      Place{"/groups/0/groupId", CoordinatorType::group},
      Place{"/groupIds/0", CoordinatorType::group},
      Place{"/groupsNames/0", CoordinatorType::group},
      Place{"/transactionalId", CoordinatorType::transaction},
      Place{"/transactionalIds/0", CoordinatorType::transaction},
      Place{"/v3AndBelowTransactionalId", CoordinatorType::transaction},
      Place{"/transactions/0/transactionalId", CoordinatorType::transaction},
  };
  for (const Place& place : places) {
    // It names a group and asks the transaction's coordinator.
    const bool is_group = place.type == CoordinatorType::group;
    if (api == ApiKey::add_offsets_to_txn && is_group) continue;
    const json::json_pointer pointer(place.pointer);
    if (request.contains(pointer) && request[pointer].is_string())
      return Coordinated{place.type, request[pointer].get<std::string>()};
  }
  return std::nullopt;
}

const char* failure_text(const Error& error) {
  switch (error.kind) {
    case ErrorKind::unknown_outcome:
    case ErrorKind::closed:
      return "the connection was closed";
    case ErrorKind::cannot_connect:
      return "no connection";
    default:
      return "an answer that cannot be read";
  }
}

}  // namespace

struct Player::Asking {
  Step step;
  bool is_quiet = false;  // not a step of the program: no second attempt, nothing learned
  json earlier;           // the answer that gave a member its id
  json last;
  std::optional<Answer> answer;
};

Player::Player(Side& side, const Acquaintance& known, std::string prefix)
    : side_(side), known_(known), bindings_(std::move(prefix), known.broker_id) {}

Player::~Player() {
  for (const auto& [name, connection] : connections_)
    if (connection != nullptr) connection->close();
  // What still waits refers to this.
  side_.run_until(
      [this] {
        return std::ranges::all_of(waiting_,
                                   [](const auto& it) { return it.second->answer.has_value(); });
      },
      request_timeout);
}

std::string Player::connection_of(const Step& step) {
  switch (step.api) {
    case ApiKey::join_group:
    case ApiKey::sync_group:
    case ApiKey::heartbeat:
    case ApiKey::leave_group:
    case ApiKey::consumer_group_heartbeat:
      return step.actor;
    default:
      return std::string();
  }
}

bool Player::may_wait(const Step& step) {
  return step.api == ApiKey::join_group || step.api == ApiKey::sync_group;
}

bool Player::is_waiting(const std::string& connection) const {
  return waiting_.contains(connection);
}

// With one broker everything is there; otherwise coordinators are asked for, and the topics are
// where we have put them.
client::Task<std::shared_ptr<Connection>> Player::connect(const Step& step, std::string request) {
  client::Address address = known_.address;
  const std::optional<Coordinated> it =
      coordinated_of(step.api, json::parse(request, nullptr, false));
  if (known_.offer.broker_count > 1 && step.api != ApiKey::produce && it) {
    std::string key = it->key;
    const client::CoordinatorType type = it->type;
    Result<std::shared_ptr<Connection>> found =
        co_await side_.client().coordinator_of(type, std::move(key));
    if (!found) co_return found.error();
    Result<std::vector<client::Address>> addresses =
        client::parse_addresses(found.value()->address());
    if (addresses) address = addresses->front();
  }
  std::shared_ptr<Connection>& place =
      connections_[connection_of(step) + "@" + client::to_string(address)];
  if (place != nullptr && place->is_open()) co_return place;
  Result<std::shared_ptr<Connection>> opened =
      co_await side_.client().connection_to(address, client::Purpose::data, true);
  if (opened) place = *opened;
  co_return opened;
}

client::Task<SharedBytes> Player::exchange(const Step& step, std::string request, Frame body) {
  const Result<std::shared_ptr<Connection>> connection = co_await connect(step, std::move(request));
  if (!connection) co_return connection.error();
  client::CallOptions options;
  options.timeout = may_wait(step) ? Duration(std::chrono::minutes(10)) : request_timeout;
  co_return co_await (*connection)->exchange(step.api, step.version, std::move(body), options);
}

asio::awaitable<void> Player::ask(std::shared_ptr<Asking> asking) {
  const Step& step = asking->step;
  const protocol::Api* api = protocol::find_api(step.api);
  client::Clock& clock = side_.client().clock();
  for (int attempt = 0;; ++attempt) {
    Result<std::string> request = bindings_.request(step);
    if (!request) {
      asking->answer = Answer{request.error().text, {}, false, false};
      co_return;
    }
    const auto document = protocol::JsonDocument::parse(*request);
    Result<Frame> body = document ? api->request.from_json(document->root(), step.version)
                                  : Result<Frame>(document.error());
    if (!body) {
      asking->answer = Answer{to_string(body.error()), *request, false, false};
      co_return;
    }
    const Result<SharedBytes> bytes = co_await exchange(step, *request, *body);
    const Result<std::string> text =
        bytes ? api->response.to_json(*bytes, step.version) : Result<std::string>(bytes.error());
    if (!text) {
      asking->answer = Answer{failure_text(text.error()), *request};
      co_return;
    }
    asking->last = json::parse(*text);
    const bool is_busy = is_passing(asking->last, known_.offer.broker_count == 1);
    if (!asking->is_quiet && is_busy && attempt < attempts_of(step.api)) {
      co_await clock.sleep_until(clock.now() + milliseconds(attempt < 20 ? 5 : 20));
      continue;
    }
    if (asks_for_member_id(step, asking->last) && asking->earlier.is_null() && !asking->is_quiet) {
      bindings_.learn(step, asking->last);
      asking->earlier = std::move(asking->last);
      continue;
    }
    asking->answer = Answer{{}, *request, is_busy};
    co_return;
  }
}

void Player::begin(const Step& step) {
  auto asking = std::make_shared<Asking>();
  asking->step = step;
  CHECK(!is_waiting(connection_of(step)));
  waiting_[connection_of(step)] = asking;
  side_.start(ask(std::move(asking)));
}

std::optional<Answer> Player::take(const std::string& connection, Duration patience) {
  const auto found = waiting_.find(connection);
  CHECK(found != waiting_.end());
  const std::shared_ptr<Asking> asking = found->second;
  if (!side_.run_until([&asking] { return asking->answer.has_value(); }, patience))
    return std::nullopt;
  waiting_.erase(connection);
  // Only now, in the order of the program: which of two answers came first is not the same on both
  // sides.
  if (asking->answer->text.empty()) {
    bindings_.learn(asking->step, asking->last);
    asking->answer->text = bindings_.comparable(asking->step, asking->last);
    if (!asking->earlier.is_null())
      asking->answer->text =
          bindings_.comparable(asking->step, asking->earlier) + ", then " + asking->answer->text;
  }
  last_ = std::make_shared<const json>(asking->last);
  return asking->answer;
}

json Player::ask_quietly(Step step) {
  auto asking = std::make_shared<Asking>();
  asking->step = std::move(step);
  asking->is_quiet = true;
  side_.start(ask(asking));
  side_.run_until([&asking] { return asking->answer.has_value(); }, request_timeout * 2);
  return asking->last;
}

void Player::make_sure_it_waits(const Step& step) {
  if (side_.is_simulated()) return;
  const json body = json::parse(step.body);
  const json asked = {{"groups", json::array({body.value("groupId", std::string())})}};
  for (int i = 0; i < 3; ++i) ask_quietly({ApiKey::describe_groups, 0, asked.dump(), ""});
}

// ---- settling

void Player::settle_transaction(const Step& step) {
  const bool can_tell = !known_.offer.versions_of(ApiKey::describe_transactions).is_empty();
  if (!can_tell || step.actor.empty()) return side_.pass(settling_pause);
  const json body = {{"transactionalIds", {"~" + step.actor}}};
  const Instant deadline = side_.now() + settling_time_max;
  while (side_.now() < deadline && !side_.is_interrupted()) {
    const json answer = ask_quietly({ApiKey::describe_transactions, 0, body.dump(), ""});
    const json states =
        answer.is_object() ? answer.value("transactionStates", json::array()) : json::array();
    const bool is_deciding =
        !states.empty() &&
        states.front().value("transactionState", std::string()).starts_with("Prepar");
    if (!is_deciding) return;
    side_.pass(settling_pause);
  }
}

bool Player::has_leaders(const std::string& topic, std::size_t partition_count) {
  const int version = std::min(12, known_.offer.versions_of(ApiKey::metadata).last);
  const json asked = {{"topics", {{{"name", topic}}}}, {"allowAutoTopicCreation", false}};
  const Step metadata_step{ApiKey::metadata, version, asked.dump(), ""};
  const json metadata = ask_quietly(metadata_step);
  if (!metadata.is_object() || metadata["topics"].empty()) return false;
  if (metadata["topics"][0]["errorCode"] != 0 ||
      metadata["topics"][0]["partitions"].size() < partition_count)
    return false;
  bindings_.learn(metadata_step, metadata);
  // Our broker itself has to know that it leads.
  json partitions = json::array();
  for (const json& partition : metadata["topics"][0]["partitions"])
    if (partition["leaderId"] == known_.broker_id)
      partitions.push_back({{"partitionIndex", partition["partitionIndex"]}, {"timestamp", -1}});
  const json offsets = {{"replicaId", -1},
                        {"topics", {{{"name", topic}, {"partitions", partitions}}}}};
  const json ends = ask_quietly({ApiKey::list_offsets, 5, offsets.dump(), ""});
  std::vector<ErrorCode> errors;
  collect_errors(ends, &errors);
  return ends.is_object() &&
         std::ranges::all_of(errors, [](ErrorCode it) { return it == ErrorCode::none; });
}

// The controller answers before every broker knows.
void Player::settle_topics(const Step& step) {
  const json body = json::parse(step.body);
  const char* answers = step.api == ApiKey::create_topics ? "topics" : "results";
  if (body.value("validateOnly", false) || last_ == nullptr || !last_->is_object()) return;
  const Instant deadline = side_.now() + settling_time_max;
  for (const json& topic : body.value("topics", json::array())) {
    const std::string name = topic.value("name", std::string());
    const int said = topic.value("numPartitions", topic.value("count", -1));
    const auto count = said > 0 ? static_cast<std::size_t>(said)
                                : topic.value("assignments", json::array()).size();
    for (const json& answer : last_->value(answers, json::array())) {
      const bool is_done = answer.value("errorCode", -1) == 0 && name.starts_with("~") &&
                           answer.value("name", std::string()) == bindings_.real(name.substr(1));
      while (is_done && !has_leaders(name, count) && side_.now() < deadline &&
             !side_.is_interrupted())
        side_.pass(settling_pause);
    }
  }
}

void Player::settle(const Step& step) {
  switch (step.api) {
    case ApiKey::init_producer_id:
    case ApiKey::end_txn:
      return settle_transaction(step);
    case ApiKey::create_topics:
    case ApiKey::create_partitions:
      return settle_topics(step);
    case ApiKey::delete_topics:
    case ApiKey::alter_configs:
    case ApiKey::incremental_alter_configs:
    case ApiKey::create_acls:
    case ApiKey::delete_acls:
      return side_.pass(milliseconds(50));
    case ApiKey::consumer_group_heartbeat:
      return side_.pass(milliseconds(20));
    default:
      return;
  }
}

}  // namespace fencepost::conform
