// JSON Schema, draft 7: editors read that everywhere. Verbs are pattern properties, because the
// actor in front of the dot is free.
#include "tools/scenario/schema.h"

#include <nlohmann/json.hpp>

#include "minibroker/configuration.h"
#include "minibroker/era.h"
#include "tools/scenario/parser.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/settings.h"
#include "tools/scenario/verbs.h"

namespace fencepost::scenario {

namespace {

using Json = nlohmann::ordered_json;

Json described(std::string_view meaning, Json schema) {
  schema["description"] = std::string(meaning);
  return schema;
}

Json one_or_list(const Json& schema) {
  return {{"oneOf", Json::array({schema, {{"type", "array"}, {"items", schema}}})}};
}

Json argument_schema(const ArgumentSpec& spec) {
  const Json text = {{"type", Json::array({"string", "number", "boolean"})}};
  const Json partition = {{"type", "string"}, {"pattern", "^.+-[0-9]+$"}};
  switch (spec.type) {
    case ArgumentType::text:
      return text;
    case ArgumentType::nullable_text:
      return {{"type", Json::array({"string", "number", "boolean", "null"})}};
    case ArgumentType::integer:
      return {{"type", "integer"}};
    case ArgumentType::boolean:
      return {{"type", "boolean"}};
    case ArgumentType::duration:
      return {{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}};
    case ArgumentType::choice:
      return {{"enum", split_choices(spec.choices)}};
    case ArgumentType::partition:
      return partition;
    case ArgumentType::partitions:
      return one_or_list(partition);
    case ArgumentType::topics:
      return one_or_list(text);
    case ArgumentType::offsets:
      return {{"type", "object"}, {"additionalProperties", {{"type", "integer"}}}};
    case ArgumentType::parties:
      return one_or_list({{"type", "string"}});
    case ArgumentType::records:
      return {{"type", "array"}, {"items", text}};
  }
  return {};
}

Json verb_schema(const VerbSpec& verb) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ArgumentSpec& spec : verb.arguments) {
    properties[std::string(spec.name)] = described(spec.meaning, argument_schema(spec));
    if (spec.is_required) required.push_back(std::string(spec.name));
  }
  Json object = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) object["required"] = required;
  Json forms = Json::array({object});
  if (const ArgumentSpec* bare = verb.find_argument(verb.shorthand))
    forms.push_back(argument_schema(*bare));
  if (required.empty()) forms.push_back({{"type", "null"}});
  std::string meaning(verb.meaning);
  if (!verb.returns.empty()) meaning += ". Expect:";
  for (const ReturnSpec& value : verb.returns)
    meaning += " " + std::string(value.name) + " (" + std::string(value.meaning) + ");";
  return described(meaning, {{"anyOf", forms}});
}

Json step_schema() {
  Json properties = Json::object();
  Json patterns = Json::object();
  for (const StepOption& option : step_options())
    properties[std::string(option.name)] = described(option.meaning, Json::object());
  for (const VerbSpec& verb : actor_verbs())
    patterns["^[^.]+\\." + std::string(verb.name) + "$"] = verb_schema(verb);
  for (const VerbSpec& verb : world_verbs()) {
    const std::string name(verb.name);
    if (properties.contains(name))
      properties[name] = {{"anyOf", Json::array({verb_schema(verb), properties[name]})}};
    else
      properties[name] = verb_schema(verb);
  }
  return {{"type", "object"},
          {"properties", properties},
          {"patternProperties", patterns},
          {"additionalProperties", false}};
}

Json settings_schema() {
  Json properties = Json::object();
  for (const minibroker::ConfigurationKey& key : minibroker::configuration_keys())
    properties[std::string(key.name)] = {{"type", Json::array({"string", "number", "boolean"})}};
  for (const std::string& name : simulated_setting_names())
    properties[name] = {{"type", Json::array({"string", "number"})}};
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json topic_schema() {
  Json properties = {{"partitions", {{"type", "integer"}, {"minimum", 1}}},
                     {"replication_factor", {{"type", "integer"}, {"minimum", 1}}}};
  for (const std::string& name : topic_setting_names())
    properties[name] = {{"type", Json::array({"string", "number", "boolean"})}};
  return {{"type", Json::array({"object", "null"})},
          {"properties", properties},
          {"additionalProperties", false}};
}

Json era_schema() {
  Json names = Json::array();
  for (const minibroker::Era& era : minibroker::eras()) names.push_back(era.name);
  return {{"enum", names}};
}

Json defect_schema() {
  Json names = Json::array();
  for (const minibroker::DefectInfo& it : minibroker::defects()) names.push_back(it.name);
  return {{"enum", names}};
}

Json variant_schema() {
  return {{"type", "object"},
          {"properties",
           {{"name", {{"type", "string"}}},
            {"as_version", era_schema()},
            {"defect", defect_schema()},
            {"brokers", {{"type", "integer"}, {"minimum", 1}}},
            {"fence", {{"enum", Json::array({"none", "generation"})}}},
            {"settings", settings_schema()}}},
          {"required", Json::array({"name"})},
          {"additionalProperties", false}};
}

Json explore_schema() {
  const Json count = {{"type", "integer"}, {"minimum", 0}, {"maximum", 9}};
  const Json names = one_or_list({{"enum", property_names()}});
  const Json breaks = {
      {"anyOf", Json::array({names, {{"type", "object"}, {"additionalProperties", names}}})}};
  Json properties = {
      {"crashes", described("how many brokers may crash", count)},
      {"crash_at", described("when; default cut_points",
                             one_or_list({{"enum", {"cut_points", "between_steps"}}}))},
      {"unsynced", described("what becomes of what was not synced to disk; default kept",
                             one_or_list({{"enum", {"kept", "lost"}}}))},
      {"held", described("how many requests may be late, or never arrive", count)},
      {"held_markers", described("how many WriteTxnMarkers requests may be late", count)},
      {"lost_replies", described("how many answers may be lost after they took effect", count)},
      {"clock", described("times that may pass, each once, at any moment",
                          one_or_list({{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}}))},
      {"steps", described("the longest schedule", {{"type", "integer"}, {"minimum", 1}})},
      {"breaks", described("the properties that a schedule has to break, by variant", breaks)}};
  return {{"type", Json::array({"object", "null"})},
          {"properties", properties},
          {"additionalProperties", false}};
}

}  // namespace

std::string scenario_schema() {
  const Json text = {{"type", "string"}};
  const Json properties_list = one_or_list({{"enum", property_names()}});
  const Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                       {"title", "A Fencepost scenario"},
                       {"type", "object"},
                       {"properties",
                        {{"title", text},
                         {"question", text},
                         {"look", one_or_list(text)},
                         {"topics", {{"type", "object"}, {"additionalProperties", topic_schema()}}},
                         {"defect", defect_schema()},
                         {"brokers", {{"type", "integer"}, {"minimum", 1}}},
                         {"as_version", era_schema()},
                         {"defect", defect_schema()},
                         {"settings", settings_schema()},
                         {"seed", {{"type", "integer"}, {"minimum", 0}}},
                         {"variants", {{"type", "array"}, {"items", variant_schema()}}},
                         {"always", properties_list},
                         {"finally", properties_list},
                         {"expect", {{"type", "object"}}},
                         {"explore", explore_schema()},
                         {"steps", {{"type", "array"}, {"items", step_schema()}}}}},
                       {"required", Json::array({"title", "steps"})},
                       {"additionalProperties", false}};
  return schema.dump(2) + "\n";
}

}  // namespace fencepost::scenario
