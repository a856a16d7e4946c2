// Scenarios run against the simulated cluster: the course is green and repeatable, and each way in
// which a run can go wrong is told.
#include "tools/scenario/engine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "tools/scenario/parser.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

namespace {

struct Ran {
  std::string text;
  std::uint64_t digest = 0;
  bool ok = false;
};

Ran run(const Scenario& scenario, RunOptions options = {}, ReportMode mode = ReportMode::text) {
  Ran ran;
  Report report(mode, false, [&ran](std::string_view text) { ran.text += text; });
  run_scenario(scenario, options, report);
  ran.ok = report.summary();
  ran.digest = report.digest();
  return ran;
}

Scenario parsed(const std::string& text, const std::string& file = "x.yaml") {
  ParsedScenario result = parse_scenario(file, text);
  for (const Mistake& mistake : result.mistakes) UNSCOPED_INFO(to_string(file, mistake));
  REQUIRE(result.mistakes.empty());
  return result.scenario;
}

Scenario with_steps(const std::string& steps, const std::string& head = "") {
  return parsed("title: t\n" + head +
                "topics: {in: {}, state: {cleanup.policy: compact}}\nsteps:\n" + steps);
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(FENCEPOST_SOURCE_ROOT) + "/" + folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::filesystem::path> course() {
  return files_in("scenarios");
}

std::vector<std::filesystem::path> catalogue() {
  return files_in("scenarios/cases");
}

Scenario from_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return parsed(text.str(), path.filename().string());
}

// The scenario with every variant expected to be the one after it.
Scenario with_worlds_confused(Scenario scenario) {
  std::map<std::string, std::string> next;
  for (std::size_t i = 0; i < scenario.variants.size(); ++i)
    next[scenario.variants[i].name] = scenario.variants[(i + 1) % scenario.variants.size()].name;
  for (Step& step : scenario.steps) {
    if (!step.expect) continue;
    const Expectation before = *step.expect;
    for (const auto& [name, other] : next) {
      step.expect->by_variant.erase(name);
      if (const Outcome* outcome = before.in(other)) step.expect->by_variant[name] = *outcome;
    }
  }
  const auto broken = std::exchange(scenario.broken, {});
  for (const auto& [name, other] : next)
    if (broken.count(other) != 0) scenario.broken[name] = broken.at(other);
  return scenario;
}

bool contains(const Ran& ran, const std::string& part) {
  UNSCOPED_INFO(ran.text);
  return ran.text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Every scenario of course and catalogue is green, and prints the same bytes twice",
          "[tools][scenario]") {
  REQUIRE(course().size() >= 6);
  std::vector<std::filesystem::path> files = course();
  for (const std::filesystem::path& path : catalogue()) files.push_back(path);
  for (const std::filesystem::path& path : files) {
    const Scenario scenario = from_file(path);
    const Ran first = run(scenario);
    const Ran second = run(scenario);
    INFO(first.text);
    CHECK(first.ok);
    CHECK(first.text == second.text);
    CHECK(first.digest == second.digest);
  }
}

TEST_CASE("A case of the catalogue is red when its worlds are confused", "[tools][scenario]") {
  REQUIRE(!catalogue().empty());
  for (const std::filesystem::path& path : catalogue()) {
    INFO(path);
    const Scenario scenario = from_file(path);
    CHECK(scenario.variants.size() >= 2);
    CHECK_FALSE(run(with_worlds_confused(scenario)).ok);
  }
}

TEST_CASE("The index names every case of the catalogue", "[tools][scenario]") {
  std::ifstream file(std::string(FENCEPOST_SOURCE_ROOT) + "/scenarios/README.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const std::filesystem::path& path : catalogue()) {
    INFO(path);
    CHECK(text.str().find("(cases/" + path.filename().string() + ")") != std::string::npos);
  }
}

TEST_CASE("Quiet and JSON runs have the digest of the text run", "[tools][scenario]") {
  const Scenario scenario = from_file(course().front());
  const Ran text = run(scenario);
  CHECK(run(scenario, {}, ReportMode::quiet).digest == text.digest);
  CHECK(run(scenario, {}, ReportMode::json).digest == text.digest);
}

TEST_CASE("Another seed gives another history", "[tools][scenario]") {
  const Scenario scenario = with_steps("  - C.join: {group: g, topics: in}\n");
  RunOptions options;
  options.seed = 7;
  CHECK(run(scenario).digest != run(scenario, options).digest);
}

TEST_CASE("JSON is one object a step and a summary", "[tools][scenario]") {
  const Ran ran = run(with_steps("  - P.produce: {to: state-0, key: a, value: b}\n"
                                 "    expect: {offset: 0}\n"),
                      {}, ReportMode::json);
  std::istringstream lines(ran.text);
  std::vector<nlohmann::json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(nlohmann::json::parse(line));
  REQUIRE(objects.size() == 2);
  CHECK(objects[0]["verb"] == "produce");
  CHECK(objects[0]["values"]["offset"] == "0");
  CHECK(objects[0]["line"] == 4);
  CHECK(objects[1]["ok"] == true);
}

TEST_CASE("Three brokers replicate, and the high watermark follows", "[tools][scenario]") {
  const Scenario scenario = parsed(
      "title: t\nbrokers: 3\ntopics: {a: {replication_factor: 3}}\nsteps:\n"
      "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: v}\n"
      "  - P.end_txn: commit\n  - R.watermarks: a-0\n"
      "    expect: {high_watermark: 2, last_stable_offset: 2}\n");
  CHECK(run(scenario).ok);
}

TEST_CASE("Markers of the coordinator can be held and released", "[tools][scenario]") {
  const Scenario scenario = with_steps(
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n"
      "  - hold: {api: WriteTxnMarkers, topic: state, as: markers}\n"
      "  - P.end_txn: commit\n  - R.watermarks: state-0\n"
      "    expect: {high_watermark: 1, last_stable_offset: 0}\n"
      "  - Q.init_producer_id: t\n    retry: false\n    expect: CONCURRENT_TRANSACTIONS\n"
      "  - release: markers\n  - R.watermarks: state-0\n"
      "    expect: {high_watermark: 2, last_stable_offset: 2}\n");
  const Ran ran = run(scenario);
  CHECK(contains(ran, "delivers 1 message held as markers"));
  CHECK(ran.ok);
}

TEST_CASE("A retriable answer is tried again, and every attempt is shown", "[tools][scenario]") {
  const Scenario scenario = with_steps(
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n"
      "  - Q.init_producer_id: t\n    expect: {producer_epoch: 2}\n");
  const Ran ran = run(scenario);
  CHECK(contains(ran, "-> CONCURRENT_TRANSACTIONS"));
  CHECK(ran.ok);
}

TEST_CASE("A lost reply leaves the outcome unknown, and the effect in place", "[tools][scenario]") {
  const Scenario scenario = with_steps(
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n"
      "  - P.end_txn: commit\n    lose_reply: true\n    expect: UNKNOWN_OUTCOME\n"
      "  - R.read: state-0\n    expect: {records: [k=v]}\n");
  const Ran ran = run(scenario);
  CHECK(contains(ran, "(lost)"));
  CHECK(ran.ok);
}

TEST_CASE("A zombie written by hand breaks one_epoch_one_writer", "[tools][scenario]") {
  const std::string steps =
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v1}\n"
      "  - Z.produce: {to: state-0, key: k, value: v2, transactional_id: t, producer_id: 0, "
      "producer_epoch: 0, base_sequence: 1}\n";
  CHECK(run(with_steps(steps,
                       "always: one_epoch_one_writer\n"
                       "expect: {broken: one_epoch_one_writer}\n"))
            .ok);
  const Ran red = run(with_steps(steps, "always: one_epoch_one_writer\n"));
  CHECK(contains(red, "producer 0/0 wrote for P and for Z"));
  CHECK_FALSE(red.ok);
}

TEST_CASE("The bound decides whether a recovery is complete", "[tools][scenario]") {
  const std::string steps =
      "  - P.init_producer_id: {transactional_id: p, transaction_timeout: 10s}\n"
      "  - P.produce: {to: state-0, key: k1, value: v1}\n  - Q.init_producer_id: q\n"
      "  - Q.produce: {to: state-0, key: k2, value: v2}\n  - Q.end_txn: commit\n";
  const std::string head = "always: recovery_is_complete\n";
  const Ran short_read =
      run(with_steps(steps + "  - R.recover: {from: state-0, bound: last_stable_offset}\n", head));
  CHECK(contains(short_read, "missed k2=v2"));
  CHECK_FALSE(short_read.ok);
  CHECK(run(with_steps(steps + "  - R.recover: state-0\n", head)).ok);
}

TEST_CASE("What was acknowledged, or read, and is gone breaks operations_are_linearizable",
          "[tools][scenario]") {
  const std::string head = "always: operations_are_linearizable\n";
  const std::string read = "  - R.read: {from: in-0, isolation: read_uncommitted}\n";
  const std::string lost =
      "  - crash: {broker: 1, unsynced: lost}\n  - restart: 1\n  - clock.advance: 10s\n";
  const std::string write = "  - P.produce: {to: in-0, key: k, value: ";
  CHECK(run(with_steps(write + "v1}\n" + read + write + "v2}\n" + read, head)).ok);
  const Ran missed = run(with_steps(write + "v1}\n" + lost + read, head));
  CHECK(
      contains(missed, "P was told that k=v1 is at offset 0 of in-0, and a read that came later"));
  const Ran overwritten = run(with_steps(write + "v1}\n" + lost + write + "v2}\n", head));
  CHECK(contains(overwritten, "P wrote to offset 0 of in-0 after P was told offset 0"));
  const Ran gone = run(with_steps(write + "v1, acks: 0}\n" + read + lost + read, head));
  CHECK(contains(gone, "a read of in-0 has shown k=v1, and a later one does not show it there"));
  for (const Ran& ran : {missed, overwritten, gone}) CHECK_FALSE(ran.ok);
}

TEST_CASE("A rule aims at topics and transactional ids that a request names by number",
          "[tools][scenario]") {
  const std::string begin =
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n";
  const auto is_dropped = [&begin](const std::string& aim, const std::string& step) {
    return run(with_steps(begin + "  - drop: {" + aim + "}\n" + step +
                          "    expect: UNKNOWN_OUTCOME\n"))
        .ok;
  };
  const std::string produce = "  - P.produce: {to: state-0, key: k, value: v}\n";
  CHECK(is_dropped("api: Produce, topic: state", produce));
  CHECK_FALSE(is_dropped("api: Produce, topic: in", produce));
  CHECK(is_dropped("api: Fetch, topic: state", "  - P.fetch: state-0\n"));
  CHECK_FALSE(is_dropped("api: Fetch, topic: in", "  - P.fetch: state-0\n"));
  const std::string commit = "  - P.txn_offset_commit: {group: g, offsets: {in-0: 1}}\n";
  CHECK(is_dropped("api: TxnOffsetCommit, topic: in", commit));
  CHECK_FALSE(is_dropped("api: TxnOffsetCommit, topic: state", commit));
  const auto are_markers_held = [&begin](const std::string& id) {
    return run(with_steps(begin + "  - hold: {api: WriteTxnMarkers, transactional_id: " + id +
                          ", as: markers}\n  - P.end_txn: commit\n  - R.watermarks: state-0\n"
                          "    expect: {high_watermark: 1, last_stable_offset: 0}\n"))
        .ok;
  };
  CHECK(are_markers_held("t"));
  CHECK_FALSE(are_markers_held("other"));
}

TEST_CASE("Messages are delayed, duplicated and slowed down as the file says",
          "[tools][scenario]") {
  const std::string write = "  - P.produce: {to: in-0, key: k, value: v}\n";
  const std::string read = "  - R.read: in-0\n    expect: {records: [k=v";
  // Without a producer id nobody can tell that it is the same batch.
  const Ran twice =
      run(with_steps("  - duplicate: {api: Produce, actor: P}\n" + write + read + ", k=v]}\n"));
  CHECK(contains(twice, "it will arrive twice"));
  CHECK(twice.ok);
  CHECK(run(with_steps("  - duplicate: {api: Produce, actor: Q}\n" + write + read + "]}\n")).ok);
  CHECK(run(with_steps("  - duplicate: {api: Produce, count: 2}\n" + write + write + write + read +
                       ", k=v, k=v, k=v, k=v]}\n"))
            .ok);
  CHECK(run(with_steps("  - P.init_producer_id: {transactional_id: null}\n"
                       "  - duplicate: {api: Produce, topic: in}\n" +
                       write + read + "]}\n"))
            .ok);
  CHECK(contains(run(with_steps("  - delay: {api: Produce, by: 2s}\n" + write)), "after 2.00"));
  CHECK(contains(run(with_steps("  - delay: {api: Fetch, by: 2s}\n" + write)), "after 0.00"));
  const Ran slow = run(with_steps("  - slow: {between: P, and: broker-1, latency: 3s}\n" + write));
  CHECK(contains(slow, "NONE offset 0"));
  CHECK_FALSE(contains(slow, "after 0.00"));
}

TEST_CASE("Every API that a verb sends has its line, request and answer", "[tools][scenario]") {
  const Ran ran = run(with_steps(
      "  - P.api_versions:\n  - P.metadata: [in, state]\n  - P.create_topics: more\n"
      "  - P.find_coordinator: t\n  - P.init_producer_id: t\n"
      "  - P.add_partitions_to_txn: {partitions: state-0, version: 3}\n"
      "  - P.produce: {to: state-0, key: k, value: v}\n"
      "  - P.add_offsets_to_txn: {group: g}\n"
      "  - P.txn_offset_commit: {group: g, offsets: {in-0: 1}, add_offsets: false}\n"
      "  - P.describe_transactions: t\n  - P.describe_producers: state-0\n  - P.end_txn: commit\n"
      "  - P.write_txn_markers: {to: state-0, result: abort}\n"
      "  - C.join_group: {group: h, topics: in}\n  - C.sync_group:\n  - C.heartbeat:\n"
      "  - C.offset_commit: {offsets: {in-0: 1}}\n  - C.offset_fetch: {partitions: in-0}\n"
      "  - C.leave_group:\n  - C.offset_delete: {partitions: in-0}\n  - C.describe_groups: h\n"
      "  - D.join: {group: i, topics: in, protocol: consumer}\n"
      "  - R.list_offsets: state-0\n  - R.fetch: state-0\n"
      "  - R.delete_records: {of: in-0, before: 0}\n"));
  INFO(ran.text);
  CHECK(ran.ok);
  for (const VerbSpec& verb : actor_verbs()) {
    if (!verb.api) continue;
    INFO(verb.name);
    CHECK(ran.text.find("\n              " + std::string(protocol::to_string(*verb.api)) + " v") !=
          std::string::npos);
  }
  CHECK(contains(ran, "ConsumerGroupHeartbeat v1  group i member D epoch 0 topics in"));
  CHECK(contains(ran, "-> NONE epoch 2 assigns in-0"));
  CHECK(contains(ran, "epoch 2 topics in owns in-0"));
  CHECK_FALSE(contains(ran, "(no answer)"));
}

TEST_CASE("An actor finds the new leader and the new coordinator when its broker has died",
          "[tools][scenario]") {
  const Ran ran = run(parsed(
      "title: t\nbrokers: 2\ntopics: {a: {replication_factor: 2}}\n"
      "settings: {transaction.state.log.min.isr: 1}\nsteps:\n"
      "  - P.init_producer_id: t\n  - P.produce: {to: a-0, key: k, value: v1}\n  - crash: 1\n"
      "  - P.produce: {to: a-0, key: k, value: v2}\n    expect: {offset: 1}\n"
      "  - P.end_txn: commit\n  - R.read: a-0\n    expect: {records: [k=v1, k=v2]}\n"));
  INFO(ran.text);
  CHECK(ran.ok);
}

TEST_CASE("A step that is there to find nobody does not ask again", "[tools][scenario]") {
  const Ran ran = run(
      with_steps("  - P.init_producer_id: t\n  - crash: 1\n"
                 "  - P.produce: {to: state-0, key: k, value: v}\n    expect: CANNOT_CONNECT\n"));
  INFO(ran.text);
  CHECK(ran.ok);
}

// ---- what goes wrong

TEST_CASE("A failed expectation shows both sides, the line and the replay", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - R.watermarks: state-0\n"
                     "    expect: {high_watermark: 3, last_stable_offset: 0}\n"
                     "  - note: not reached\n"));
  CHECK(contains(ran, "NOT AS EXPECTED  at x.yaml:4"));
  CHECK(contains(ran, "expected  {high_watermark: 3, last_stable_offset: 0}"));
  CHECK(contains(ran, "actual    {high_watermark: 0, last_stable_offset: 0}"));
  CHECK(contains(ran, "replay    fencepost run x.yaml --seed 1"));
  CHECK_FALSE(contains(ran, "not reached"));
  CHECK(contains(ran, "1 scenario (1 variant), 1 red"));
  CHECK_FALSE(ran.ok);
}

TEST_CASE("What is not expected to fail has to succeed", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - P.init_producer_id: t\n  - P.end_txn: {result: commit, "
                     "producer_epoch: 9}\n"));
  CHECK(contains(ran, "expected  NONE"));
  CHECK(contains(ran, "actual    PRODUCER_FENCED"));
}

TEST_CASE("A success that was expected to fail is red", "[tools][scenario]") {
  CHECK_FALSE(run(with_steps("  - P.init_producer_id: t\n    expect: PRODUCER_FENCED\n")).ok);
}

TEST_CASE("A property that was to be shown broken and holds is red", "[tools][scenario]") {
  const Ran ran = run(with_steps("  - note: nothing happens\n",
                                 "always: one_epoch_one_writer\n"
                                 "expect: {broken: one_epoch_one_writer}\n"));
  CHECK(contains(ran, "but was expected to be broken"));
  CHECK_FALSE(ran.ok);
}

TEST_CASE("A background step that nobody awaits is red", "[tools][scenario]") {
  const Ran ran = run(with_steps("  - R.recover: state-0\n    as: recovery\n"));
  CHECK(contains(ran, "nobody awaited 'recovery'"));
  CHECK_FALSE(ran.ok);
}

TEST_CASE("A held request whose client crashes never has an answer", "[tools][scenario]") {
  const Ran ran = run(with_steps(
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n    hold: late\n"
      "  - P.crash:\n  - R.watermarks: state-0\n"
      "    expect: {high_watermark: 0, last_stable_offset: 0}\n"));
  CHECK(ran.ok);
}

TEST_CASE("What a real cluster cannot be made to do is refused by step", "[tools][scenario]") {
  const Scenario scenario = parsed(
      "title: t\nvariants: [{name: old, as_version: '3.5'}]\ntopics: {a: {}}\nsteps:\n"
      "  - P.produce: {to: a-0, key: k, value: v}\n  - clock.advance: 1s\n"
      "  - hold: {api: EndTxn, as: x}\n");
  const std::vector<Mistake> mistakes = refusals(scenario);
  REQUIRE(mistakes.size() == 3);
  CHECK(mistakes[0].place.line == 6);
  CHECK(mistakes[0].text.find("'clock.advance' needs the simulated cluster") == 0);
  CHECK(mistakes[1].place.line == 7);
  CHECK(mistakes[2].text.find("variant 'old'") == 0);
}

// ---- what befalls the cluster

TEST_CASE("A broker in no state for a step ends the run with the reason", "[tools][scenario]") {
  const Ran ran = run(with_steps("  - restart: 1\n  - note: never\n"));
  CHECK_FALSE(ran.ok);
  CHECK(contains(ran, "broker 1 is in no state to restart"));
}

TEST_CASE("A dropped request is one of unknown outcome, and did nothing", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - drop: {api: Produce, actor: P}\n"
                     "  - P.produce: {to: state-0, key: k, value: v}\n"
                     "    expect: UNKNOWN_OUTCOME\n"
                     "  - R.read: {from: state-0, isolation: read_uncommitted}\n"
                     "    expect: {records: []}\n"));
  CHECK(contains(ran, "UNKNOWN_OUTCOME"));
  CHECK(ran.ok);
}

TEST_CASE("An error can be the answer of nobody", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - answer_with: {api: Produce, error: NOT_ENOUGH_REPLICAS}\n"
                     "  - P.produce: {to: state-0, key: k, value: v}\n"
                     "    retry: false\n    expect: NOT_ENOUGH_REPLICAS\n"));
  CHECK(contains(ran, "NOT_ENOUGH_REPLICAS"));
  CHECK(ran.ok);
}

TEST_CASE("A commit that is lost with the disk breaks decisions_are_final", "[tools][scenario]") {
  const std::string steps =
      "  - P.init_producer_id: t\n  - P.produce: {to: state-0, key: k, value: v}\n"
      "  - P.end_txn: commit\n  - crash: {broker: 1, unsynced: lost}\n"
      "  - restart: 1\n  - clock.advance: 10s\n";
  const Ran lost = run(with_steps(steps, "finally: [decisions_are_final]\n"));
  CHECK_FALSE(lost.ok);
  CHECK(contains(lost, "offset 0 of state-0 was committed, and is lost"));
  std::string kept = steps;
  kept.replace(kept.find("lost}"), 4, "kept");
  CHECK(run(with_steps(kept, "finally: [decisions_are_final]\n")).ok);
}

TEST_CASE("What a paused broker was asked it answers when it goes on", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - P.init_producer_id: t\n  - pause: 1\n"
                     "  - P.produce: {to: state-0, key: k, value: v}\n    as: late\n"
                     "  - clock.advance: 5s\n  - resume: 1\n  - await: late\n"));
  CHECK(contains(ran, "state-0"));
  CHECK(ran.ok);
}

TEST_CASE("A partitioned client is served again when its link is healed", "[tools][scenario]") {
  const Ran ran =
      run(with_steps("  - P.produce: {to: state-0, key: k, value: v1}\n"
                     "  - partition: {between: P, and: broker-1}\n"
                     "  - P.produce: {to: state-0, key: k, value: v2}\n    as: late\n"
                     "  - Q.produce: {to: state-0, key: k, value: v3}\n"
                     "    expect: {offset: 1}\n"
                     "  - heal: {between: P, and: broker-1}\n"
                     "  - await: late\n    expect: {offset: 2}\n"));
  CHECK(contains(ran, "v3"));
  CHECK(ran.ok);
}
