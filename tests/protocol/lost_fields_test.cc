// What an older or newer version of a message does not have: its encoder refuses to drop it, for
// every field of Kafka's schemas, unless the schema says ignorable.
#include <nlohmann/json.hpp>

#include <map>
#include <set>

#include "protocol/json.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"
#include "tests/protocol/transcoding.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

using Json = nlohmann::json;
using Fields = std::map<std::string, FieldDescription>;  // by path as in the JSON
using Paths = std::set<std::string>;

Fields fields_of(const MessageType& type) {
  Fields fields;
  for (const FieldDescription& field : type.describe()) fields[json_path(field.path)] = field;
  return fields;
}

// "topics[0].name" without its indices.
std::string without_indices(std::string_view path) {
  std::string out;
  bool is_inside = false;
  for (char letter : path) {
    if (letter == '[') is_inside = true;
    if (!is_inside) out += letter;
    if (letter == ']') is_inside = false;
  }
  return out;
}

bool is_lost(const FieldDescription& field, int from, int to) {
  return field.versions.contains(from) && !field.versions.contains(to) && !field.is_ignorable;
}

// The fields of version `from` that `to` must refuse, each reached through fields of both.
Paths lost_fields(const Fields& fields, int from, int to) {
  Paths lost;
  for (const auto& [path, field] : fields) {
    bool is_reached = true;
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         dot = path.find('.', dot + 1)) {
      const Versions versions = fields.at(path.substr(0, dot)).versions;
      is_reached = is_reached && versions.contains(from) && versions.contains(to);
    }
    if (is_reached && is_lost(field, from, to)) lost.insert(path);
  }
  return lost;
}

// Gives the field at the path of JSON keys its default, in every element of every array.
void set_default(Json& json, std::string_view path, const FieldDescription& field, int version) {
  if (json.is_array()) {
    for (Json& element : json) set_default(element, path, field, version);
    return;
  }
  const std::size_t dot = path.find('.');
  const std::string name(path.substr(0, dot));
  if (!json.is_object() || !json.contains(name)) return;
  if (dot != std::string_view::npos)
    return set_default(json[name], path.substr(dot + 1), field, version);
  if (field.tagged_versions.contains(version))
    json.erase(name);
  else
    json[name] = Json::parse(field.default_json);
}

SharedBytes encoded(const MessageType& type, const Json& json, int version) {
  const Result<JsonDocument> document = JsonDocument::parse(json.dump());
  REQUIRE(document.ok());
  const Result<Frame> frame = type.from_json(document->root(), version);
  INFO(type.info->name << " v" << version << " " << json.dump());
  REQUIRE(frame.ok());
  return frame->flatten();
}

// The fields that writing version `from` as `to` is refused for, one after another, each set to its
// default once it was.
Paths refused_fields(const MessageType& type, const Fields& fields, Json json, int from, int to) {
  Paths refused;
  const Transcode transcode = transcoding_of(type.info->name);
  while (true) {
    const Result<Frame> frame = transcode(encoded(type, json, from), from, to);
    if (frame) return refused;
    const std::string path = without_indices(frame.error().field);
    INFO(type.info->name << " v" << from << " as v" << to << ": " << to_string(frame.error()));
    REQUIRE(frame.error().kind == ErrorKind::not_encodable);
    REQUIRE(fields.contains(path));
    // What is null in one version may have to be there in the other.
    if (frame.error().text.starts_with("null")) return refused;
    REQUIRE(frame.error().text == "a value that version " + std::to_string(to) + " cannot carry");
    REQUIRE(refused.insert(path).second);
    set_default(json, path, fields.at(path), from);
  }
}

TEST_CASE("no field is lost in a version without it, unless the schema says ignorable",
          "[protocol][lost_fields]") {
  std::map<std::string, Paths> expected;
  std::map<std::string, Paths> seen;
  std::string last;
  std::size_t instance = 0;
  for (const golden::Row& row : golden::rows("messages.tsv.gz")) {
    const std::string name = row[0] + (row[2] == "request" ? "Request" : "Response");
    instance = name + row[1] == last ? instance + 1 : 0;
    last = name + row[1];
    if (instance != 1) continue;  // the one with everything set
    const MessageType type = message_type_named(name);
    const Fields fields = fields_of(type);
    const int from = std::stoi(row[1]);
    const Versions valid = type.info->valid_versions;
    for (int to = valid.first; to <= valid.last; ++to) {
      if (to == from) continue;
      const Paths lost = lost_fields(fields, from, to);
      const Paths refused = refused_fields(type, fields, Json::parse(row[4]), from, to);
      for (const std::string& path : refused) {
        INFO(name << " v" << from << " as v" << to << ": " << path);
        REQUIRE(lost.contains(path));
      }
      expected[name].insert(lost.begin(), lost.end());
      seen[name].insert(refused.begin(), refused.end());
    }
  }
  std::size_t fields = 0;
  for (const auto& [name, paths] : expected) {
    INFO(name);
    CHECK(seen[name] == paths);
    fields += paths.size();
  }
  CHECK(fields > 50);
}

}  // namespace
}  // namespace fencepost::protocol
