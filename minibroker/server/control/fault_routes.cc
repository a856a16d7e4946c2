// Routes for rules that hold, drop, delay and lose messages.
#include <algorithm>

#include "minibroker/error_answers.h"
#include "minibroker/server/control/routes.h"
#include "protocol/base/nearest.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::server {

namespace {

using sim::FaultAction;
using sim::FaultRule;

Json rule_json(const Cluster& cluster, const FaultRule& rule) {
  return to_json(rule, rule.name.empty() ? 0 : cluster.held_count(rule.name));
}

ControlAnswer no_rule(std::int64_t id) {
  return refuse(404, "there is no fault rule " + std::to_string(id));
}

// The API that is named, EndTxn or end_txn.
const protocol::Api* api_named(const std::string& name) {
  if (const protocol::Api* api = protocol::find_api(name)) return api;
  const auto apis = protocol::apis();
  const auto at = std::ranges::find_if(
      apis, [&](const protocol::Api& api) { return protocol::snake_case(api.name) == name; });
  return at == apis.end() ? nullptr : &*at;
}

ControlAnswer unknown_api(const std::string& name) {
  std::vector<std::string_view> names;
  for (const protocol::Api& api : protocol::apis()) names.push_back(api.name);
  return refuse(400, "no API is called '" + name + "'" + did_you_mean(name, names), "api");
}

ControlAnswer unknown_error(const std::string& name) {
  std::vector<std::string_view> names;
  for (const protocol::ErrorCodeInfo& info : protocol::error_codes()) names.push_back(info.name);
  return refuse(400, "no error is called '" + name + "'" + did_you_mean(name, names), "error");
}

// What an action needs besides, and does not have.
std::optional<ControlAnswer> check(const FaultRule& rule, const ControlValues& values) {
  const bool holds = rule.action == FaultAction::hold || rule.action == FaultAction::hold_reply;
  if (holds && rule.name.empty())
    return refuse(400, "is missing: what is held is released by it", "name");
  if (rule.action == FaultAction::delay && !values.has("delay_ms"))
    return refuse(400, "is missing: how late the request arrives", "delay_ms");
  if (rule.action != FaultAction::error) return std::nullopt;
  if (!values.has("error")) return refuse(400, "is missing: what the answer is", "error");
  if (!rule.api_key) return refuse(400, "is missing: the error goes into the answer of one", "api");
  if (can_answer_with_error(*rule.api_key)) return std::nullopt;
  return refuse(400, "is one whose answer has no place for one error", "api");
}

ControlAnswer add(ControlledCluster& controlled, const ControlValues& values) {
  FaultRule rule;
  rule.action = *sim::parse_fault_action(*values.text("action"));
  rule.name = values.text("name").value_or("");
  if (const auto name = values.text("api")) {
    const protocol::Api* api = api_named(*name);
    if (api == nullptr) return unknown_api(*name);
    rule.api_key = api->key;
  }
  rule.client_id = values.text("client_id");
  rule.topic = values.text("topic");
  rule.transactional_id = values.text("transactional_id");
  rule.from_broker = values.number("from_broker");
  rule.to_broker = values.number("to_broker");
  rule.count = values.number("count").value_or(1);
  if (rule.count == 0) return refuse(400, "has to be at least 1, or -1 for no end", "count");
  rule.delay = values.duration("delay_ms").value_or(Duration{});
  if (const auto name = values.text("error")) {
    const auto code = protocol::parse_error_code(*name);
    if (!code) return unknown_error(*name);
    rule.error = *code;
  }
  if (auto wrong = check(rule, values)) return *wrong;
  const std::uint64_t id = controlled.cluster().faults().add(std::move(rule));
  return answer(rule_json(controlled.cluster(), *controlled.cluster().faults().find(id)), 201);
}

ControlAnswer list(ControlledCluster& controlled, const ControlValues&) {
  Json rules = Json::array();
  for (const FaultRule& rule : controlled.cluster().faults().rules())
    rules.push_back(rule_json(controlled.cluster(), rule));
  return answer({{"faults", std::move(rules)}});
}

ControlAnswer show(ControlledCluster& controlled, const ControlValues& values) {
  const std::int64_t id = *values.integer("id");
  const FaultRule* rule = controlled.cluster().faults().find(static_cast<std::uint64_t>(id));
  if (rule == nullptr) return no_rule(id);
  const auto hits = values.integer("until_hits");
  return wait_for(!hits || rule->hits >= *hits, answer(rule_json(controlled.cluster(), *rule)),
                  values);
}

ControlAnswer remove(ControlledCluster& controlled, const ControlValues& values) {
  const std::int64_t id = *values.integer("id");
  if (!controlled.cluster().faults().remove(static_cast<std::uint64_t>(id))) return no_rule(id);
  return answer(Json::object());
}

ControlAnswer clear(ControlledCluster& controlled, const ControlValues&) {
  controlled.cluster().faults().clear();
  return answer(Json::object());
}

ControlAnswer release(ControlledCluster& controlled, const ControlValues& values) {
  const std::string name = *values.text("name");
  const std::size_t held = controlled.cluster().held_count(name);
  if (!controlled.cluster().release(name, controlled.now()))
    return conflict("nothing is held as '" + name + "'");
  return answer({{"released", held}});
}

std::vector<ControlField> rule_fields() {
  const auto body = FieldPlace::body;
  ControlField action{"action", body, FieldType::text, "What happens to the messages", true};
  for (std::string_view name : sim::fault_action_names()) action.words.push_back(name);
  ControlField count{"count", body, FieldType::integer,
                     "How many messages it takes; -1: all until it is removed; 1 unless said"};
  count.min = -1;
  return {action,
          {"name", body, FieldType::text, "Of what is held; it is released by it"},
          {"api", body, FieldType::text, "Only this API, as EndTxn"},
          {"client_id", body, FieldType::text, "Only requests of this client.id"},
          {"topic", body, FieldType::text, "Only requests that name this topic"},
          {"transactional_id", body, FieldType::text, "Only requests that name this id"},
          {"from_broker", body, FieldType::integer, "Only requests of this broker"},
          {"to_broker", body, FieldType::integer, "Only requests to this broker"},
          count,
          {"delay_ms", body, FieldType::milliseconds, "Of delay: how late the request arrives"},
          {"error", body, FieldType::text, "Of error: its name, as NOT_COORDINATOR"}};
}

}  // namespace

std::vector<ControlRoute> fault_routes() {
  const ControlField id = path_field("id", FieldType::integer, "The rule's id");
  return {
      {"POST", "/v1/faults", "Add a rule; the first that matches a message takes it", rule_fields(),
       add},
      {"GET", "/v1/faults", "All rules with their hits", {}, list},
      {"DELETE", "/v1/faults", "Remove all rules; what they hold stays held", {}, clear},
      {"GET",
       "/v1/faults/{id}",
       "One rule with its hits",
       {id,
        {"until_hits", FieldPlace::query, FieldType::integer,
         "Wait until it has taken this many messages"},
        wait_field()},
       show},
      {"DELETE", "/v1/faults/{id}", "Remove a rule; what it holds stays held", {id}, remove},
      {"POST",
       "/v1/held/{name}/release",
       "Deliver what is held under a name, in the order it was held",
       {path_field("name", FieldType::text, "The name that the rule gave")},
       release},
  };
}

}  // namespace fencepost::minibroker::server
