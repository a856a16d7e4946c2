// The minibroker's own mutants die: each known mistake is planted, one at a time, into a world in
// which all properties hold, and a schedule of it breaks one of them.
#include "minibroker/defects.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tools/scenario/explore/explorer.h"
#include "tools/scenario/parser.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;
using minibroker::Defect;

namespace {

// What clients do, and how much may go wrong. It holds as long as the brokers have no defect.
struct Program {
  std::string head;
  std::string steps;
};

constexpr const char* head_of_all =
    "title: t\n"
    "settings: {offsets.topic.num.partitions: 1, transaction.state.log.num.partitions: 1}\n"
    "topics: {in: {}, a: {}, b: {}, state: {cleanup.policy: compact}}\n"
    "finally: [everything_is_decided]\n";
constexpr const char* usual_properties =
    "always: [all_or_nothing, one_epoch_one_writer, aborted_records_stay_hidden, "
    "decisions_are_final, last_stable_offset_never_moves_back, "
    "last_stable_offset_waits_for_open_transactions, batches_are_in_sequence, "
    "newest_snapshot_survives, committed_offsets_never_lead_snapshots";
const std::string properties = std::string(usual_properties) + "]\n";
const std::string and_markers_once = std::string(usual_properties) + ", markers_come_once]\n";

const std::map<std::string, Program>& programs() {
  static const std::map<std::string, Program> all{
      {"two owners of an id",
       {and_markers_once,
        "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: p1}\n"
        "  - P.produce: {to: b-0, key: k, value: p2}\n  - P.end_txn: commit\n"
        "  - Q.init_producer_id: t\n  - Q.produce: {to: a-0, key: k, value: q1}\n"
        "  - Q.end_txn: commit\n  - note: n\n  - R.read: a-0\n"}},
      {"a late batch of the old owner",
       {properties + "as_version: '3.9'\nexplore: {held: 1}\n",
        "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: p1}\n"
        "  - P.produce: {to: b-0, key: k, value: p2}\n  - P.end_txn: commit\n"
        "  - note: n\n  - Q.init_producer_id: t\n"
        "  - Q.produce: {to: b-0, key: k, value: q1}\n  - Q.end_txn: commit\n"}},
      {"a late batch of the same owner",
       {properties + "explore: {held: 1}\n",
        "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
        "  - P.produce: {to: b-0, key: k, value: m2}\n  - P.end_txn: commit\n"
        "  - P.produce: {to: a-0, key: k, value: m3}\n  - P.end_txn: commit\n"}},
      {"a late batch after the end",
       {properties + "as_version: '3.9'\nexplore: {held: 1}\n",
        "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
        "  - P.produce: {to: a-0, key: k, value: m2}\n  - P.end_txn: commit\n"}},
      {"batches out of order",
       {properties + "explore: {held: 1}\n",
        "  - P.init_producer_id: {transactional_id: null}\n  - P.produce: {to: a-0, key: k, value: "
        "m1}\n"
        "  - P.produce: {to: a-0, key: k, value: m2}\n"
        "  - P.produce: {to: a-0, key: k, value: m3}\n"}},
      {"a batch that is sent again",
       {properties,
        "  - P.init_producer_id: t\n"
        "  - P.produce: {to: a-0, key: k, value: m1, base_sequence: 0}\n"
        "  - P.produce: {to: a-0, key: k, value: m1, base_sequence: 0}\n"
        "  - P.end_txn: commit\n"}},
      {"a slow owner",
       {properties + "explore: {clock: 30s}\n",
        "  - P.init_producer_id: {transactional_id: t, transaction_timeout: 10s}\n"
        "  - P.produce: {to: a-0, key: k, value: m1}\n"
        "  - P.produce: {to: b-0, key: k, value: m2}\n  - P.end_txn: commit\n"}},
      {"an owner that is gone",
       {properties, "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"}},
      {"a broker that crashes",
       {properties + "explore: {crashes: 1}\n",
        "  - P.init_producer_id: t\n  - P.txn_offset_commit: {group: g, offsets: {in-0: 5}}\n"
        "  - P.produce: {to: a-0, key: k, value: m1}\n"
        "  - P.produce: {to: b-0, key: k, value: m2}\n  - P.end_txn: commit\n"}},
      {"offsets that are given up",
       {properties + "explore: {lost_replies: 1}\n",
        "  - P.init_producer_id: t\n  - P.txn_offset_commit: {group: g, offsets: {in-0: 100}}\n"
        "  - P.produce: {to: state-0, key: sum, value: \"sum@100\"}\n  - P.end_txn: commit\n"
        "  - P.txn_offset_commit: {group: g, offsets: {in-0: 150}}\n"
        "  - P.produce: {to: state-0, key: sum, value: \"sum@150\"}\n  - P.end_txn: commit\n"}},
      {"two owners of a partition",
       {properties + "variants: [{name: x, fence: generation}]\n",
        "  - O1.join: {group: g, topics: in, rebalance_timeout: 10s}\n  - note: n\n"
        "  - O1.init_producer_id: t\n  - O1.txn_offset_commit: {group: g, offsets: {in-0: 100}}\n"
        "  - O1.produce: {to: state-0, key: sum, value: \"sum@100\"}\n  - O1.end_txn: commit\n"
        "  - O2.join: {group: g, topics: in, rebalance_timeout: 10s}\n"
        "  - O2.init_producer_id: t\n  - O2.txn_offset_commit: {offsets: {in-0: 150}}\n"
        "  - O2.produce: {to: state-0, key: sum, value: \"sum@150\"}\n  - O2.end_txn: commit\n"}},
  };
  return all;
}

// Where each defect shows.
const std::map<Defect, std::string>& places() {
  static const std::map<Defect, std::string> all{
      {Defect::producer_epoch_unchecked, "a late batch of the old owner"},
      {Defect::sequence_unchecked, "batches out of order"},
      {Defect::duplicates_appended, "a batch that is sent again"},
      {Defect::stable_offset_past_transaction, "two owners of an id"},
      {Defect::aborted_transactions_unlisted, "two owners of an id"},
      {Defect::verification_off, "a late batch after the end"},
      {Defect::fence_on_timeout_off, "a slow owner"},
      {Defect::takeover_keeps_epoch, "two owners of an id"},
      {Defect::takeover_keeps_transaction, "two owners of an id"},
      {Defect::end_txn_epoch_unchecked, "two owners of an id"},
      {Defect::addition_epoch_unchecked, "two owners of an id"},
      {Defect::end_txn_answered_early, "a broker that crashes"},
      {Defect::epoch_kept_at_end, "a late batch of the same owner"},
      {Defect::last_marker_missing, "two owners of an id"},
      {Defect::marker_sent_twice, "two owners of an id"},
      {Defect::markers_disagree, "two owners of an id"},
      {Defect::completed_before_markers, "a broker that crashes"},
      {Defect::timeout_ignored, "an owner that is gone"},
      {Defect::prepared_forgotten_at_load, "a broker that crashes"},
      {Defect::offsets_applied_at_once, "offsets that are given up"},
      {Defect::offsets_survive_abort, "offsets that are given up"},
      {Defect::offsets_lost_at_commit, "a broker that crashes"},
      {Defect::generation_unchecked, "two owners of a partition"},
  };
  return all;
}

ExploreResult explored(const Program& program, const std::string& defect) {
  const std::string head = defect.empty() ? "" : "defect: " + defect + "\n";
  const ParsedScenario parsed =
      parse_scenario("x.yaml", head_of_all + head + program.head + "steps:\n" + program.steps);
  for (const Mistake& mistake : parsed.mistakes) UNSCOPED_INFO(to_string("x.yaml", mistake));
  REQUIRE(parsed.mistakes.empty());
  return explore_variant(parsed.scenario, parsed.scenario.variants.front(), {});
}

// The defects that are there for one case of the catalogue, which shows what they do.
std::string catalogue_text() {
  std::stringstream text;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FENCEPOST_SOURCE_ROOT) + "/scenarios/cases"))
    text << std::ifstream(entry.path()).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("No property breaks in a world without defects", "[tools][explore][defects]") {
  for (const auto& [name, program] : programs()) {
    const ExploreResult result = explored(program, "");
    INFO(name << "\n" << result.file_text);
    CHECK(result.ok());
    CHECK_FALSE(result.violation);
  }
}

TEST_CASE("Every defect is in a program here, or in a case of the catalogue",
          "[tools][explore][defects]") {
  const std::string catalogue = catalogue_text();
  for (const minibroker::DefectInfo& it : minibroker::defects()) {
    INFO(it.name);
    const bool has_case = catalogue.find("defect: " + std::string(it.name)) != std::string::npos;
    CHECK((places().count(it.defect) == 1 || has_case));
  }
}

TEST_CASE("Every defect breaks a property, in a schedule that replays",
          "[tools][explore][defects]") {
  for (const minibroker::DefectInfo& it : minibroker::defects()) {
    if (places().count(it.defect) == 0) continue;
    INFO(it.name);
    const ExploreResult result =
        explored(programs().at(places().at(it.defect)), std::string(it.name));
    INFO((result.violation ? result.violation->why : "") << "\n" << result.file_text);
    CHECK(result.violation);
    CHECK(result.is_replayed);
  }
}

TEST_CASE("Every defect has a name and a meaning of its own", "[tools][explore][defects]") {
  std::set<std::string_view> names, meanings;
  for (const minibroker::DefectInfo& it : minibroker::defects()) {
    names.insert(it.name);
    meanings.insert(it.meaning);
    CHECK(minibroker::find_defect(it.name) == it.defect);
  }
  CHECK(names.size() == minibroker::defects().size());
  CHECK(meanings.size() == names.size());
  CHECK(names.size() >= 20);
  CHECK_FALSE(minibroker::find_defect("none"));
}

TEST_CASE("An unknown defect is told with the nearest one", "[tools][explore][defects]") {
  const ParsedScenario parsed =
      parse_scenario("x.yaml", "title: t\ndefect: fence_on_timeout\nsteps: [{note: n}]\n");
  REQUIRE(parsed.mistakes.size() == 1);
  CHECK(parsed.mistakes[0].place == Place{2, 9});
  CHECK(parsed.mistakes[0].text.find("fence_on_timeout_off") != std::string::npos);
}
