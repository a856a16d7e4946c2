// Damaged bytes: everything of Kafka's that the golden data holds, cut off at every place and with
// every byte changed. They are refused with field and offset, or they are something that says the
// same when it is written again.
#include <cstdlib>
#include <set>

#include "protocol/reader.h"
#include "protocol/records/record_batch.h"
#include "tests/golden.h"
#include "tests/protocol/damage.h"
#include "tests/protocol/message_types.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

// A bit at either end, and all of them: a length that is off by one, a varint that goes on, a null.
constexpr std::uint8_t changes[] = {0x01, 0x80, 0xff};
// Larger ones get one of the changes at each place, in turn: the time that damaging every place
// takes grows with the square.
constexpr std::size_t all_changes_bytes_max = 4096;

struct Golden {
  MessageType type;
  int version;
  SharedBytes bytes;
};

// All that the golden data holds takes seconds in an optimised build, minutes in others; those make
// do with the vectors that have everything set, one for each version of each message. The build
// sets the variable where it optimises.
bool is_exhaustive() {
  const char* value = std::getenv("TEST_EXHAUSTIVE");
  return value != nullptr && std::string_view(value) == "1";
}

class GoldenMessages {
 public:
  GoldenMessages() {
    add_apis("messages.tsv.gz");
    if (is_exhaustive()) add_apis("unknown-tags.tsv.gz");
    for (const golden::Row& row : golden::rows("header-bytes.tsv.gz"))
      add(row[0], row[1], row[3], 0);
    for (const golden::Row& row : golden::rows("consumer-protocol.tsv.gz"))
      add(row[0], row[1], row[2], 2);
    for (const golden::Row& row : golden::rows("internal-records.tsv.gz")) {
      add(row[0] + "Key", "0", row[2], 2);
      if (row[3] != "null") add(row[0] + "Value", row[1], row[3], 2);
    }
  }
  const std::vector<Golden>& all() const { return all_; }

 private:
  void add_apis(const char* file) {
    std::string last;
    std::size_t instance = 0;
    for (const golden::Row& row : golden::rows(file)) {
      const std::string name = row[0] + (row[2] == "request" ? "Request" : "Response");
      instance = name + row[1] == last ? instance + 1 : 0;
      last = name + row[1];
      if (instance == 1 || is_exhaustive()) add(name, row[1], row[3], 0);
    }
  }
  // Without the bytes in front that say which message and version it is.
  void add(const std::string& name, const std::string& version, const std::string& hex,
           std::size_t skipped) {
    if (!seen_.insert(name + version + ":" + hex).second) return;
    const SharedBytes bytes = golden::from_hex(hex);
    all_.push_back({message_type_named(name), std::stoi(version),
                    bytes.slice(skipped, bytes.size() - skipped)});
  }

  std::vector<Golden> all_;
  std::set<std::string> seen_;
};

enum class Changes { all, in_turn };

// Calls visit(place, change, bytes) with each byte changed in turn. What it is given is good until
// it returns.
template <class Visit>
void for_each_changed_byte(const SharedBytes& original, Changes which, Visit&& visit) {
  const auto buffer = std::make_shared<ByteVector>(original.view().begin(), original.view().end());
  const SharedBytes bytes(buffer, ByteView(*buffer));
  const auto change_byte = [&](std::size_t at, std::uint8_t change) {
    const std::uint8_t before = (*buffer)[at];
    (*buffer)[at] = static_cast<std::uint8_t>(before ^ change);
    visit(at, change, bytes);
    (*buffer)[at] = before;
  };
  for (std::size_t at = 0; at < buffer->size(); ++at) {
    if (which == Changes::in_turn)
      change_byte(at, changes[at % std::size(changes)]);
    else
      for (std::uint8_t change : changes) change_byte(at, change);
  }
}

TEST_CASE(
    "a message that is cut off at any place is refused with field and offset; "
    "all golden ones with TEST_EXHAUSTIVE=1",
    "[protocol][damaged]") {
  std::size_t refused = 0;
  const GoldenMessages messages;
  for (const Golden& golden : messages.all()) {
    for (std::size_t size = 0; size < golden.bytes.size(); ++size) {
      const SharedBytes bytes = golden.bytes.slice(0, size);
      const Result<Frame> again = golden.type.recode(bytes, golden.version);
      const std::string complaint =
          again ? "accepted" : complaint_about_message(golden.type, golden.version, bytes);
      if (!complaint.empty())
        FAIL(golden.type.info->name << " v" << golden.version << " cut off at " << size << ": "
                                    << complaint << " " << to_hex(golden.bytes.view()));
      ++refused;
    }
  }
  CHECK(refused > (is_exhaustive() ? 400000U : 50000U));
}

TEST_CASE(
    "a message with any byte changed is refused, or it is written back the same; "
    "all golden ones with TEST_EXHAUSTIVE=1",
    "[protocol][damaged]") {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  const GoldenMessages messages;
  for (const Golden& golden : messages.all()) {
    const bool is_small = golden.bytes.size() <= all_changes_bytes_max;
    const Changes which = is_exhaustive() && is_small ? Changes::all : Changes::in_turn;
    for_each_changed_byte(
        golden.bytes, which, [&](std::size_t at, int change, const SharedBytes& bytes) {
          const std::string complaint = complaint_about_message(golden.type, golden.version, bytes);
          if (!complaint.empty())
            FAIL(golden.type.info->name << " v" << golden.version << " byte " << at << " xor "
                                        << change << ": " << complaint << " "
                                        << to_hex(bytes.view()));
          ++(golden.type.recode(bytes, golden.version).ok() ? accepted : refused);
        });
  }
  CHECK(accepted > (is_exhaustive() ? 500000U : 20000U));
  CHECK(refused > (is_exhaustive() ? 100000U : 10000U));
}

// ---- record batches

std::vector<golden::Row> golden_batches() {
  std::vector<golden::Row> rows = golden::rows("record-batches.tsv.gz");
  for (golden::Row& row : golden::rows("bad-batches.tsv.gz")) rows.push_back(std::move(row));
  return rows;
}

TEST_CASE("a batch that is cut off at any place is refused with field and offset",
          "[protocol][damaged]") {
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    const SharedBytes bytes = RecordBatchView::open(golden::from_hex(row[1]))->bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Result<RecordBatchView> batch = RecordBatchView::open(bytes.slice(0, size));
      if (batch.ok()) FAIL(row[0] << " is read when cut off at " << size);
      if (batch.error().offset != size || batch.error().field.empty())
        FAIL(row[0] << " cut off at " << size << ": " << to_string(batch.error()));
    }
  }
}

TEST_CASE("a changed byte in what the CRC of a batch covers is found", "[protocol][damaged]") {
  constexpr std::size_t crc_at = 17;
  for (const golden::Row& row : golden::rows("record-batches.tsv.gz")) {
    const SharedBytes original = RecordBatchView::open(golden::from_hex(row[1]))->bytes();
    for_each_changed_byte(original, Changes::in_turn,
                          [&](std::size_t at, int change, const SharedBytes& bytes) {
                            if (at >= crc_at && RecordBatchView::open(bytes)->is_crc_valid())
                              FAIL(row[0] << " byte " << at << " xor " << change);
                          });
  }
}

TEST_CASE("a batch with any byte changed is refused, or its records are those of one built again",
          "[protocol][damaged]") {
  // One batch is larger, and nearly all of it one value, which the CRC alone looks into.
  constexpr std::size_t examined_bytes_max = 16384;
  std::size_t changed = 0;
  for (const golden::Row& row : golden_batches()) {
    const SharedBytes original = golden::from_hex(row[1]);
    if (original.size() > examined_bytes_max) continue;
    for_each_changed_byte(original, Changes::in_turn,
                          [&](std::size_t at, int change, const SharedBytes& bytes) {
                            const std::string complaint = complaint_about_batches(bytes);
                            if (!complaint.empty())
                              FAIL(row[0] << " byte " << at << " xor " << change << ": "
                                          << complaint << " " << to_hex(bytes.view()));
                            ++changed;
                          });
  }
  CHECK(changed > 40000);
}

// ---- single cases

TEST_CASE("a byte after the message is refused", "[protocol][damaged]") {
  const GoldenMessages messages;
  for (const Golden& golden : messages.all()) {
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
