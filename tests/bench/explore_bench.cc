// What exploring costs: complete schedules and distinct states a second of CPU time on one core,
// for two owners and for the cut points of a commit, and how both grow with one more actor. usage:
// explore_bench scenarios/explore/two-owners.yaml
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

#include "protocol/base/check.h"
#include "tools/scenario/explore/explorer.h"
#include "tools/scenario/parser.h"

namespace fencepost::scenario {
namespace {

constexpr const char* head =
    "title: t\n"
    "settings: {offsets.topic.num.partitions: 1, transaction.state.log.num.partitions: 1}\n"
    "topics: {in: {}, a: {}, b: {}, state: {cleanup.policy: compact}}\n"
    "always: [newest_snapshot_survives, all_or_nothing, one_epoch_one_writer, "
    "decisions_are_final]\n";

std::string owner(const std::string& name, int offset) {
  const std::string at = std::to_string(offset);
  return "  - " + name + ".init_producer_id: x-0\n  - " + name +
         ".txn_offset_commit: {group: g, offsets: {in-0: " + at + "}}\n  - " + name +
         ".produce: {to: state-0, key: sum, value: \"sum@" + at + "\"}\n  - " + name +
         ".end_txn: commit\n";
}

std::string join(const std::string& name) {
  return "  - " + name + ".join: {group: g, topics: in, rebalance_timeout: 10s}\n";
}

void measure(const std::string& name, const Scenario& scenario, const Variant& variant) {
  const std::clock_t began = std::clock();
  const ExploreResult result = explore_variant(scenario, variant, {});
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  CHECK(result.ok());
  std::printf("%-34s %9llu schedules %8llu states %9llu steps  %6.2f s  %9.0f %9.0f %9.0f /s\n",
              name.c_str(), static_cast<unsigned long long>(result.schedules),
              static_cast<unsigned long long>(result.states),
              static_cast<unsigned long long>(result.executed_choices), seconds,
              static_cast<double>(result.schedules) / seconds,
              static_cast<double>(result.states) / seconds,
              static_cast<double>(result.executed_choices) / seconds);
}

void measure(const char* name, const std::string& more, const std::string& steps) {
  const ParsedScenario parsed = parse_scenario(name, head + more + "steps:\n" + steps);
  CHECK(parsed.mistakes.empty());
  measure(name, parsed.scenario, parsed.scenario.variants.front());
}

// All rounds of each variant that holds; the schedules are those of the last.
bool measure_file(const std::string& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  const ParsedScenario parsed = parse_scenario(file, text);
  if (!parsed.mistakes.empty()) {
    std::fprintf(stderr, "explore_bench: %s is not a scenario\n", file.c_str());
    return false;
  }
  const auto& breaks = parsed.scenario.explore->breaks;
  for (const Variant& variant : parsed.scenario.variants)
    if (!breaks.contains(variant.name))
      measure("two-owners.yaml, " + variant.name, parsed.scenario, variant);
  return true;
}

void run() {
  const std::string fence = "variants: [{name: x, fence: generation}]\n";
  const std::string two =
      join("O1") + "  - note: n\n" + owner("O1", 100) + join("O2") + owner("O2", 150);
  const std::string reader = "  - R.read: state-0\n  - R.read: state-0\n";
  measure("two owners", fence, two);
  measure("two owners, one request held", fence + "explore: {held: 1}\n", two);
  measure("two owners and a reader", fence, two + reader);
  const std::string commit =
      "  - P.init_producer_id: t\n  - P.txn_offset_commit: {group: h, offsets: {in-0: 5}}\n"
      "  - P.produce: {to: a-0, key: k, value: m1}\n"
      "  - P.produce: {to: b-0, key: k, value: m2}\n  - P.end_txn: commit\n";
  measure("cut points of a commit", "explore: {crashes: 1}\n", commit);
  measure("cut points and a second producer", "explore: {crashes: 1}\n",
          commit +
              "  - Q.init_producer_id: u\n  - Q.produce: {to: a-0, key: k, value: q1}\n"
              "  - Q.end_txn: abort\n");
}

}  // namespace
}  // namespace fencepost::scenario

int main(int count, char** arguments) {
  if (count != 2 || !fencepost::scenario::measure_file(arguments[1])) return 2;
  fencepost::scenario::run();
}
