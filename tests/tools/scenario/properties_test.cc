// Every named property can break: a short run in which it does, and the same run done right.
#include "tools/scenario/properties/property.h"

#include <map>

#include "tools/scenario/engine.h"
#include "tools/scenario/parser.h"
#include "tools/scenario/properties/names.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

namespace {

// What stands above the steps, and the steps.
struct Text {
  std::string head;
  std::string steps;
};
struct Pair {
  Text wrong;
  Text right;
};

constexpr const char* transaction =
    "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: v1}\n"
    "  - P.produce: {to: b-0, key: k, value: v2}\n";
constexpr const char* commit = "  - P.end_txn: commit\n";
constexpr const char* lost_machine =
    "  - crash: {broker: 1, unsynced: lost}\n  - restart: 1\n  - clock.advance: 10s\n";
constexpr const char* one_record = "  - P.produce: {to: a-0, key: k, value: v}\n";

const std::map<std::string, Pair>& pairs() {
  const std::string open = transaction;
  const std::string whole = open + commit;
  const std::string aborted = open + "  - P.end_txn: abort\n  - R.read: a-0\n";
  const std::string plain = one_record;
  const std::string read = "  - R.read: {from: a-0, isolation: read_uncommitted}\n";
  const std::string idempotent = "  - P.init_producer_id: {transactional_id: null}\n" + plain;
  const std::string member = "  - P.join: {group: g, topics: in}\n  - P.init_producer_id: t\n";
  const std::string behind_open = open +
                                  "  - Q.init_producer_id: u\n"
                                  "  - Q.produce: {to: a-0, key: q, value: w}\n"
                                  "  - Q.end_txn: commit\n  - R.recover: ";
  const auto snapshot = [](const std::string& value) {
    return "  - P.produce: {to: state-0, key: sum, value: \"" + value + "\"}\n";
  };
  static const std::map<std::string, Pair> all{
      {"aborted_records_stay_hidden",
       {{"defect: aborted_transactions_unlisted\n", aborted}, {"", aborted}}},
      {"last_stable_offset_never_moves_back", {{"", plain + lost_machine}, {"", plain + plain}}},
      {"last_stable_offset_waits_for_open_transactions",
       {{"defect: stable_offset_past_transaction\n", open}, {"", open}}},
      {"decisions_are_final", {{"", whole + lost_machine}, {"", whole}}},
      {"all_or_nothing", {{"defect: markers_disagree\n", whole}, {"", whole}}},
      {"batches_are_in_sequence",
       {{"defect: sequence_unchecked\n",
         idempotent + "  - P.produce: {to: a-0, key: k, value: w, base_sequence: 7}\n"},
        {"", idempotent + plain}}},
      {"markers_come_once", {{"defect: marker_sent_twice\n", whole}, {"", whole}}},
      {"everything_is_decided", {{"", open}, {"", whole}}},
      {"owners_are_not_refused",
       {{"", member + "  - P.txn_offset_commit: {group: g, offsets: {in-0: 1}, generation: 0}\n"
                      "    expect: ILLEGAL_GENERATION\n"},
        {"", member + "  - P.txn_offset_commit: {group: g, offsets: {in-0: 1}}\n"}}},
      {"one_epoch_one_writer",
       {{"", open + "  - Z.produce: {to: a-0, key: k, value: v3, transactional_id: t, "
                    "producer_id: 0, producer_epoch: 0, base_sequence: 1}\n"},
        {"", whole + "  - Z.init_producer_id: t\n  - Z.produce: {to: a-0, key: k, value: v3}\n"}}},
      {"recovery_is_complete",
       {{"", behind_open + "{from: a-0, bound: last_stable_offset}\n"},
        {"", behind_open + "a-0\n"}}},
      {"operations_are_linearizable",
       {{"", plain + lost_machine + read}, {"", plain + read + plain + read}}},
      {"newest_snapshot_survives",
       {{"", snapshot("sum@150") + snapshot("sum@100")},
        {"", snapshot("sum@100") + snapshot("sum@150")}}},
      {"committed_offsets_never_lead_snapshots",
       {{"", snapshot("sum@100") + member + "  - P.offset_commit: {offsets: {in-0: 150}}\n"},
        {"", snapshot("sum@100") + member + "  - P.offset_commit: {offsets: {in-0: 100}}\n"}}},
  };
  return all;
}

struct Ran {
  bool ok = false;
  std::string text;
};

Ran run(const std::string& property, const Text& text) {
  const ParsedScenario parsed = parse_scenario(
      "x.yaml", "title: t\ntopics: {in: {}, a: {}, b: {}, state: {cleanup.policy: compact}}\n" +
                    text.head + "finally: " + property + "\nsteps:\n" + text.steps);
  for (const Mistake& mistake : parsed.mistakes) UNSCOPED_INFO(to_string("x.yaml", mistake));
  REQUIRE(parsed.mistakes.empty());
  Ran ran;
  Report report(ReportMode::text, false, [&ran](std::string_view part) { ran.text += part; });
  run_scenario(parsed.scenario, {}, report);
  ran.ok = report.summary();
  return ran;
}

}  // namespace

TEST_CASE("Every property breaks where things go wrong, and holds where they go right",
          "[tools][scenario]") {
  for (const std::string& name : property_names()) {
    INFO(name);
    const auto pair = pairs().find(name);
    REQUIRE(pair != pairs().end());
    const Text& wrong = pair->second.wrong;
    const Ran broken = run(name, {wrong.head + "expect: {broken: " + name + "}\n", wrong.steps});
    const Ran held = run(name, pair->second.right);
    INFO(broken.text << held.text);
    CHECK(broken.ok);
    CHECK(held.ok);
  }
}
