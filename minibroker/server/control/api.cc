#include "minibroker/server/control/api.h"

#include <algorithm>
#include <iterator>

#include "minibroker/server/control/routes.h"

namespace fencepost::minibroker::server {

namespace {

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(path.front() == '/' ? 1 : 0);
    const std::string_view segment = path.substr(0, path.find('/'));
    segments.emplace_back(segment);
    path.remove_prefix(segment.size());
  }
  return segments;
}

bool is_variable(const std::string& segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// The values of the {variables} in a route's path; nothing when the path is not the route's.
std::optional<std::map<std::string, std::string>> match(std::string_view route,
                                                        const std::string& path) {
  const std::vector<std::string> wanted = segments_of(route), given = segments_of(path);
  if (wanted.size() != given.size()) return std::nullopt;
  std::map<std::string, std::string> variables;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_variable(wanted[i]))
      variables[wanted[i].substr(1, wanted[i].size() - 2)] = given[i];
    else if (wanted[i] != given[i])
      return std::nullopt;
  }
  return variables;
}

Json schema_of(const ControlField& field) {
  Json schema = {{"type", field.type == FieldType::text ? "string" : "integer"}};
  if (field.type != FieldType::text) schema["minimum"] = field.min;
  if (!field.words.empty()) schema["enum"] = field.words;
  return schema;
}

Json parameters_of(const ControlRoute& route) {
  Json parameters = Json::array();
  for (const ControlField& field : route.fields)
    if (field.place != FieldPlace::body)
      parameters.push_back({{"name", field.name},
                            {"in", field.place == FieldPlace::path ? "path" : "query"},
                            {"required", field.is_required},
                            {"description", field.description},
                            {"schema", schema_of(field)}});
  return parameters;
}

Json body_of(const ControlRoute& route) {
  Json properties = Json::object(), required = Json::array();
  for (const ControlField& field : route.fields) {
    if (field.place != FieldPlace::body) continue;
    properties[std::string(field.name)] = schema_of(field);
    properties[std::string(field.name)]["description"] = field.description;
    if (field.is_required) required.push_back(field.name);
  }
  if (properties.empty()) return nullptr;
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return {{"required", !required.empty()},
          {"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

Json operation_of(const ControlRoute& route) {
  Json operation = {{"summary", route.summary}};
  if (Json parameters = parameters_of(route); !parameters.empty())
    operation["parameters"] = std::move(parameters);
  if (Json body = body_of(route); !body.is_null()) operation["requestBody"] = std::move(body);
  operation["responses"] = {{"2XX", {{"description", "Done, or what was asked for"}}},
                            {"400", {{"description", "A wrong value: error, field"}}},
                            {"404", {{"description", "There is no such thing: error"}}},
                            {"408", {{"description", "What was waited for did not happen"}}},
                            {"409", {{"description", "The cluster is in no state for it: error"}}}};
  return operation;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return lowered;
}

}  // namespace

std::span<const ControlRoute> control_routes() {
  static const std::vector<ControlRoute> routes = [] {
    std::vector<ControlRoute> all = state_routes();
    std::ranges::move(fault_routes(), std::back_inserter(all));
    std::ranges::move(world_routes(), std::back_inserter(all));
    return all;
  }();
  return routes;
}

ControlAnswer answer_control(ControlledCluster& controlled, const ControlRequest& request) {
  bool is_path_known = false;
  for (const ControlRoute& route : control_routes()) {
    const auto variables = match(route.path, request.path);
    if (!variables) continue;
    is_path_known = true;
    if (route.method != request.method) continue;
    const Result<ControlValues> values = ControlValues::read(route.fields, *variables, request);
    if (!values.ok()) return refuse(400, values.error().text, values.error().field);
    return route.answer(controlled, *values);
  }
  if (is_path_known) return refuse(405, request.path + " has no " + request.method);
  return refuse(404, "there is no " + request.path + "; /openapi.json lists what there is");
}

std::string open_api_document() {
  Json paths = Json::object();
  for (const ControlRoute& route : control_routes())
    paths[std::string(route.path)][lower(route.method)] = operation_of(route);
  paths["/v1/events"]["get"] = {
      {"summary", "Every event from now on, one JSON object a line, for as long as it is read"},
      {"responses",
       {{"200",
         {{"description", "{\"at_ms\": ..., \"text\": ...}"},
          {"content", {{"application/x-ndjson", Json::object()}}}}}}}};
  return Json{{"openapi", "3.0.3"},
              {"info", {{"title", "Fencepost control API"}, {"version", "1"}}},
              {"paths", std::move(paths)}}
             .dump(2) +
         "\n";
}

}  // namespace fencepost::minibroker::server
