// The routes of the control API, by what they are for, and what their answers share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "minibroker/server/control/api.h"
#include "minibroker/server/control/state_json.h"

namespace fencepost::minibroker::server {

std::vector<ControlRoute> state_routes();  // brokers, partitions, transactions, groups, the clock
std::vector<ControlRoute> fault_routes();  // rules that hold, drop and lose messages
std::vector<ControlRoute> world_routes();  // crashes, links, elections, time

inline ControlAnswer answer(const Json& json, int status = 200) {
  return {status, json.dump() + "\n", false, {}};
}
inline ControlAnswer refuse(int status, std::string_view text, std::string_view field = {}) {
  Json json = {{"error", text}};
  if (!field.empty()) json["field"] = field;
  return answer(json, status);
}
// What the cluster says when it cannot do what it was asked.
inline ControlAnswer conflict(std::string_view text) {
  return refuse(409, text);
}

inline ControlField path_field(std::string_view name, FieldType type, std::string_view text) {
  return {name, FieldPlace::path, type, text, true};
}
// How long a request waits for what it asks for.
inline ControlField wait_field() {
  return {"timeout_ms", FieldPlace::query, FieldType::milliseconds,
          "How long to wait at most; 30000 unless said otherwise"};
}
inline ControlAnswer wait_for(bool has_happened, ControlAnswer now, const ControlValues& values) {
  now.is_waiting = !has_happened;
  now.wait_at_most = values.duration("timeout_ms").value_or(std::chrono::seconds(30));
  return now;
}

}  // namespace fencepost::minibroker::server
