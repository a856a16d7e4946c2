// The command line of `fencepost conform`: a cluster against another, or against the minibroker in
// this process that looks like it.
#include "tools/conform.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/cluster_command.h"
#include "tools/conform/as_scenario.h"
#include "tools/conform/match.h"
#include "tools/conform/opponent.h"
#include "tools/exit_code.h"
#include "tools/scenario_files.h"
#include "tools/table.h"

namespace fencepost::tools {

namespace {

using conform::Contestant;
using conform::Outcome;

struct ConformOptions {
  ClusterOptions cluster;
  std::string against;
  std::string as_version;
  conform::OpponentOptions opponent;
  conform::MatchOptions match;
  std::string replay_file;
  std::string output_file;
  bool is_json = false;
};

// Both sides, and who they are.
struct Sides {
  std::unique_ptr<ClusterCommand> one_command;
  std::unique_ptr<ClusterCommand> other_command;
  std::unique_ptr<conform::Side> one_side;
  std::unique_ptr<conform::Side> other_side;
  Contestant one;
  Contestant other;
  conform::Names names;
};

Result<std::unique_ptr<conform::Side>> connect(const ClusterOptions& options,
                                               std::unique_ptr<ClusterCommand>& command) {
  Result<std::unique_ptr<ClusterCommand>> made = ClusterCommand::make(options);
  if (!made) return made.error();
  command = std::move(*made);
  return conform::make_cluster_side(*command);
}

Result<void> get_to_know(conform::Side& side, Contestant& contestant) {
  Result<conform::Acquaintance> known = conform::get_to_know(side);
  if (!known) return known.error();
  contestant = {&side, std::move(*known)};
  return {};
}

// The minibroker, and what was taken over from the cluster.
Result<void> make_opponent(const ConformOptions& options, Sides& sides) {
  Result<conform::Opponent> opponent =
      conform::opponent_of(*sides.one_side, sides.one.known, options.opponent);
  if (!opponent) return opponent.error();
  sides.names.other = "minibroker " + opponent->settings.era.name;
  if (!options.is_json) {
    fmt::print("in-process: minibroker as Kafka {}\n", opponent->settings.era.name);
    for (const std::string& note : opponent->notes) fmt::print("  as the cluster: {}\n", note);
  }
  sides.one.known.join_delay = opponent->settings.group_initial_rebalance_delay;
  sides.other_side = conform::make_simulated_side(std::move(opponent->settings));
  return {};
}

Result<std::unique_ptr<Sides>> make_sides(const ConformOptions& options) {
  auto sides = std::make_unique<Sides>();
  Result<std::unique_ptr<conform::Side>> one = connect(options.cluster, sides->one_command);
  if (!one) return one.error();
  sides->one_side = std::move(*one);
  if (Result<void> known = get_to_know(*sides->one_side, sides->one); !known) return known.error();
  sides->names.one = options.cluster.bootstrap;
  sides->names.as_version = conform::most_similar_era(sides->one.known.offer).name;
  if (options.against.empty()) {
    if (Result<void> made = make_opponent(options, *sides); !made) return made.error();
  } else {
    ClusterOptions against = options.cluster;
    against.bootstrap = options.against;
    Result<std::unique_ptr<conform::Side>> other = connect(against, sides->other_command);
    if (!other) return other.error();
    sides->other_side = std::move(*other);
    sides->names.other = options.against;
  }
  if (Result<void> known = get_to_know(*sides->other_side, sides->other); !known)
    return known.error();
  return sides;
}

// ---- what is printed

std::string offered(int version) {
  return version < 0 ? "not offered" : fmt::format("up to v{}", version);
}

Table table_of(const Outcome& outcome) {
  Table table{{"Api", "Equal", "Different"}, {}};
  for (const auto& [api, tally] : outcome.tallies)
    table.rows.push_back({std::string(protocol::to_string(api)), std::int64_t{tally.equal},
                          std::int64_t{tally.different}});
  return table;
}

void print_json(const Outcome& outcome) {
  fmt::print("{}", to_json_lines(table_of(outcome)));
  nlohmann::json summary = {{"programs", outcome.programs},
                            {"equalPrograms", outcome.equal_programs},
                            {"answers", outcome.answers()},
                            {"equalAnswers", outcome.equal_answers()}};
  summary["offers"] = nlohmann::json::array();
  for (const conform::OfferDifference& it : outcome.offers)
    summary["offers"].push_back(
        {{"api", protocol::to_string(it.api)}, {"one", it.one}, {"other", it.other}});
  summary["differences"] = nlohmann::json::array();
  for (const conform::Found& it : outcome.found) {
    nlohmann::json steps = nlohmann::json::array();
    for (const conform::Step& step : it.shrunk.program.steps)
      steps.push_back(nlohmann::json::parse(conform::to_line(step)));
    summary["differences"].push_back({{"seed", it.seed},
                                      {"steps", steps},
                                      {"one", it.shrunk.played.difference->one},
                                      {"other", it.shrunk.played.difference->other}});
  }
  fmt::print("{}\n", summary.dump());
}

void print_text(const Outcome& outcome, const conform::Names& names) {
  fmt::print("\n{}", to_text(table_of(outcome)));
  for (const conform::OfferDifference& it : outcome.offers)
    fmt::print("{} is {} by {} and {} by {}\n", protocol::to_string(it.api), offered(it.one),
               names.one, offered(it.other), names.other);
  for (const conform::Found& it : outcome.found) {
    const conform::Difference& difference = *it.shrunk.played.difference;
    const conform::Step& step = it.shrunk.program.steps[difference.step];
    fmt::print("\nseed {}, {} v{} after {} steps\n  {}: {}\n  {}: {}\n", it.seed,
               protocol::to_string(step.api), step.version, difference.step, names.one,
               difference.one, names.other, difference.other);
  }
  fmt::print("\n{} of {} programs equal to the end; {} of {} answers equal\n",
             outcome.equal_programs, outcome.programs, outcome.equal_answers(), outcome.answers());
}

// The shortest differing program, to the file or behind everything else.
int write_scenario(const ConformOptions& options, const Outcome& outcome,
                   const conform::Names& names) {
  if (outcome.found.empty()) return exit_held;
  const conform::Shrunk& shortest = outcome.found.front().shrunk;
  const std::string text = conform::scenario_text(shortest.program, shortest.played, names);
  if (options.output_file.empty()) {
    if (!options.is_json) fmt::print("\n{}", text);
    return exit_held;
  }
  std::ofstream file(options.output_file);
  file << text;
  file.flush();
  return file ? exit_held : refuse("fencepost conform: cannot write " + options.output_file);
}

Result<Outcome> play_all(const ConformOptions& options, const Sides& sides) {
  if (!options.replay_file.empty()) {
    std::ifstream file(options.replay_file);
    if (!file) return Error{ErrorKind::invalid_argument, "cannot read " + options.replay_file};
    std::stringstream text;
    text << file.rdbuf();
    Result<conform::Program> program = conform::read_program(text.str());
    if (!program) return Error{ErrorKind::invalid_argument, program.error().text};
    return conform::run_program(*program, sides.one, sides.other, options.match);
  }
  const bool shows_progress = isatty(STDERR_FILENO) != 0;
  Outcome outcome =
      conform::run_match(sides.one, sides.other, options.match, [&](int programs, int equal) {
        if (shows_progress) fmt::print(stderr, "\r{} programs, {} equal", programs, equal);
      });
  if (shows_progress) fmt::print(stderr, "\r\x1b[K");
  return outcome;
}

int run(ConformOptions options) {
  if (!options.as_version.empty()) {
    if (!options.against.empty())
      return refuse("fencepost conform: a second cluster is what it is; leave out --as-version");
    if (!check_as_version("fencepost conform", options.as_version)) return exit_wrong_input;
    options.opponent.era = minibroker::find_era(options.as_version);
  }
  Result<std::unique_ptr<Sides>> sides = make_sides(options);
  if (!sides) return report_error("conform", sides.error());
  options.match.run_name = fmt::format("conform-{:x}", to_timestamp((*sides)->one_side->now()));
  const Result<Outcome> outcome = play_all(options, **sides);
  if (!outcome) return report_error("conform", outcome.error());
  if (options.is_json)
    print_json(*outcome);
  else
    print_text(*outcome, (*sides)->names);
  if (!outcome->unsent.empty())
    fmt::print(stderr, "fencepost conform: not sent: {}\n", outcome->unsent);
  if (const int written = write_scenario(options, *outcome, (*sides)->names); written != exit_held)
    return written;
  return outcome->is_equal() && outcome->programs > 0 ? exit_held : exit_not_held;
}

}  // namespace

void add_conform(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ConformOptions>();
  CLI::App* conform = app.add_subcommand(
      "conform", "Play random programs to a cluster and to the minibroker; every answer compared");
  options->cluster.add_to(*conform);
  CLI::Option* against =
      conform->add_option("--against", options->against, "A second cluster, not the minibroker");
  conform->add_option("--as-version", options->as_version,
                      "Kafka release that the minibroker behaves as; default: as the cluster");
  conform
      ->add_option("--feature", options->opponent.features,
                   "Level of a feature of the minibroker, as transaction.version=0")
      ->excludes(against);
  conform
      ->add_option("-c,--config", options->opponent.configuration,
                   "Setting of the minibroker by Kafka's name, as key=value")
      ->excludes(against);
  conform->add_option("--seed", options->match.seed, "Of the first program")->capture_default_str();
  conform->add_option("--programs", options->match.programs, "How many")->capture_default_str();
  conform->add_option("--steps", options->match.steps, "Of each program")->capture_default_str();
  conform->add_option("--replay", options->replay_file, "Play the program in this file again");
  conform->add_option("--out", options->output_file,
                      "Write the shortest differing program to this file");
  conform->add_flag("--json", options->is_json, "One JSON object an API, and a summary");
  conform->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fencepost::tools
