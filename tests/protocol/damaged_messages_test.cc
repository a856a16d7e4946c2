// Damaged bytes of every message: cut off anywhere, or with one byte changed. They are refused with
// field and offset, or they are a message that says the same when it is written again.
#include "protocol/reader.h"
#include "tests/golden.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

// About this many places in each message are damaged, evenly spread.
constexpr std::size_t places_max = 32;

struct Golden {
  MessageType type;
  int version;
  SharedBytes bytes;
};

// One body with everything set for each version of each message.
std::vector<Golden> golden_bodies() {
  std::vector<Golden> out;
  std::string last;
  std::size_t instance = 0;
  for (const golden::Row& row : golden::rows("messages.tsv.gz")) {
    const std::string name = row[0] + (row[2] == "request" ? "Request" : "Response");
    const std::string version_name = name + row[1];
    instance = version_name == last ? instance + 1 : 0;
    last = version_name;
    if (instance == 1)
      out.push_back({message_type_named(name), std::stoi(row[1]), golden::from_hex(row[3])});
  }
  return out;
}

std::size_t stride_of(const Golden& golden) {
  return golden.bytes.size() / places_max + 1;
}

// Nothing when the bytes are dealt with as they should be; else what is wrong.
std::string complaint_about(const Golden& golden, const SharedBytes& bytes) {
  const Result<Frame> again = golden.type.recode(bytes, golden.version);
  if (!again) {
    const Error& error = again.error();
    if (error.kind != ErrorKind::malformed) return "refused for another reason";
    if (error.offset > bytes.size()) return "an offset outside the bytes";
    // Only what follows the last field is in no field.
    if (error.field.empty() && !error.text.ends_with("left over")) return "no field";
    return "";
  }
  const SharedBytes canonical = again->flatten();
  if (canonical == bytes) return "";
  // A long varint, a boolean above 1, a default written out: shorter bytes of the same meaning.
  if (canonical.size() > bytes.size()) return "grew";
  if (*golden.type.to_json(canonical, golden.version) !=
      *golden.type.to_json(bytes, golden.version))
    return "says something else when written again";
  return golden.type.recode(canonical, golden.version)->flatten() == canonical
             ? ""
             : "changes each time it is written";
}

TEST_CASE("a message that is cut off is refused with field and offset", "[protocol][damaged]") {
  std::size_t refused = 0;
  for (const Golden& golden : golden_bodies()) {
    for (std::size_t size = 0; size < golden.bytes.size(); size += stride_of(golden)) {
      const SharedBytes bytes = golden.bytes.slice(0, size);
      const Result<Frame> again = golden.type.recode(bytes, golden.version);
      const std::string complaint = again ? "accepted" : complaint_about(golden, bytes);
      if (!complaint.empty())
        FAIL(golden.type.info->name << " v" << golden.version << " cut off at " << size << ": "
                                    << complaint);
      ++refused;
    }
  }
  CHECK(refused > 10000);
}

TEST_CASE("a changed byte is refused, or it is a message that is written back the same",
          "[protocol][damaged]") {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (const Golden& golden : golden_bodies()) {
    const ByteVector original(golden.bytes.view().begin(), golden.bytes.view().end());
    for (std::size_t at = 0; at < original.size(); at += stride_of(golden)) {
      for (int change : {0x01, 0x80, 0xff}) {
        ByteVector damaged = original;
        damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ change);
        const SharedBytes bytes(std::move(damaged));
        const std::string complaint = complaint_about(golden, bytes);
        if (!complaint.empty())
          FAIL(golden.type.info->name << " v" << golden.version << " byte " << at << " xor "
                                      << change << ": " << complaint << " "
                                      << to_hex(bytes.view()));
        ++(golden.type.recode(bytes, golden.version).ok() ? accepted : refused);
      }
    }
  }
  CHECK(accepted > 10000);
  CHECK(refused > 4000);
}

TEST_CASE("a byte after the message is refused", "[protocol][damaged]") {
  for (const Golden& golden : golden_bodies()) {
    ByteVector longer(golden.bytes.view().begin(), golden.bytes.view().end());
    longer.push_back(0);
    const Result<Frame> again = golden.type.recode(SharedBytes(longer), golden.version);
    INFO(golden.type.info->name << " v" << golden.version);
    REQUIRE(!again.ok());
    REQUIRE(again.error().text == "1 bytes left over");
    REQUIRE(again.error().offset == golden.bytes.size());
  }
}

TEST_CASE("the error names the path of the field", "[protocol][damaged]") {
  const MessageType type = message_type_named("AddPartitionsToTxnRequest");
  // One transaction whose producer id is cut off in the middle.
  const Result<Frame> again = type.recode(golden::from_hex("020361620000000000"), 4);
  REQUIRE(!again.ok());
  CHECK(again.error().field == "transactions[0].producerId");
  CHECK(again.error().offset == 4);
}

TEST_CASE("an array that claims more elements than there are bytes is refused at its length",
          "[protocol][damaged]") {
  const MessageType type = message_type_named("MetadataRequest");
  const Result<Frame> again = type.recode(golden::from_hex("7fffffff00"), 1);
  REQUIRE(!again.ok());
  CHECK(again.error().field == "topics");
  CHECK(again.error().text == "a length of 2147483647, 1 bytes are left");
}

TEST_CASE("tags out of order and tags that come twice are refused", "[protocol][damaged]") {
  const MessageType type = message_type_named("EndTxnResponse");
  const std::string body =
      "00000000"
      "0000"
      "00000000000000ff"
      "0001";
  CHECK(type.recode(golden::from_hex(body + "02"
                                            "0500"
                                            "0600"),
                    5)
            .ok());
  for (const char* tags : {"02"
                           "0600"
                           "0500",
                           "02"
                           "0500"
                           "0500"}) {
    const Result<Frame> again = type.recode(golden::from_hex(body + tags), 5);
    REQUIRE(!again.ok());
    CHECK(again.error().field == "_tagged_fields");
    CHECK(again.error().text == "tag 5 out of order");
  }
}

}  // namespace
}  // namespace fencepost::protocol
