// Scenario files: what a good one becomes, and how each kind of mistake is reported.
#include "tools/scenario/parser.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

namespace {

const std::string head = "title: t\ntopics: {state: {cleanup.policy: compact}, in: {}}\nsteps:\n";

Scenario good(const std::string& text) {
  ParsedScenario parsed = parse_scenario("x.yaml", text);
  for (const Mistake& mistake : parsed.mistakes) UNSCOPED_INFO(to_string("x.yaml", mistake));
  REQUIRE(parsed.mistakes.empty());
  return parsed.scenario;
}

// The mistakes of a file, one a line.
std::string mistakes_of(const std::string& text) {
  std::string lines;
  for (const Mistake& mistake : parse_scenario("x.yaml", text).mistakes)
    lines += to_string("x.yaml", mistake) + "\n";
  return lines;
}

std::string mistakes_of_steps(const std::string& steps) {
  return mistakes_of(head + steps);
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A step has its actor, verb, arguments and expectation", "[tools][scenario]") {
  const Scenario scenario = good(head +
                                 "  - P1.init_producer_id: {transactional_id: x, "
                                 "transaction_timeout: 90s}\n"
                                 "    expect: {producer_epoch: 0}\n"
                                 "  - P1.produce: {to: state-0, key: k1, value: null}\n"
                                 "    hold: late\n"
                                 "  - P1.end_txn: abort\n"
                                 "    expect: [PRODUCER_FENCED, INVALID_PRODUCER_EPOCH]\n");
  REQUIRE(scenario.steps.size() == 3);
  const Step& init = scenario.steps[0];
  CHECK(init.actor == "P1");
  CHECK(init.verb->name == "init_producer_id");
  CHECK(init.place == Place{4, 5});
  CHECK(init.arguments.duration("transaction_timeout") == Duration(std::chrono::seconds(90)));
  REQUIRE(init.expect->in("") != nullptr);
  CHECK(init.expect->in("")->values.find("producer_epoch")->text == "0");
  CHECK(scenario.steps[1].arguments.is_null("value"));
  CHECK(scenario.steps[1].hold == "late");
  CHECK(scenario.steps[2].arguments.text("result") == "abort");
  CHECK(scenario.steps[2].expect->in("")->errors.size() == 2);
}

TEST_CASE("Expectations differ by variant", "[tools][scenario]") {
  const Scenario scenario = good(
      "title: t\nvariants: [{name: old, as_version: '3.5'}, {name: new}]\n"
      "topics: {a: {}}\nsteps:\n"
      "  - P.produce: {to: a-0, key: k, value: v}\n"
      "    expect: {old: {offset: 0}, otherwise: INVALID_TXN_STATE}\n"
      "  - P.read: a-0\n    only: old\n");
  const Step& produce = scenario.steps[0];
  CHECK(produce.expect->in("old")->errors.empty());
  CHECK(produce.expect->in("new")->errors == std::vector<std::string>{"INVALID_TXN_STATE"});
  CHECK(scenario.steps[1].runs_in("old"));
  CHECK_FALSE(scenario.steps[1].runs_in("new"));
  CHECK(scenario.variants[0].as_version == "3.5");
}

TEST_CASE("A scenario without variants runs in one unnamed world", "[tools][scenario]") {
  const Scenario scenario = good(head + "  - note: hello\n");
  REQUIRE(scenario.variants.size() == 1);
  CHECK(scenario.variants[0].name.empty());
}

TEST_CASE("Hold is an option beside a verb and a verb of its own", "[tools][scenario]") {
  const Scenario scenario =
      good(head +
           "  - hold: {api: WriteTxnMarkers, topic: state, as: markers}\n"
           "  - P.produce: {to: state-0, key: k, value: v}\n    hold: late\n"
           "  - release: markers\n  - release: late\n    expect: INVALID_TXN_STATE\n");
  CHECK(scenario.steps[0].verb->name == "hold");
  CHECK(scenario.steps[0].arguments.text("api") == "WriteTxnMarkers");
  CHECK(scenario.steps[1].hold == "late");
}

// ---- mistakes

TEST_CASE("Bad YAML is reported with its place", "[tools][scenario]") {
  CHECK(contains(mistakes_of("title: t\nsteps: [a, b\n"), "x.yaml:3:1: not valid YAML"));
  CHECK(contains(mistakes_of(""), "x.yaml:1:1: the file is empty"));
  CHECK(contains(mistakes_of("- a\n"), "a scenario is a map"));
  CHECK(contains(mistakes_of("title: a\ntitle: b\nsteps: []\n"), "x.yaml:2:1: 'title' is given"));
}

TEST_CASE("An alias that unfolds without bound is refused", "[tools][scenario]") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  CHECK(contains(mistakes_of(text), "too large or too deep"));
}

TEST_CASE("An unknown verb names the nearest one", "[tools][scenario]") {
  CHECK(mistakes_of_steps("  - P.prodcue: {to: state-0, key: a, value: b}\n") ==
        "x.yaml:4:5: no verb 'prodcue'; did you mean produce\n");
  CHECK(contains(mistakes_of_steps("  - awiat: x\n"), "no verb 'awiat' without an actor"));
  CHECK(contains(mistakes_of_steps("  - produce: {to: state-0}\n"), "write ACTOR.produce"));
  CHECK(contains(mistakes_of_steps("  - clock.advanec: 1s\n"), "did you mean advance"));
}

TEST_CASE("Steps that befall the cluster are checked before anything runs", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - crash_at: after_prepare_comit\n"),
                 "did you mean after_prepare_commit"));
  CHECK(contains(mistakes_of_steps("  - crash: 2\n"), "there is no broker 2; they are 1 to 1"));
  CHECK(contains(mistakes_of_steps("  - drop: {api: EndTxm}\n"), "did you mean EndTxn"));
  CHECK(contains(mistakes_of_steps("  - answer_with: {api: EndTxn, error: NOT_CORDINATOR}\n"),
                 "did you mean NOT_COORDINATOR"));
  CHECK(contains(mistakes_of_steps("  - answer_with: {api: Metadata, error: NOT_CONTROLLER}\n"),
                 "has no place for one error"));
  CHECK(contains(mistakes_of_steps("  - partition: {between: broker-1}\n"), "'partition' needs"));
  CHECK(contains(mistakes_of_steps("  - heal: {between: broker-1}\n"), "a link has two sides"));
  CHECK(contains(mistakes_of_steps("  - P.crash: 1\n"), "'crash' takes"));
}

TEST_CASE("A client and a broker crash by the same word", "[tools][scenario]") {
  const Scenario scenario = good(head + "  - P.crash:\n  - crash: {broker: 1, unsynced: lost}\n");
  CHECK(scenario.steps.at(0).verb->kind == VerbKind::actor);
  CHECK(scenario.steps.at(1).verb->kind == VerbKind::world);
  CHECK(scenario.steps.at(1).arguments.text("unsynced") == "lost");
}

TEST_CASE("Unknown keys are reported wherever they stand", "[tools][scenario]") {
  CHECK(contains(mistakes_of("title: t\nquestoin: q\nsteps: [{note: x}]\n"),
                 "x.yaml:2:1: a scenario has no 'questoin'; did you mean question"));
  CHECK(contains(mistakes_of_steps("  - P.produce: {to: state-0, kye: a, value: b}\n"),
                 "'produce' has no argument 'kye'; did you mean key"));
  CHECK(contains(mistakes_of_steps("  - P.read: state-0\n    expcet: NONE\n"), "a step is one"));
  CHECK(contains(mistakes_of("title: t\ntopics: {a: {cleanup.polcy: x}}\nsteps: [{note: x}]\n"),
                 "did you mean cleanup.policy"));
  CHECK(contains(mistakes_of("title: t\nsettings: {num.partition: 3}\nsteps: [{note: x}]\n"),
                 "did you mean num.partitions"));
}

TEST_CASE("Wrong types and units are reported", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - clock.advance: 71\n"), "'71' has no unit; write 500ms"));
  CHECK(contains(mistakes_of_steps("  - clock.advance: 71sec\n"), "no valid unit"));
  CHECK(contains(mistakes_of_steps("  - clock.advance: soon\n"), "is not a duration"));
  CHECK(contains(mistakes_of("title: t\nsettings: {simulated.first.producer.epoch: 32767}\n"
                             "steps: [{note: x}]\n"),
                 "has to be an integer from 0 to 32766, not '32767'"));
  CHECK(contains(mistakes_of("title: t\nsettings: {simulated.coordinator.load.ms: soon}\n"
                             "steps: [{note: x}]\n"),
                 "is not a duration"));
  CHECK(contains(mistakes_of_steps("  - P.read: state\n"), "has to be a partition such as"));
  CHECK(contains(mistakes_of_steps("  - P.fetch: {from: state-0, offset: x}\n"), "whole number"));
  CHECK(contains(mistakes_of_steps("  - P.init_producer_id: a\n  - P.end_txn: comit\n"),
                 "'comit' is not a value of 'result'; did you mean commit"));
  CHECK(contains(mistakes_of("title: t\nbrokers: many\nsteps: [{note: x}]\n"), "from 1 to 9"));
  CHECK(contains(mistakes_of("title: t\nas_version: '3.4'\nsteps: [{note: x}]\n"),
                 "no brokers of version '3.4'"));
}

TEST_CASE("A topic that was never declared is reported", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - P.read: stat-0\n"),
                 "topic 'stat' is not declared; did you mean state"));
  CHECK(contains(mistakes_of_steps("  - P.read: state-1\n"), "there is no state-1"));
  CHECK(contains(mistakes_of_steps("  - P.offset_fetch: {group: g, partitions: [in-0, im-0]}\n"),
                 "topic 'im' is not declared"));
  CHECK(mistakes_of_steps("  - P.create_topics: fresh\n  - P.read: fresh-0\n").empty());
}

TEST_CASE("Names have to be started or held before they are used", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - R.recover: state-0\n    as: recovery\n"
                                   "  - await: recovry\n"),
                 "no earlier step was started as 'recovry'; did you mean recovery"));
  CHECK(contains(mistakes_of_steps("  - release: x\n"), "nothing is held as 'x'"));
}

TEST_CASE("An actor cannot use what it was never given", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - P.end_txn: commit\n"), "'P' has no producer id here"));
  CHECK(contains(mistakes_of_steps("  - P.init_producer_id: x\n  - P.crash:\n"
                                   "  - P.end_txn: commit\n"),
                 "x.yaml:6:5: 'P' has no producer id here"));
  CHECK(contains(mistakes_of_steps("  - C.heartbeat:\n"), "'C' has no group here"));
  CHECK(mistakes_of_steps("  - Z.end_txn: {result: commit, transactional_id: x, producer_id: 1, "
                          "producer_epoch: 0}\n")
            .empty());
}

TEST_CASE("Expectations are checked against the verb's answer", "[tools][scenario]") {
  CHECK(contains(mistakes_of_steps("  - P.read: state-0\n    expect: PRODUCER_FENCD\n"),
                 "did you mean PRODUCER_FENCED"));
  CHECK(contains(mistakes_of_steps("  - P.read: state-0\n    expect: {recrods: []}\n"),
                 "the answer of 'read' has no 'recrods'; did you mean records"));
  CHECK(contains(mistakes_of_steps("  - P.read: state-0\n    expect: {records: 3}\n"),
                 "'records' is a list"));
  CHECK(contains(mistakes_of_steps("  - R.recover: state-0\n    as: r\n"
                                   "  - await: r\n    expect: {offset: 3}\n"),
                 "the answer of 'recover' has no 'offset'"));
}

TEST_CASE("Several mistakes are reported at once, in order of place", "[tools][scenario]") {
  const std::string lines = mistakes_of_steps(
      "  - P.produce: {to: stat-0, key: a, value: b}\n"
      "  - P.raed: state-0\n"
      "  - clock.advance: 5\n");
  CHECK(lines ==
        "x.yaml:4:5: topic 'stat' is not declared; did you mean state\n"
        "x.yaml:5:5: no verb 'raed'; did you mean read\n"
        "x.yaml:6:20: '5' has no unit; write 500ms, 60s, 2m or 1h\n");
}

TEST_CASE("A property shown broken has to be watched", "[tools][scenario]") {
  CHECK(contains(mistakes_of("title: t\nexpect: {broken: one_epoch_one_writer}\n"
                             "steps: [{note: x}]\n"),
                 "in neither 'always' nor 'finally'"));
  CHECK(contains(mistakes_of("title: t\nfinally: newest_snapshot_survive\nsteps: [{note: x}]\n"),
                 "did you mean newest_snapshot_survives"));
  const Scenario scenario = good(
      "title: t\nvariants: [{name: a}, {name: b}]\nfinally: newest_snapshot_survives\n"
      "expect: {a: {broken: newest_snapshot_survives}}\nsteps: [{note: x}]\n");
  CHECK(scenario.broken.at("a").size() == 1);
  CHECK(scenario.broken.count("b") == 0);
}
