// conform against itself: two minibrokers in this process, of one release or of two.
#include <set>

#include "minibroker/defects.h"
#include "minibroker/era.h"
#include "tests/catch.h"
#include "tools/conform/as_scenario.h"
#include "tools/conform/match.h"
#include "tools/conform/opponent.h"
#include "tools/scenario/parser.h"

using namespace fencepost;
using namespace fencepost::conform;

namespace {

minibroker::ClusterSettings settings_of(const std::string& release) {
  minibroker::ClusterSettings settings;
  settings.era = minibroker::find_era(release).value();
  settings.start = Instant(std::chrono::hours(24 * 365 * 55));
  settings.group_initial_rebalance_delay = {};
  return settings;
}

struct Pair {
  Pair(const minibroker::ClusterSettings& first, const minibroker::ClusterSettings& second)
      : one_side(make_simulated_side(first)), other_side(make_simulated_side(second)) {
    one = {one_side.get(), get_to_know(*one_side).value()};
    other = {other_side.get(), get_to_know(*other_side).value()};
  }
  Outcome run(std::uint64_t seed, int programs, int steps = 60) {
    MatchOptions options;
    options.seed = seed;
    options.programs = programs;
    options.steps = steps;
    options.run_name = "run" + std::to_string(++runs);
    return run_match(one, other, options, [](int, int) {});
  }
  Offer offer() const { return common_offer(one.known.offer, other.known.offer); }

  std::unique_ptr<Side> one_side;
  std::unique_ptr<Side> other_side;
  Contestant one;
  Contestant other;
  int runs = 0;
};

Offer offer_of(const std::string& release) {
  const auto side = make_simulated_side(settings_of(release));
  return get_to_know(*side).value().offer;
}

Played play_once(Pair& pair, const Program& program) {
  return play(program, pair.one, pair.other, "once" + std::to_string(++pair.runs) + "-");
}

}  // namespace

TEST_CASE("one seed gives one program, another seed another", "[tools][conform]") {
  const Offer offer = offer_of("4.4");
  CHECK(generate(7, 60, offer) == generate(7, 60, offer));
  CHECK_FALSE(generate(7, 60, offer).steps == generate(8, 60, offer).steps);
  CHECK(generate(7, 60, offer).steps.size() >= 60);
}

TEST_CASE("programs ask for nothing that one of the two does not offer", "[tools][conform]") {
  const Offer both = common_offer(offer_of("4.4"), offer_of("3.5"));
  std::set<protocol::ApiKey> asked;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Step& step : generate(seed, 60, both).steps) {
      CHECK(both.versions_of(step.api).contains(step.version));
      asked.insert(step.api);
    }
  CHECK(asked.size() >= 30);
  CHECK_FALSE(asked.contains(protocol::ApiKey::consumer_group_heartbeat));
}

TEST_CASE("two brokers of one release answer every program alike", "[tools][conform]") {
  for (const char* release : {"2.8", "3.9", "4.4"}) {
    Pair pair(settings_of(release), settings_of(release));
    const Outcome outcome = pair.run(1, 4, 40);
    INFO(release);
    CHECK(outcome.unsent == "");
    CHECK(outcome.is_equal());
    CHECK(outcome.answers() > 100);
  }
}

TEST_CASE("brokers of two releases differ, and a few steps show it", "[tools][conform]") {
  Pair pair(settings_of("4.4"), settings_of("3.9"));
  const Outcome outcome = pair.run(1, 4);
  CHECK(outcome.equal_programs < outcome.programs);
  CHECK_FALSE(outcome.offers.empty());
  REQUIRE_FALSE(outcome.found.empty());
  CHECK(outcome.found.front().shrunk.program.steps.size() <= 4);
}

TEST_CASE("a broker that makes a mistake differs from one that does not", "[tools][conform]") {
  for (const char* name : {"takeover_keeps_epoch", "stable_offset_past_transaction",
                           "last_marker_missing", "duplicates_appended", "generation_unchecked"}) {
    minibroker::ClusterSettings wrong = settings_of("4.4");
    wrong.era.defect = minibroker::find_defect(name).value();
    Pair pair(settings_of("4.4"), wrong);
    INFO(name);
    CHECK_FALSE(pair.run(1, 8).is_equal());
  }
}

TEST_CASE("a differing program is a scenario file that can be read, and played again",
          "[tools][conform]") {
  Pair pair(settings_of("4.4"), settings_of("3.9"));
  const Outcome outcome = pair.run(1, 4);
  REQUIRE_FALSE(outcome.found.empty());
  for (const Found& found : outcome.found) {
    const std::string text = scenario_text(found.shrunk.program, found.shrunk.played,
                                           {"A:9092", "minibroker 3.9", "4.4"});
    INFO(text);
    const scenario::ParsedScenario parsed = scenario::parse_scenario("found.yaml", text);
    for (const scenario::Mistake& mistake : parsed.mistakes) UNSCOPED_INFO(mistake.text);
    CHECK(parsed.mistakes.empty());
    const Result<Program> again = read_program(text);
    REQUIRE(again);
    CHECK(again->steps == found.shrunk.program.steps);
    CHECK(play_once(pair, *again).difference.has_value());
  }
}

TEST_CASE("a file without a program is refused, and so is a step that is none",
          "[tools][conform]") {
  CHECK_FALSE(read_program("title: nothing\n"));
  const Result<Program> wrong = read_program("title: x\n#! {\"api\":\"EndTxn\"}\n");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().text.find("line 2") != std::string::npos);
  CHECK_FALSE(parse_step(R"({"api":"NoSuchApi","version":1,"body":{}})"));
}

TEST_CASE("the release is told by what a cluster offers", "[tools][conform]") {
  for (const char* release : {"2.8", "3.5", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4"})
    CHECK(most_similar_era(offer_of(release)).name == release);
}

TEST_CASE("shrinking keeps only what the difference needs", "[tools][conform]") {
  Program program;
  for (int i = 0; i < 40; ++i)
    program.steps.push_back({protocol::ApiKey::end_txn, i, R"({"list":[1,2,3]})", ""});
  // It differs in version 30, if 10 and 20 came before and the list of 30 has a 2.
  int plays = 0;
  const PlayAgain play_again = [&plays](const Program& it) {
    ++plays;
    std::set<int> seen;
    Played played;
    for (std::size_t i = 0; i < it.steps.size(); ++i) {
      const Step& step = it.steps[i];
      const bool is_it = step.version == 30 && seen.contains(10) && seen.contains(20) &&
                         step.body.find('2') != std::string::npos;
      if (is_it) {
        played.difference = Difference{i, "a", "b"};
        return played;
      }
      seen.insert(step.version);
    }
    return played;
  };
  const Shrunk shrunk = shrink(program, play_again(program), play_again, 500);
  REQUIRE(shrunk.program.steps.size() == 3);
  CHECK(shrunk.program.steps[2].version == 30);
  CHECK(shrunk.program.steps[2].body == R"({"list":[2]})");
  CHECK(shrunk.plays + 1 == plays);
  CHECK(shrunk.plays < 200);
  CHECK(shrink(program, play_again(program), play_again, 0).program.steps.size() == 31);
}

// ---- what real brokers were seen to answer where ours answered otherwise

namespace {

// The answer to the last of these steps.
std::string last_answer(const std::string& release, const std::string& steps) {
  Pair pair(settings_of(release), settings_of(release));
  const Program program = read_program(steps).value();
  return play_once(pair, program).exchanges.back().answer;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Fetch by the zero id of no topic is UNKNOWN_TOPIC_ID", "[tools][conform]") {
  CHECK(
      contains(last_answer("4.4", R"(#! {"api":"Fetch","version":13,"body":{"topics":[{"topicId":)"
                                  R"("AAAAAAAAAAAAAAAAAAAAAA","partitions":[{"partition":0}]}]}})"),
               "UNKNOWN_TOPIC_ID"));
}

TEST_CASE("a wrong value for a topic that is not there is INVALID_CONFIG", "[tools][conform]") {
  const std::string steps =
      R"(#! {"api":"IncrementalAlterConfigs","version":1,"body":{"resources":[{"resourceType":2,)"
      R"("resourceName":"~nowhere","configs":[{"name":"segment.bytes","configOperation":0,)"
      R"("value":"VALUE"}]}]}})";
  const auto answer = [&steps](const std::string& value) {
    std::string text = steps;
    return last_answer("4.4", text.replace(text.find("VALUE"), 5, value));
  };
  CHECK(contains(answer("x"), "INVALID_CONFIG"));
  CHECK(contains(answer("2000000"), "UNKNOWN_TOPIC_OR_PARTITION"));
}

TEST_CASE("an ACL filter that cannot be read closes the connection, authorizer or not",
          "[tools][conform]") {
  for (const std::string api : {"DescribeAcls", "DeleteAcls"}) {
    const std::string filter =
        R"("resourceTypeFilter":0,"patternTypeFilter":1,"operation":1,"permissionType":1)";
    const std::string body =
        api == "DescribeAcls" ? "{" + filter + "}" : "{\"filters\":[{" + filter + "}]}";
    CHECK(last_answer("4.4", "#! {\"api\":\"" + api + "\",\"version\":3,\"body\":" + body + "}") ==
          "the connection was closed");
  }
}

TEST_CASE("markers for nobody are refused as a whole", "[tools][conform]") {
  const std::string create =
      R"(#! {"api":"CreateTopics","version":7,"body":{"topics":[{"name":"~x","numPartitions":1,)"
      R"("replicationFactor":1}]}})";
  const std::string answer = last_answer(
      "4.4", create + "\n" +
                 R"(#! {"api":"WriteTxnMarkers","version":1,"body":{"markers":[{"producerId":-1,)"
                 R"("producerEpoch":0,"topics":[{"name":"~x","partitionIndexes":[0]}]}]}})");
  CHECK(contains(answer, "UNKNOWN_SERVER_ERROR"));
}

TEST_CASE("a commit of partitions that are not there makes no group", "[tools][conform]") {
  const std::string steps =
      R"(#! {"api":"OffsetCommit","version":8,"body":{"groupId":"~g","topics":[{"name":"~nowhere",)"
      R"("partitions":[{"partitionIndex":0,"committedOffset":1}]}]}})"
      "\n"
      R"(#! {"api":"ListGroups","version":5,"body":{}})";
  CHECK(last_answer("4.4", steps) == R"({"errorCode":"NONE","groups":[]})");
}

TEST_CASE("a topic of Kafka 3.9 is described with the keys of Kafka 3.9", "[tools][conform]") {
  const std::string steps =
      R"(#! {"api":"CreateTopics","version":7,"body":{"topics":[{"name":"~x","numPartitions":1,)"
      R"("replicationFactor":1}]}})";
  CHECK(contains(last_answer("3.9", steps), "message.format.version"));
  CHECK_FALSE(contains(last_answer("3.9", steps), "errors.deadletterqueue"));
  CHECK(contains(last_answer("3.9", steps),
                 R"("name":"message.timestamp.after.max.ms","readOnly":false,"value":"9223)"));
  CHECK_FALSE(contains(last_answer("4.4", steps), "message.format.version"));
  CHECK(contains(last_answer("4.4", steps),
                 R"("name":"message.timestamp.after.max.ms","readOnly":false,"value":"3600000")"));
}

TEST_CASE("before Kafka 4 a refused transactional commit leaves an empty group",
          "[tools][conform]") {
  const std::string steps =
      R"(#! {"api":"CreateTopics","version":5,"body":{"topics":[{"name":"~x","numPartitions":1,)"
      R"("replicationFactor":1}]}})"
      "\n"
      R"(#! {"api":"TxnOffsetCommit","version":2,"body":{"groupId":"~g","transactionalId":"~t",)"
      R"("producerId":5,"producerEpoch":0,"topics":[{"name":"~x","partitions":[{"partitionIndex":0,)"
      R"("committedOffset":1}]}]}})"
      "\n"
      R"(#! {"api":"DescribeGroups","version":0,"body":{"groups":["~g"]}})";
  CHECK(contains(last_answer("3.9", steps), "Empty"));
  CHECK(contains(last_answer("4.4", steps), "Dead"));
}

TEST_CASE("before Kafka 4.1 a new owner of an id shows when its last transaction began",
          "[tools][conform]") {
  const std::string init =
      R"(#! {"api":"InitProducerId","version":4,"actor":"t","body":{"transactionalId":"~t",)"
      R"("transactionTimeoutMs":60000}})"
      "\n";
  const std::string steps =
      R"(#! {"api":"CreateTopics","version":5,"body":{"topics":[{"name":"~x","numPartitions":1,)"
      R"("replicationFactor":1}]}})"
      "\n" +
      init +
      R"(#! {"api":"AddPartitionsToTxn","version":3,"actor":"t","body":{)"
      R"("v3AndBelowTransactionalId":"~t","v3AndBelowProducerId":"$producer t",)"
      R"("v3AndBelowProducerEpoch":"$epoch t","v3AndBelowTopics":[{"name":"~x","partitions":[0]}]}})"
      "\n" +
      init + R"(#! {"api":"DescribeTransactions","version":0,"body":{"transactionalIds":["~t"]}})";
  CHECK(contains(last_answer("3.9", steps), R"("transactionStartTimeMs":"now")"));
  CHECK(contains(last_answer("4.4", steps), R"("transactionStartTimeMs":-1)"));
}
