// Answers made comparable: what two clusters may give differently stands as a symbol.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "protocol/base/base64.h"
#include "protocol/base/uuid.h"
#include "protocol/error_code.h"
#include "tools/conform/batch.h"
#include "tools/conform/bindings.h"
#include "tools/conform/times.h"

namespace fencepost::conform {

using nlohmann::json;

namespace {

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Texts for people, addresses, and what depends on load.
constexpr std::array<std::string_view, 10> left_out{
    "brokers", "throttleTimeMs", "errorMessage", "message",  "clusterId",
    "port",    "nodeEndpoints",  "clientHost",   "isFenced", "finalizedFeaturesEpoch"};
// Ids of brokers, alone or in a list.
constexpr std::array<std::string_view, 12> broker_ids{
    "leaderId",     "nodeId",          "brokerId",        "controllerId",
    "replicaNodes", "isrNodes",        "offlineReplicas", "eligibleLeaderReplicas",
    "lastKnownElr", "currentReplicas", "addingReplicas",  "removingReplicas"};
constexpr std::array<std::string_view, 2> member_ids{"memberId", "leader"};

bool is_time(std::string_view name) {
  return name.ends_with("imestamp") || name.ends_with("TimeMs");
}

bool is_error_code(std::string_view name) {
  return name.ends_with("rrorCode");
}

}  // namespace

// One answer being shown.
class Showing {
 public:
  Showing(const Bindings& bindings, protocol::ApiKey api) : bindings_(bindings), api_(api) {}

  json shown(const json& value, const std::string& field) const {
    if (value.is_object()) return object(value);
    if (value.is_array()) return list(value, field);
    if (value.is_string()) return text(value.get<std::string>(), field);
    if (value.is_number_integer()) return number(value.get<std::int64_t>(), field);
    return value;
  }

 private:
  json object(const json& value) const {
    json out = json::object();
    const bool is_endpoint = value.contains("port");
    for (const auto& [key, item] : value.items())
      if (!is_among(left_out, key) && !(is_endpoint && key == "host")) out[key] = shown(item, key);
    return out;
  }

  // The order carries no meaning, except among records.
  json list(const json& value, const std::string& field) const {
    json out = json::array();
    for (const json& item : value)
      if (is_ours(item)) out.push_back(shown(item, field));
    if (field != "records")
      std::sort(out.begin(), out.end(),
                [](const json& a, const json& b) { return a.dump() < b.dump(); });
    return out;
  }

  // What lists the whole cluster also names what other plays have left.
  bool is_ours(const json& item) const {
    using protocol::ApiKey;
    const char* name = api_ == ApiKey::list_groups         ? "groupId"
                       : api_ == ApiKey::list_transactions ? "transactionalId"
                       : api_ == ApiKey::describe_acls     ? "resourceName"
                                                           : nullptr;
    if (name == nullptr || !item.is_object() || !item.contains(name)) return true;
    return item[name].get<std::string>().starts_with(bindings_.prefix_);
  }

  json text(const std::string& value, const std::string& field) const {
    if (field == "records") {
      const auto bytes = parse_base64(value);
      return bytes ? shown(batches_json(SharedBytes(*bytes)), "records") : json("not base64");
    }
    if (field == "topicId" || field == "topicIds") return topic(value);
    const auto member = bindings_.member_symbols_.find(value);
    if (member != bindings_.member_symbols_.end()) return member->second;
    // A server makes up ids with a UUID at their end.
    constexpr std::size_t uuid_letters = 36;
    const bool is_made_up = is_among(member_ids, field) && value.size() >= uuid_letters &&
                            value[value.size() - uuid_letters + 8] == '-';
    if (is_made_up) return "a member";
    if (value.starts_with(bindings_.prefix_)) return "~" + value.substr(bindings_.prefix_.size());
    return value;
  }

  std::string topic(const std::string& id) const {
    for (const auto& [name, known] : bindings_.topic_ids_)
      if (known == id) return "id of ~" + name;
    return id == to_string(Uuid()) ? "no id" : "an id";
  }

  json number(std::int64_t value, const std::string& field) const {
    if (is_error_code(field)) return protocol::to_string(static_cast<protocol::ErrorCode>(value));
    if (is_among(broker_ids, field))
      return value == bindings_.broker_id_ ? json("broker") : json(value);
    if (is_time(field) || field == "maxTimestamp")
      return value >= first_time_of_today ? json("now") : json(value);
    if (field == "configSource" || field == "source") return config_source(value);
    if (field == "sessionId") return value == 0 ? json(0) : json("a session");
    if (field != "producerId" || value < 0) return value;
    const auto producer = bindings_.producer_symbols_.find(value);
    return producer == bindings_.producer_symbols_.end() ? json("a producer")
                                                         : json(producer->second);
  }

  // By which file or command a broker came to its configuration is a matter of the place.
  static json config_source(std::int64_t value) {
    constexpr std::int64_t first_of_broker = 2;
    constexpr std::int64_t last_of_broker = 5;
    const bool is_of_broker = value >= first_of_broker && value <= last_of_broker;
    return is_of_broker ? json("broker") : json(value);
  }

  const Bindings& bindings_;
  protocol::ApiKey api_;
};

std::string Bindings::comparable(const Step& step, const json& answer) const {
  return Showing(*this, step.api).shown(answer, std::string()).dump();
}

}  // namespace fencepost::conform
