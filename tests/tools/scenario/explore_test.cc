// Exploring: what is found has as few faults and steps as can be, replays, and is the same however
// the work is shared; what holds has been run in every order.
#include "tools/scenario/explore/explorer.h"
#include "tools/scenario/explore/progress.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/scenario/parser.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

namespace {

constexpr const char* small_cluster =
    "settings: {offsets.topic.num.partitions: 1, transaction.state.log.num.partitions: 1}\n";

Scenario parsed(const std::string& text) {
  ParsedScenario result = parse_scenario("x.yaml", text);
  for (const Mistake& mistake : result.mistakes) UNSCOPED_INFO(to_string("x.yaml", mistake));
  REQUIRE(result.mistakes.empty());
  REQUIRE(explore_refusals(result.scenario).empty());
  return result.scenario;
}

Scenario with_steps(const std::string& head, const std::string& steps) {
  return parsed("title: t\n" + std::string(small_cluster) + head +
                "topics: {a: {}, b: {}}\nsteps:\n" + steps);
}

Scenario from_file(const std::string& name) {
  std::ifstream file(std::string(FENCEPOST_SOURCE_ROOT) + "/scenarios/explore/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return parsed(text.str());
}

ExploreResult explored(const Scenario& scenario, const ExploreOptions& options = {}) {
  ExploreResult result = explore_variant(scenario, scenario.variants.front(), options);
  for (const std::string& line : result.lines) UNSCOPED_INFO(line);
  UNSCOPED_INFO(result.file_text);
  if (result.violation) UNSCOPED_INFO(result.violation->property + ": " + result.violation->why);
  return result;
}

std::vector<Mistake> mistakes_of(const std::string& head) {
  return parse_scenario("x.yaml", "title: t\nalways: [all_or_nothing]\n" + head +
                                      "topics: {a: {}}\nsteps: [{note: n}]\n")
      .mistakes;
}

// Two producers that have nothing to do with each other.
constexpr const char* two_strangers =
    "  - P.produce: {to: a-0, key: k, value: p1}\n  - P.produce: {to: a-0, key: k, value: p2}\n"
    "  - Q.produce: {to: b-0, key: k, value: q1}\n  - Q.produce: {to: b-0, key: k, value: q2}\n";

// A transaction of one batch, given up when its answer does not come, and the next one.
constexpr const char* two_transactions =
    "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
    "  - P.end_txn: commit\n  - P.produce: {to: a-0, key: k, value: m2}\n  - P.end_txn: commit\n";

}  // namespace

// ---- every order

TEST_CASE("Two actors of two steps each have six schedules", "[tools][explore]") {
  const ExploreResult result = explored(with_steps("always: [all_or_nothing]\n", two_strangers));
  CHECK(result.ok());
  CHECK(result.schedules == 6);
  CHECK(result.states == 9);  // nobody cares in which order the two came there
}

// Two producers that cannot be told apart; with a third that does something else.
TEST_CASE("Which of two actors that do the same begins is tried once", "[tools][explore]") {
  const std::string p =
      "  - P.produce: {to: a-0, key: k, value: v}\n  - P.produce: {to: a-0, key: k, value: w}\n";
  const std::string q =
      "  - Q.produce: {to: a-0, key: k, value: v}\n  - Q.produce: {to: a-0, key: k, value: w}\n";
  const std::string head = "always: [all_or_nothing]\n";
  CHECK(explored(with_steps(head, p + q)).schedules == 3);
  CHECK(explored(with_steps(head, p + q + "  - R.produce: {to: b-0, key: k, value: r}\n"))
            .schedules == 15);
  // What names one of them tells them apart.
  CHECK(explored(with_steps(head, "  - partition: {between: P, and: 1}\n  - heal: {}\n" + p + q))
            .schedules > 3);
}

TEST_CASE("Steps do not pass a barrier", "[tools][explore]") {
  const ExploreResult result =
      explored(with_steps("always: [all_or_nothing]\n",
                          "  - P.produce: {to: a-0, key: k, value: p1}\n"
                          "  - Q.produce: {to: b-0, key: k, value: q1}\n  - note: n\n"
                          "  - P.produce: {to: a-0, key: k, value: p2}\n"));
  CHECK(result.schedules == 2);
}

TEST_CASE("A schedule is as long as `steps` lets it be", "[tools][explore]") {
  const ExploreResult result =
      explored(with_steps("always: [all_or_nothing]\nexplore: {steps: 2}\n", two_strangers));
  CHECK(result.schedules == 4);
}

TEST_CASE("The number of processes changes nothing", "[tools][explore]") {
  // The small files of scenarios/explore; tools/test --all compares what is printed for each.
  std::vector<Scenario> scenarios = {
      with_steps("always: [all_or_nothing]\nexplore: {held: 1, lost_replies: 1}\n", two_strangers)};
  for (const char* name : {"acknowledged-by-one.yaml", "epoch-order.yaml", "lost-tail.yaml",
                           "bound-by-last-stable-offset.yaml", "unique-ids.yaml"})
    scenarios.push_back(from_file(name));
  for (const Scenario& scenario : scenarios)
    for (const Variant& variant : scenario.variants) {
      const ExploreResult alone = explore_variant(scenario, variant, {});
      CHECK(alone.ok());  // what breaks replays
      for (const int jobs : {2, 3}) {
        INFO(scenario.title << " " << variant.name << " " << jobs);
        ExploreOptions options;
        options.jobs = jobs;
        const ExploreResult shared = explore_variant(scenario, variant, options);
        CHECK(alone.schedules == shared.schedules);
        CHECK(alone.states == shared.states);
        CHECK(alone.lines == shared.lines);
        CHECK(alone.file_text == shared.file_text);
      }
    }
}

// ---- the design and what it rejects

TEST_CASE("Each rejected alternative yields its counterexample, which replays",
          "[tools][explore]") {
  for (const char* name : {"offset-in-snapshot.yaml", "epoch-order.yaml", "unique-ids.yaml",
                           "captured-generation.yaml", "bound-by-last-stable-offset.yaml",
                           "unknown-generation.yaml"}) {
    INFO(name);
    const ExploreResult result = explored(from_file(name));
    REQUIRE(result.violation);
    CHECK(result.was_expected);
    CHECK(result.is_replayed);
    CHECK(result.ok());
  }
}

TEST_CASE("The design holds in every order, in each era", "[tools][explore]") {
  Scenario scenario = from_file("two-owners.yaml");
  scenario.explore->held = scenario.explore->lost_replies = 0;
  scenario.explore->breaks.clear();  // what a held Produce breaks in 3.5
  for (const Variant& variant : scenario.variants) {
    const ExploreResult result = explore_variant(scenario, variant, {});
    INFO(variant.name << (result.violation ? result.violation->why : ""));
    CHECK(result.ok());
    CHECK_FALSE(result.violation);
    CHECK(result.schedules > 30);
  }
}

// ---- faults

TEST_CASE("A late batch of an aborted transaction is committed with the next one in 3.5",
          "[tools][explore]") {
  const std::string head = "always: [all_or_nothing]\nexplore: {held: 1}\nas_version: ";
  const ExploreResult old = explored(with_steps(head + "'3.5'\n", two_transactions));
  REQUIRE(old.violation);
  CHECK(old.violation->property == "all_or_nothing");
  CHECK(old.is_replayed);
  const ExploreResult now = explored(with_steps(head + "'4.4'\n", two_transactions));
  CHECK_FALSE(now.violation);
  CHECK(now.schedules > 10);
}

TEST_CASE("A late batch that nobody ends breaks liveness in 3.5", "[tools][explore]") {
  const std::string head = "finally: [everything_is_decided]\nexplore: {held: 1}\nas_version: ";
  const std::string steps =
      "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
      "  - P.produce: {to: a-0, key: k, value: m2}\n  - P.end_txn: commit\n";
  const ExploreResult old = explored(with_steps(head + "'3.5'\n", steps));
  REQUIRE(old.violation);
  CHECK(old.is_replayed);
  CHECK_FALSE(explored(with_steps(head + "'3.9'\n", steps)).violation);
}

TEST_CASE("A commit is all or nothing wherever its broker crashes", "[tools][explore]") {
  const ExploreResult result = explored(
      with_steps("always: [all_or_nothing, decisions_are_final]\nfinally: [everything_is_decided]\n"
                 "explore: {crashes: 1}\n",
                 "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
                 "  - P.produce: {to: b-0, key: k, value: m2}\n  - P.end_txn: commit\n"));
  CHECK_FALSE(result.violation);
  CHECK(result.ok());
  CHECK(result.schedules > 15);  // one for each moment, and the one without
}

TEST_CASE("Records of the group's log are no moments to crash at", "[tools][explore]") {
  const ExploreResult result = explored(with_steps(
      "always: [all_or_nothing]\nexplore: {crashes: 1}\n",
      "  - P.init_producer_id: t\n  - P.txn_offset_commit: {group: g, offsets: {a-0: 5}}\n"
      "  - P.end_txn: commit\n"));
  CHECK(result.ok());
  CHECK(result.schedules > 10);
}

TEST_CASE("Markers that are late hold the last stable offset back, and no more",
          "[tools][explore]") {
  const ExploreResult result = explored(
      with_steps("always: [all_or_nothing, last_stable_offset_waits_for_open_transactions]\n"
                 "finally: [everything_is_decided]\nexplore: {held_markers: 1, lost_replies: 1}\n",
                 "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: m1}\n"
                 "  - P.end_txn: commit\n"));
  CHECK(result.ok());
  CHECK(result.schedules > 4);
}

TEST_CASE("What was acknowledged by one machine alone is lost with it, and only then",
          "[tools][explore]") {
  for (const char* name : {"lost-tail.yaml", "acknowledged-by-one.yaml"}) {
    const Scenario scenario = from_file(name);
    for (const Variant& variant : scenario.variants) {
      const ExploreResult result = explore_variant(scenario, variant, {});
      INFO(name << ", " << variant.name << "\n"
                << result.file_text << (result.violation ? result.violation->why : ""));
      CHECK(result.ok());
      CHECK(result.violation.has_value() == result.had_to_break);
      CHECK((result.violation || result.schedules > 10));
    }
  }
}

TEST_CASE("A crash at a cut point loses the commit before it where nothing was synced",
          "[tools][explore]") {
  const std::string head = "always: [decisions_are_final]\nexplore: {crashes: 1, unsynced: ";
  const ExploreResult lost = explored(with_steps(head + "lost}\n", two_transactions));
  REQUIRE(lost.violation);
  CHECK(lost.violation->why.find("is lost") != std::string::npos);
  CHECK(lost.file_text.find("unsynced: lost") != std::string::npos);
  CHECK(lost.is_replayed);
  const ExploreResult kept = explored(with_steps(head + "kept}\n", two_transactions));
  CHECK_FALSE(kept.violation);
  CHECK(explored(with_steps(head + "[kept, lost]}\n", two_transactions)).file_text ==
        lost.file_text);
}

TEST_CASE("What a read has shown is part of a state", "[tools][explore]") {
  // The reader that comes first is tried first, and sees nothing that could be lost.
  const ExploreResult result = explored(with_steps(
      "always: [operations_are_linearizable]\n"
      "explore: {crashes: 1, crash_at: between_steps, unsynced: lost, lost_replies: 1}\n",
      "  - R.read: a-0\n  - P.produce: {to: a-0, key: k, value: v}\n  - note: n\n"
      "  - R.read: a-0\n"));
  REQUIRE(result.violation);
  CHECK(result.is_replayed);
}

TEST_CASE("A counterexample has no fault that it does not need", "[tools][explore]") {
  Scenario scenario = from_file("epoch-order.yaml");
  scenario.explore->held = scenario.explore->lost_replies = 2;
  const ExploreResult result = explored(scenario);
  REQUIRE(result.violation);
  CHECK(result.rounds_finished == 0);
  CHECK(result.file_text.find("hold:") == std::string::npos);
}

// ---- samples

TEST_CASE("Samples beyond the bound find what the bound leaves out, and again with the same seed",
          "[tools][explore]") {
  const Scenario scenario = from_file("offset-in-snapshot.yaml");
  ExploreOptions options;
  options.random = 64;
  const ExploreResult first = explored(scenario, options);
  const ExploreResult second = explored(scenario, options);
  REQUIRE(first.violation);
  CHECK(first.is_replayed);
  CHECK(first.file_text == second.file_text);
  for (const int jobs : {2, 3}) {
    options.jobs = jobs;
    const ExploreResult shared = explored(scenario, options);
    CHECK(shared.schedules == first.schedules);
    CHECK(shared.states == first.states);
    CHECK(shared.file_text == first.file_text);
  }
}

// ---- how far it is

TEST_CASE("What is left is told by what is done, once there is something to go by",
          "[tools][explore]") {
  CHECK(progress_text("4.4", 1, 3, {0.25, 100, 40}, 10) ==
        "4.4: with up to 1 of 2 faults, 25.0%, 100 states, 30s left if all branches are alike");
  CHECK(progress_text("", 0, 3, {0.01, 7, 0}, 10) == "with up to 0 of 2 faults, 1.0%, 7 states");
}

// ---- what goes wrong

TEST_CASE("A property that was to break and holds is not as the file says", "[tools][explore]") {
  const ExploreResult result = explored(
      with_steps("always: [all_or_nothing]\nexplore: {breaks: all_or_nothing}\n", two_strangers));
  CHECK_FALSE(result.violation);
  CHECK_FALSE(result.ok());
}

TEST_CASE("A stopped search says what is finished", "[tools][explore]") {
  ExploreOptions options;
  int asked = 0;
  options.go_on = [&asked](const std::string&, int round, int, const SearchProgress&) {
    return round == 0 || ++asked < 2;
  };
  const ExploreResult result = explored(
      with_steps("always: [all_or_nothing]\nexplore: {held: 2}\n", two_strangers), options);
  CHECK(result.is_stopped);
  CHECK(result.rounds_finished == 1);
  CHECK(result.schedules == 6);
}

TEST_CASE("What cannot be explored says so with its line", "[tools][explore]") {
  const ParsedScenario parsed = parse_scenario(
      "x.yaml",
      "title: t\ntopics: {a: {}}\nsteps:\n  - P.init_producer_id: t\n"
      "  - P.produce: {to: a-0, key: k, value: v}\n    hold: late\n  - release: late\n"
      "  - R.read: a-0\n    as: reading\n  - await: reading\n");
  REQUIRE(parsed.mistakes.empty());
  const std::vector<Mistake> refusals = explore_refusals(parsed.scenario);
  REQUIRE(refusals.size() == 5);
  CHECK(refusals[0].text.find("no property") != std::string::npos);
  CHECK(refusals[1].place.line == 5);
  CHECK(refusals[2].place.line == 7);
  CHECK(refusals[3].place.line == 8);
  CHECK(refusals[4].place.line == 10);
}

TEST_CASE("Mistakes in `explore` are told with place and nearest word", "[tools][explore]") {
  const auto word = mistakes_of("explore: {crash: 1}\n");
  REQUIRE(word.size() == 1);
  CHECK(word[0].place == Place{3, 11});
  CHECK(word[0].text == "'explore' has no 'crash'; did you mean crashes");
  CHECK(mistakes_of("explore: {held: 10}\n").size() == 1);
  CHECK(mistakes_of("explore: {clock: [10]}\n").size() == 1);
  CHECK(mistakes_of("explore: {steps: 0}\n").size() == 1);
  CHECK(mistakes_of("explore: {crash_at: [cut_point]}\n").size() == 1);
  CHECK(mistakes_of("explore: {unsynced: gone}\n").size() == 1);
  CHECK(mistakes_of("explore: [held]\n").size() == 1);
  const auto property = mistakes_of("explore: {breaks: decisions_are_final}\n");
  REQUIRE(property.size() == 1);
  CHECK(property[0].text.find("is in neither 'always' nor 'finally'") != std::string::npos);
  CHECK(mistakes_of("explore: {breaks: {nobody: all_or_nothing}}\n").size() == 1);
}
