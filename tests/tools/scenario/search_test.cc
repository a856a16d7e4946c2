// What the search leaves out changes nothing, worlds that are copied go on as their originals do,
// and a crash at each moment of a step leaves what the table of cuts says.
#include "tools/scenario/explore/search.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tools/scenario/explore/cut_table.h"
#include "tools/scenario/parser.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

namespace {

Scenario parsed(const std::string& text) {
  ParsedScenario result = parse_scenario("x.yaml", text);
  for (const Mistake& mistake : result.mistakes) UNSCOPED_INFO(to_string("x.yaml", mistake));
  REQUIRE(result.mistakes.empty());
  return result.scenario;
}

Scenario with_steps(const std::string& head, const std::string& steps) {
  return parsed(
      "title: t\nsettings: {offsets.topic.num.partitions: 1, "
      "transaction.state.log.num.partitions: 1}\ntopics: {in: {}, a: {}, b: {}}\n" +
      head + "steps:\n" + steps);
}

Scenario cut_points() {
  std::ifstream file(std::string(FENCEPOST_SOURCE_ROOT) + "/scenarios/commit-cut-points.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return parsed(text.str());
}

// A scenario with the world that it begins in.
struct Ground {
  explicit Ground(const Scenario& scenario)
      : program(scenario, scenario.variants.front()),
        settings(cluster_settings(scenario, scenario.variants.front(), std::nullopt, std::nullopt)),
        cluster(make_cluster(settings)),
        limits(FaultLimits::of(program.bounds())) {}

  Search search(Search::Repeats repeats = Search::Repeats::left_out) {
    return Search(
        program, limits, cluster, settings.start, [](const auto&) { return true; }, repeats);
  }
  Execution execution(const Schedule& schedule) {
    Execution execution(program, limits, cluster, settings.start);
    for (const Choice& choice : schedule) execution.take(choice);
    return execution;
  }

  Program program;
  minibroker::ClusterSettings settings;
  minibroker::Cluster cluster;
  FaultLimits limits;
};

constexpr const char* two_producers =
    "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: p}\n"
    "  - P.end_txn: commit\n  - Q.init_producer_id: t\n"
    "  - Q.produce: {to: a-0, key: k, value: q}\n  - Q.end_txn: abort\n";

const CutRow& row_of(const CutTable& table, const std::string& point) {
  const auto at = std::ranges::find(table.rows, point, &CutRow::point);
  INFO(point);
  REQUIRE(at != table.rows.end());
  return *at;
}

CutTable table_of(const Scenario& scenario, const std::string& variant) {
  const auto at = std::ranges::find(scenario.variants, variant, &Variant::name);
  REQUIRE(at != scenario.variants.end());
  return cut_table(scenario, *at, std::nullopt);
}

using Values = std::vector<std::string>;

}  // namespace

TEST_CASE("Leaving out what was seen leaves out no state and no schedule", "[tools][explore]") {
  for (const std::string faults :
       {"{}", "{held: 1}", "{lost_replies: 1}", "{held: 1, lost_replies: 1}", "{crashes: 1}",
        "{crashes: 1, crash_at: between_steps}"}) {
    INFO(faults);
    const Scenario scenario =
        with_steps("always: [all_or_nothing, decisions_are_final]\nexplore: " + faults + "\n",
                   faults == "{}" ? two_producers
                                  : "  - P.init_producer_id: t\n"
                                    "  - P.produce: {to: a-0, key: k, value: p}\n"
                                    "  - P.end_txn: commit\n  - R.read: a-0\n");
    Ground ground(scenario);
    Search pruned = ground.search();
    Search whole = ground.search(Search::Repeats::run);
    CHECK(pruned.run_from({}) == whole.run_from({}));
    CHECK(pruned.seen() == whole.seen());  // each state with its number of schedules
    CHECK(pruned.seen().size() > 5);
    CHECK_FALSE(pruned.best());
    CHECK_FALSE(whole.best());
    CHECK(pruned.executed_choices() < whole.executed_choices());
  }
}

TEST_CASE("A request held after one with a lost answer is another than one held before it",
          "[tools][explore]") {
  const Scenario scenario =
      with_steps("always: [all_or_nothing]\nexplore: {held: 1, lost_replies: 1}\n",
                 "  - P.init_producer_id: t\n");
  Ground ground(scenario);
  const Choice held{ChoiceKind::hold, 0};
  const Choice lost{ChoiceKind::lose_reply, 0};
  Execution late_is_first = ground.execution({held, lost});
  Execution late_is_last = ground.execution({lost, held});
  CHECK(late_is_first.digest() != late_is_last.digest());
  late_is_first.take({ChoiceKind::release, 0});
  late_is_last.take({ChoiceKind::release, 0});
  // Only the answer to the last request tells the producer who it is.
  CHECK(late_is_first.digest() != late_is_last.digest());
}

TEST_CASE("Leaving out what was seen finds the same counterexample", "[tools][explore]") {
  const Scenario scenario =
      with_steps("defect: takeover_keeps_epoch\nalways: [one_epoch_one_writer]\n", two_producers);
  Ground ground(scenario);
  Search pruned = ground.search();
  Search whole = ground.search(Search::Repeats::run);
  pruned.run_from({});
  whole.run_from({});
  REQUIRE(pruned.best());
  REQUIRE(whole.best());
  CHECK(pruned.best()->schedule == whole.best()->schedule);
  CHECK(pruned.best()->violation.why == whole.best()->violation.why);
}

TEST_CASE("A copy of a world goes on as the world that it is a copy of", "[tools][explore]") {
  const Scenario scenario = with_steps(
      "always: [all_or_nothing]\nexplore: {crashes: 1}\n",
      "  - P.init_producer_id: t\n  - P.txn_offset_commit: {group: g, offsets: {in-0: 5}}\n"
      "  - P.produce: {to: a-0, key: k, value: p}\n  - P.end_txn: commit\n  - R.read: a-0\n");
  Ground ground(scenario);
  const Choice of_p{ChoiceKind::step, 0};
  const Choice of_r{ChoiceKind::step, 1};
  Execution original = ground.execution({of_p, of_p});
  REQUIRE(original.can_be_copied());
  Execution copy(original);
  CHECK(copy.digest() == original.digest());
  for (const Choice& choice : {of_p, of_p, of_r}) {
    original.take(choice);
    copy.take(choice);
    CHECK(copy.digest() == original.digest());
    CHECK(copy.cluster().digest() == original.cluster().digest());
    CHECK(copy.now() == original.now());
    CHECK(copy.moments() == original.moments());
  }
  CHECK(copy.history().back().answer->values.find("state") != nullptr);
}

TEST_CASE("A world in which a request is held is not copied", "[tools][explore]") {
  const Scenario scenario =
      with_steps("always: [all_or_nothing]\nexplore: {held: 1}\n", two_producers);
  Ground ground(scenario);
  const Execution held = ground.execution({{ChoiceKind::step, 0}, {ChoiceKind::hold, 0}});
  CHECK_FALSE(held.can_be_copied());
}

// ---- the table of cuts

TEST_CASE("A commit comes to nothing only before PREPARE is written", "[tools][explore][cuts]") {
  const Scenario scenario = cut_points();
  for (const std::string variant : {"commit", "commit-3.9"}) {
    INFO(variant);
    const CutTable table = table_of(scenario, variant);
    const CutRow& before = row_of(table, "before_prepare_commit");
    CHECK(before.loaded.starts_with("Ongoing"));
    CHECK(before.before.uncommitted == Values{"m1", "m2"});
    CHECK(before.after.committed == Values{});
    const CutRow& after = row_of(table, "after_prepare_commit");
    CHECK(after.loaded.starts_with("PrepareCommit"));
    CHECK(after.before.committed == Values{});
    CHECK(after.after.committed == Values{"m1", "m2"});
    CHECK(after.after.offsets == Values{"in-0@5"});
    const CutRow& complete = row_of(table, "after_complete_commit");
    CHECK(complete.loaded.starts_with("CompleteCommit"));
    CHECK(complete.before.committed == Values{"m1", "m2"});
    CHECK(&before < &after);  // rows are in the order of time
    CHECK(&after < &complete);
    for (const CutRow& row : table.rows) {
      INFO(row.point << " " << row.subject);
      CHECK_FALSE(row.violation);
      CHECK(row.decided.starts_with("CompleteCommit"));
      CHECK(row.last.committed == Values{"m1", "m2"});
    }
  }
}

TEST_CASE("An abort and a takeover leave nothing to committed readers, wherever they are cut",
          "[tools][explore][cuts]") {
  const Scenario scenario = cut_points();
  for (const std::string variant : {"abort", "takeover", "abort-3.9", "takeover-3.9"}) {
    INFO(variant);
    const CutTable table = table_of(scenario, variant);
    CHECK(row_of(table, "before_prepare_abort").loaded.starts_with("Ongoing"));
    CHECK(row_of(table, "after_prepare_abort").loaded.starts_with("PrepareAbort"));
    CHECK(row_of(table, "between_markers").after.uncommitted == Values{"m1", "m2"});
    for (const CutRow& row : table.rows) {
      INFO(row.point << " " << row.subject);
      CHECK_FALSE(row.violation);
      CHECK(row.last.committed == Values{});
      CHECK(row.last.offsets == Values{});
    }
  }
}

TEST_CASE("Only a request at the end of a scenario is cut", "[tools][explore][cuts]") {
  const Scenario scenario =
      with_steps("always: [all_or_nothing]\n", "  - P.init_producer_id: t\n  - note: n\n");
  const std::vector<Mistake> mistakes = table_refusals(scenario);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].place.line == scenario.steps.back().place.line);
  CHECK(table_refusals(cut_points()).empty());
}
