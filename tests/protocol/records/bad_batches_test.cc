// Damaged batches, and what a consumer of Kafka's makes of each.
#include <nlohmann/json.hpp>

#include "protocol/records/record_batch.h"
#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

// What reading a buffer came to: where it stopped, and the batches and records before that.
struct Outcome {
  bool is_refused = false;
  std::size_t batches = 0;
  std::size_t records = 0;
  std::string error;
};

Outcome read_all(const SharedBytes& bytes) {
  const Result<std::vector<RecordBatchView>> batches = open_batches(bytes);
  if (!batches) return {true, 0, 0, to_string(batches.error())};
  Outcome outcome{false, batches->size(), 0, ""};
  for (const RecordBatchView& batch : *batches) {
    if (!batch.is_crc_valid()) return {true, outcome.batches, outcome.records, "CRC"};
    const Result<std::vector<Record>> records = batch.records();
    const Result<std::int32_t> count = batch.count_records();
    REQUIRE(count.ok() == records.ok());
    if (!records) {
      REQUIRE(records.error().kind == ErrorKind::malformed);
      REQUIRE(records.error() == count.error());
      return {true, outcome.batches, outcome.records, to_string(records.error())};
    }
    REQUIRE(static_cast<std::size_t>(*count) == records->size());
    outcome.records += records->size();
  }
  return outcome;
}

TEST_CASE("a consumer accepts and refuses the batches that Kafka's does",
          "[protocol][record_batch]") {
  std::size_t refused = 0;
  for (const golden::Row& row : golden::rows("bad-batches.tsv.gz")) {
    const nlohmann::json read = nlohmann::json::parse(row[2])["read"];
    const Outcome outcome = read_all(golden::from_hex(row[1]));
    INFO(row[0] << " " << outcome.error);
    CHECK(outcome.is_refused == !read["exception"].is_null());
    refused += outcome.is_refused ? 1 : 0;
    if (outcome.is_refused) continue;
    CHECK(outcome.batches == read["batches"].get<std::size_t>());
    CHECK(outcome.records == read["records"].get<std::size_t>());
  }
  CHECK(refused > 40);
}

TEST_CASE("a batch of an old format is refused by its magic", "[protocol][record_batch]") {
  for (const golden::Row& row : golden::rows("bad-batches.tsv.gz")) {
    if (!row[0].starts_with("bad-magic-")) continue;
    const Result<RecordBatchView> batch = RecordBatchView::open(golden::from_hex(row[1]));
    REQUIRE(!batch.ok());
    CHECK(batch.error().text == "magic " + row[0].substr(10));
    CHECK(batch.error().offset == 16);
  }
}

TEST_CASE("every proper prefix of a batch is no batch", "[protocol][record_batch]") {
  const SharedBytes whole = build_batch({}, {{0, SharedBytes::copy_of("k"), std::nullopt}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    const SharedBytes prefix = whole.slice(0, size);
    const Result<RecordBatchView> batch = RecordBatchView::open(prefix);
    REQUIRE(!batch.ok());
    CHECK(batch.error().offset <= size);
    // As in the answer to a fetch: what is cut off is left out.
    REQUIRE(open_batches(prefix).ok());
    CHECK(open_batches(prefix)->empty());
  }
}

TEST_CASE("a changed byte behind the leader epoch never goes unnoticed",
          "[protocol][record_batch]") {
  const SharedBytes whole =
      build_batch({}, {{5, SharedBytes::copy_of("key"), SharedBytes::copy_of("value")},
                       {6, std::nullopt, std::nullopt, {{"h", SharedBytes::copy_of("x")}}}});
  for (std::size_t at = 16; at < whole.size(); ++at)
    for (int change : {0x01, 0x80, 0xff}) {
      ByteVector damaged(whole.view().begin(), whole.view().end());
      damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ change);
      const Outcome outcome = read_all(SharedBytes(damaged));
      INFO(at);
      CHECK(outcome.is_refused);
    }
}

TEST_CASE("the error names the record and stands at its byte", "[protocol][record_batch]") {
  const SharedBytes whole = build_batch(
      {}, {{0, std::nullopt, std::nullopt}, {0, std::nullopt, SharedBytes::copy_of("value")}});
  ByteVector damaged(whole.view().begin(), whole.view().end());
  damaged[61 + 7] = 0x7f;  // the size of the second record
  const Result<RecordBatchView> batch = RecordBatchView::open(SharedBytes(damaged));
  REQUIRE(batch.ok());
  const Result<std::vector<Record>> records = batch->records();
  REQUIRE(!records.ok());
  CHECK(records.error().field == "records[1]");
  CHECK(records.error().offset >= 61 + 7);
  CHECK(records.error().offset < whole.size());
}

}  // namespace
}  // namespace fencepost::protocol
