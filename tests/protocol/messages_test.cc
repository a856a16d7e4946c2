// Every message of Kafka's, in every version, against the bytes and the JSON of Kafka's own
// classes.
#include <set>
#include <tuple>

#include "protocol/json.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

// A line of the files of messages.
struct Vector {
  std::string message;
  int version;
  SharedBytes bytes;
  std::string json;
  std::string flags;
};

std::vector<Vector> vectors(std::string_view file) {
  std::vector<Vector> out;
  for (const golden::Row& row : golden::rows(file)) {
    const bool is_header = row[0] == "RequestHeader" || row[0] == "ResponseHeader";
    const std::string message =
        is_header ? row[0] : row[0] + (row[2] == "request" ? "Request" : "Response");
    out.push_back({message, std::stoi(row[1]), golden::from_hex(row[3]), row[4],
                   row.size() > 5 ? row[5] : ""});
  }
  return out;
}

std::string hex(const Result<Frame>& frame) {
  return frame ? to_hex(frame->flatten().view()) : to_string(frame.error());
}

Result<Frame> encode_json(const MessageType& type, std::string_view json, int version) {
  const Result<JsonDocument> document = JsonDocument::parse(json);
  REQUIRE(document.ok());
  return type.from_json(document->root(), version);
}

void check_decodes_to_its_json(const Vector& vector) {
  INFO(vector.message << " v" << vector.version << " " << to_hex(vector.bytes.view()));
  const Result<std::string> json =
      message_type_named(vector.message).to_json(vector.bytes, vector.version);
  INFO((json ? "" : to_string(json.error())));
  REQUIRE(json.ok());
  REQUIRE(golden::normalized_json(*json) == golden::normalized_json(vector.json));
}

void check_encodes_to_its_bytes(const Vector& vector) {
  INFO(vector.message << " v" << vector.version << " " << vector.json);
  const MessageType type = message_type_named(vector.message);
  const std::string expected = to_hex(vector.bytes.view());
  REQUIRE(hex(type.recode(vector.bytes, vector.version)) == expected);
  if (vector.flags.find("decode-only") == std::string::npos)
    REQUIRE(hex(encode_json(type, vector.json, vector.version)) == expected);
}

TEST_CASE("every message decodes to Kafka's JSON", "[protocol][messages]") {
  for (const Vector& vector : vectors("messages.tsv.gz")) check_decodes_to_its_json(vector);
}

TEST_CASE("every message encodes to Kafka's bytes", "[protocol][messages]") {
  for (const Vector& vector : vectors("messages.tsv.gz")) check_encodes_to_its_bytes(vector);
}

TEST_CASE("every version of every API has golden bytes", "[protocol][messages]") {
  std::set<std::tuple<std::string, int>> seen;
  for (const Vector& vector : vectors("messages.tsv.gz"))
    seen.insert({vector.message, vector.version});
  std::set<std::tuple<std::string, int>> declared;
  for (const MessageType& type : all_message_types()) {
    if (type.info->kind != MessageKind::request && type.info->kind != MessageKind::response)
      continue;
    for (int version = type.info->valid_versions.first; version <= type.info->valid_versions.last;
         ++version)
      declared.insert({std::string(type.info->name), version});
  }
  CHECK(seen == declared);
}

TEST_CASE("unknown tagged fields are left out of the JSON and written back",
          "[protocol][messages]") {
  for (const Vector& vector : vectors("unknown-tags.tsv.gz")) {
    check_decodes_to_its_json(vector);
    check_encodes_to_its_bytes(vector);
  }
}

TEST_CASE("headers have Kafka's bytes", "[protocol][headers]") {
  for (const Vector& vector : vectors("header-bytes.tsv.gz")) {
    check_decodes_to_its_json(vector);
    check_encodes_to_its_bytes(vector);
  }
}

TEST_CASE("a version outside the valid ones is refused in both directions",
          "[protocol][messages]") {
  for (const MessageType& type : all_message_types()) {
    INFO(type.info->name);
    for (int version : {type.info->valid_versions.first - 1, type.info->valid_versions.last + 1}) {
      const Result<std::string> json = type.to_json(SharedBytes(), version);
      REQUIRE(!json.ok());
      REQUIRE(json.error().kind == ErrorKind::unsupported_version);
      const Result<Frame> frame = encode_json(type, "{}", version);
      REQUIRE(!frame.ok());
      REQUIRE(frame.error().kind == ErrorKind::unsupported_version);
    }
  }
}

TEST_CASE("a value that an old version cannot carry is refused, not dropped",
          "[protocol][messages]") {
  const Result<Frame> frame = encode_json(message_type_named("FindCoordinatorRequest"),
                                          R"({"key":"k","keyType":1,"coordinatorKeys":["a"]})", 3);
  REQUIRE(!frame.ok());
  CHECK(frame.error().kind == ErrorKind::invalid_argument);
  CHECK(frame.error().text.find("coordinatorKeys") != std::string::npos);
}

TEST_CASE("JSON with a missing, wrong or unknown member says which", "[protocol][messages]") {
  const MessageType type = message_type_named("HeartbeatRequest");
  const auto field_of = [&](std::string_view json) {
    const Result<Frame> frame = encode_json(type, json, 0);
    REQUIRE(!frame.ok());
    return frame.error().field + ": " + frame.error().text;
  };
  CHECK(field_of(R"({"groupId":"g","memberId":"m"})") == "generationId: is missing");
  CHECK(field_of(R"({"groupId":"g","generationId":1.0,"memberId":"m"})")
            .starts_with("generationId: should be a whole number"));
  CHECK(field_of(R"({"groupId":null,"generationId":1,"memberId":"m"})").starts_with("groupId: "));
  CHECK(field_of(R"({"groupId":"g","generationId":2147483648,"memberId":"m"})")
            .starts_with("generationId: "));
  CHECK(field_of(R"({"groupId":"g","generationId":1,"memberId":"m","extra":1})").find("extra") !=
        std::string::npos);
}

}  // namespace
}  // namespace fencepost::protocol
