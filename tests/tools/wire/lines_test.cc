// The form for scripts against everything that Kafka's own classes wrote.
#include "tools/wire/lines.h"

#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::tools::wire {
namespace {

std::string line_of(const golden::Row& row, const std::string& content) {
  return row[0] + "\t" + row[1] + "\t" + row[2] + "\t" + content;
}

TEST_CASE("every message of Kafka is decoded to Kafka's JSON and encoded to Kafka's bytes",
          "[tools][wire]") {
  std::size_t decoded = 0;
  std::size_t encoded = 0;
  for (const char* file : {"messages.tsv.gz", "unknown-tags.tsv.gz", "header-bytes.tsv.gz"}) {
    for (const golden::Row& row : golden::rows(file)) {
      const std::string json = decode_line(line_of(row, row[3]));
      if (golden::normalized_json(json) != golden::normalized_json(row[4]))
        FAIL(row[0] << " v" << row[1] << " " << row[3] << "\n" << json << "\n" << row[4]);
      ++decoded;
      if (row.size() > 5 && row[5].find("decode-only") != std::string::npos) continue;
      if (encode_line(line_of(row, row[4])) != row[3])
        FAIL(row[0] << " v" << row[1] << " " << row[4]);
      ++encoded;
    }
  }
  CHECK(decoded >= 2040);
  CHECK(encoded >= 1820);
}

TEST_CASE("a line that cannot be done says why", "[tools][wire]") {
  CHECK(decode_line("EndTx\t1\trequest\t00") ==
        R"({"error":"unknown api 'EndTx'; did you mean EndTxn"})");
  CHECK(decode_line("EndTxn\t9\trequest\t00") ==
        R"({"error":"EndTxnRequest has versions 0 to 5, not 9"})");
  CHECK(decode_line("EndTxn\t5\trequest\t0478") ==
        R"({"error":"a length of 3, 1 bytes are left, field transactionalId, at byte 1",)"
        R"("field":"transactionalId","offset":1})");
  CHECK(decode_line("EndTxn\t5\trequest\t04g8").find("'g' at character 3") != std::string::npos);
  CHECK(decode_line("EndTxn\t5\tanswer\t00").starts_with(R"({"error":)"));
  CHECK(decode_line("EndTxn 5 request 00").starts_with(R"({"error":"a line has four columns)"));
  CHECK(encode_line("EndTxn\t5\trequest\t{").starts_with(R"({"error":"not JSON)"));
}

}  // namespace
}  // namespace fencepost::tools::wire
