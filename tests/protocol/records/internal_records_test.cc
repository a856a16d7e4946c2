// What the coordinators keep in their topics, and what consumers embed in a group's protocol.
#include <nlohmann/json.hpp>
#include <set>

#include "protocol/json.h"
#include "protocol/reader.h"
#include "protocol/writer.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

using Json = nlohmann::json;

// The int16 in front of keys and values, and what follows it.
struct Prefixed {
  int number;
  SharedBytes body;
};

Prefixed split(const SharedBytes& bytes) {
  Reader reader(bytes);
  const int number = reader.int16();
  const SharedBytes body = reader.shared(reader.remaining());
  REQUIRE(!reader.failed());
  return {number, body};
}

void check_body(const MessageType& type, const SharedBytes& body, int version, const Json& json) {
  INFO(type.info->name << " v" << version);
  const Result<std::string> ours = type.to_json(body, version);
  REQUIRE(ours.ok());
  CHECK(golden::normalized_json(*ours) == json.dump());
  const Result<JsonDocument> document = JsonDocument::parse(json.dump());
  const Result<Frame> frame = type.from_json(document->root(), version);
  REQUIRE(frame.ok());
  CHECK(to_hex(frame->flatten().view()) == to_hex(body.view()));
}

TEST_CASE("every record of the internal topics is Kafka's", "[protocol][records]") {
  std::set<std::string> values_seen;
  for (const golden::Row& row : golden::rows("internal-records.tsv.gz")) {
    INFO(row[0]);
    const Json json = Json::parse(row[4]);
    const MessageType key_type = message_type_named(row[0] + "Key");
    const Prefixed key = split(golden::from_hex(row[2]));
    CHECK(key.number == key_type.info->api_key);
    CHECK(key.number == json["key"]["type"].get<int>());
    check_body(key_type, key.body, 0, json["key"]["data"]);
    if (row[3] == "null") continue;
    const Prefixed value = split(golden::from_hex(row[3]));
    CHECK(value.number == std::stoi(row[1]));
    check_body(message_type_named(row[0] + "Value"), value.body, value.number,
               json["value"]["data"]);
    values_seen.insert(row[0]);
  }
  CHECK(values_seen.size() == 11);
}

TEST_CASE("subscriptions and assignments of classic groups are Kafka's", "[protocol][records]") {
  std::size_t seen = 0;
  for (const golden::Row& row : golden::rows("consumer-protocol.tsv.gz")) {
    const Prefixed embedded = split(golden::from_hex(row[2]));
    CHECK(embedded.number == std::stoi(row[1]));
    check_body(message_type_named(row[0]), embedded.body, embedded.number, Json::parse(row[3]));
    ++seen;
  }
  CHECK(seen == 32);
}

}  // namespace
}  // namespace fencepost::protocol
