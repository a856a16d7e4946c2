#include "minibroker/log/partition_log.h"
#include "protocol/json.h"
#include "tests/catch.h"
#include "tests/golden.h"
#include "tests/minibroker/log/log_bench.h"

namespace fencepost::minibroker {
namespace {

using protocol::JsonDocument;
using protocol::JsonValue;

struct Verdict {
  std::string error = "NONE";
  std::int64_t log_end_offset = 0;
};

Verdict verdict(const JsonDocument& json, std::string_view part) {
  const JsonValue value = *json.root().member(part);
  Verdict verdict;
  if (const auto error = value.member("error")->text()) verdict.error = *error;
  if (const auto end = value.member("log_end_offset"))
    verdict.log_end_offset = *end->integer(0, 99);
  return verdict;
}

TEST_CASE("Damaged records are answered as Kafka answers them", "[log][validation]") {
  int appended = 0;
  for (const golden::Row& row : golden::rows("bad-batches.tsv.gz")) {
    INFO(row[0]);
    const SharedBytes records = golden::from_hex(row[1]);
    const auto json = JsonDocument::parse(row[2]);
    REQUIRE(json.ok());
    const Verdict request = verdict(*json, "produce_validate");
    CHECK(to_string(check_produce_records(records, 13)) == request.error);
    if (request.error != "NONE") continue;  // the leader never sees these

    const Verdict expected = verdict(*json, "append");
    LogSettings settings;
    settings.verifies_transactions = false;
    PartitionLog log(settings);
    const AppendOutcome outcome =
        log.append_as_leader(records, AppendOrigin::client, 0, no_guard, test_start);
    CHECK(to_string(outcome.error) == expected.error);
    CHECK(log.log_end_offset() == expected.log_end_offset);
    if (outcome.ok()) ++appended;
  }
  CHECK(appended > 20);
}

}  // namespace
}  // namespace fencepost::minibroker
