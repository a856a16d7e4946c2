// Every field table, header version and error code against what Kafka's classes say of themselves.
#include <map>
#include <set>

#include "protocol/api.h"
#include "protocol/error_code.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

std::string text_of(const Versions& versions) {
  if (versions.is_empty()) return "none";
  const std::string first = std::to_string(versions.first);
  if (versions.last == version_max) return first + "+";
  return versions.first == versions.last ? first : first + "-" + std::to_string(versions.last);
}

std::string text_of(bool value) {
  return value ? "true" : "false";
}

std::string kind_of(const MessageInfo& info) {
  switch (info.kind) {
    case MessageKind::request:
      return "request";
    case MessageKind::response:
      return "response";
    case MessageKind::header:
      return "header";
    case MessageKind::data:
      break;
  }
  if (info.api_key < 0) return "data";
  return info.name.ends_with("Key") ? "coordinator-key" : "coordinator-value";
}

// One line a field, as the facts are compared: of Kafka's facts and of our tables.
using Facts = std::map<std::string, std::vector<std::string>>;

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += part + " | ";
  return out;
}

Facts facts_of_kafka() {
  enum Column {
    message,
    kind,
    api_key,
    valid,
    flexible,
    unstable,
    path,
    type,
    versions,
    nullable,
    tagged,
    tag,
    default_value,
    ignorable,
    entity_type,
    map_key,
    field_flexible
  };
  Facts facts;
  for (const golden::Row& row : golden::rows_below_heading("schema-facts.tsv")) {
    REQUIRE(row.size() == field_flexible + 1);
    std::vector<std::string>& lines = facts[row[message]];
    if (lines.empty())
      lines.push_back(join({row[kind], row[api_key], row[valid], row[flexible], row[unstable]}));
    if (row[path] == ".") continue;
    lines.push_back(
        join({json_path(row[path]), row[type], row[versions], row[nullable], row[tagged], row[tag],
              golden::normalized_json(row[default_value]), row[ignorable], row[field_flexible]}));
  }
  return facts;
}

Facts facts_of_ours() {
  Facts facts;
  for (const MessageType& type : all_message_types()) {
    const MessageInfo& info = *type.info;
    std::vector<std::string>& lines = facts[std::string(info.name)];
    lines.push_back(join({kind_of(info), info.api_key < 0 ? "" : std::to_string(info.api_key),
                          text_of(info.valid_versions), text_of(info.flexible_versions),
                          text_of(info.is_latest_unstable)}));
    for (const FieldDescription& field : type.describe()) {
      if (field.path == ".") continue;
      lines.push_back(join({json_path(field.path), field.type, text_of(field.versions),
                            text_of(field.nullable_versions), text_of(field.tagged_versions),
                            field.tagged_versions.is_empty() ? "" : std::to_string(field.tag),
                            golden::normalized_json(field.default_json),
                            text_of(field.is_ignorable), field.is_never_flexible ? "none" : ""}));
    }
  }
  return facts;
}

TEST_CASE("every field table is that of Kafka's schema, in its order", "[protocol][schema]") {
  const Facts kafka = facts_of_kafka();
  const Facts ours = facts_of_ours();
  CHECK(ours.size() == kafka.size());
  for (const auto& [message, lines] : kafka) {
    INFO(message);
    REQUIRE(ours.contains(message));
    CHECK(ours.at(message) == lines);
  }
}

TEST_CASE("every version of every API has Kafka's header versions", "[protocol][headers]") {
  std::set<std::pair<std::string, int>> seen;
  for (const golden::Row& row : golden::rows("headers.tsv")) {
    INFO(row[0] << " v" << row[1]);
    const Api* api = find_api(row[0]);
    const int version = std::stoi(row[1]);
    REQUIRE(api != nullptr);
    REQUIRE(api->versions().contains(version));
    CHECK(request_header_version(*api, version) == std::stoi(row[2]));
    CHECK(response_header_version(*api, version) == std::stoi(row[3]));
    CHECK(static_cast<int>(api->key) == std::stoi(row[4]));
    const bool is_unstable =
        api->request.info->is_latest_unstable && version == api->versions().last;
    CHECK(is_unstable == (row.size() > 5 && row[5] == "unstable"));
    seen.insert({row[0], version});
  }
  std::size_t versions = 0;
  for (const Api& api : apis())
    versions += static_cast<std::size_t>(api.versions().last - api.versions().first + 1);
  CHECK(seen.size() == versions);
}

TEST_CASE("the error table is Kafka's", "[protocol][error_code]") {
  const std::vector<golden::Row> rows = golden::rows_below_heading("error-codes.tsv");
  REQUIRE(rows.size() == error_codes().size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ErrorCodeInfo& info = error_codes()[i];
    INFO(rows[i][1]);
    CHECK(std::to_string(static_cast<int>(info.code)) == rows[i][0]);
    CHECK(info.name == rows[i][1]);
    CHECK(text_of(info.is_retriable) == rows[i][2]);
    CHECK(to_string(info.code) == rows[i][1]);
    CHECK(parse_error_code(rows[i][1]) == info.code);
  }
}

}  // namespace
}  // namespace fencepost::protocol
