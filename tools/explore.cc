// The command line of `fencepost explore`, what it prints while it goes on, and what it found.
#include "tools/explore.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "minibroker/defects.h"
#include "tools/exit_code.h"
#include "tools/explore_table.h"
#include "tools/scenario/explore/cut_table.h"
#include "tools/scenario/explore/explorer.h"
#include "tools/scenario/explore/progress.h"
#include "tools/scenario_files.h"

namespace fencepost::tools {

namespace {

using scenario::ExploreResult;
using scenario::SearchProgress;
using Seconds = std::chrono::duration<double>;

struct ExploreCommand {
  std::vector<std::string> files;
  std::string out;
  std::string as_version;
  std::uint64_t random = 0;
  std::uint64_t seed = 1;
  int jobs = 1;
  bool is_json = false;
  bool lists_defects = false;
  bool is_table = false;
};

// Ctrl-C ends the search, not the program: what is finished is still printed.
volatile std::sig_atomic_t is_interrupted = 0;

void interrupt(int) {
  is_interrupted = 1;
}

// One line on the terminal, written anew twice a second.
class ProgressLine {
 public:
  ProgressLine() : is_shown_(isatty(STDERR_FILENO) != 0) {}

  void show(const std::string& variant, int round, int rounds, const SearchProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (round != round_ || variant != variant_) began_ = now;
    round_ = round;
    variant_ = variant;
    const bool is_due = now - shown_ >= std::chrono::milliseconds(500);
    if (!is_shown_ || !is_due || !progress.is_worth_showing) return;
    shown_ = now;
    fmt::print(
        stderr, "\r\033[K  {}",
        scenario::progress_text(variant, round, rounds, progress, Seconds(now - began_).count()));
  }

  // Another process may have written it.
  void clear() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool is_shown_;
  int round_ = -1;
  std::string variant_;
  std::chrono::steady_clock::time_point began_, shown_;
};

std::string counted(std::uint64_t number, const std::string& what) {
  const bool is_all = number != scenario::Search::schedules_max;
  return (is_all ? std::to_string(number) : "more than 10^19") + " " + what +
         (number == 1 ? "" : "s");
}

std::string faults_text(int faults) {
  if (faults == 0) return "no fault";
  return fmt::format("{} fault{}", faults, faults == 1 ? "" : "s");
}

std::string held_text(const ExploreResult& result, bool is_random) {
  if (is_random) return "all properties hold in each";
  if (result.rounds_finished == 0) return "nothing is finished";
  return fmt::format("all properties hold with up to {}", faults_text(result.rounds_finished - 1));
}

// Where the counterexample of a variant goes.
std::string out_name(const std::string& out, const std::string& variant, bool has_variants) {
  if (!has_variants) return out;
  const std::size_t dot = out.rfind('.');
  const bool has_ending = dot != std::string::npos && out.find('/', dot) == std::string::npos;
  const std::string stem = has_ending ? out.substr(0, dot) : out;
  return stem + "-" + variant + (has_ending ? out.substr(dot) : "");
}

nlohmann::ordered_json json_of(const std::string& file, const ExploreResult& result) {
  nlohmann::ordered_json object = {{"file", file},
                                   {"variant", result.variant},
                                   {"ok", result.ok()},
                                   {"stopped", result.is_stopped}};
  if (!result.failure.empty()) object["failure"] = result.failure;
  if (result.violation) {
    object["broken"] = result.violation->property;
    object["why"] = result.violation->why;
    object["schedule"] = result.lines;
    object["replayed"] = result.is_replayed;
    object["scenario"] = result.file_text;
  } else {
    object["schedules"] = result.schedules;
    object["states"] = result.states;
    object["faults"] = result.rounds_finished - 1;
  }
  return object;
}

class Explore {
 public:
  explicit Explore(const ExploreCommand& command) : command_(command) {
    options_.jobs = command.jobs;
    options_.random = command.random;
    options_.seed = command.seed;
    if (!command.as_version.empty()) options_.as_version = command.as_version;
    options_.go_on = [this](const std::string& variant, int round, int rounds,
                            const SearchProgress& progress) {
      progress_.show(variant, round, rounds, progress);
      return is_interrupted == 0;
    };
  }

  int run(const std::vector<scenario::Scenario>& scenarios) {
    for (const scenario::Scenario& it : scenarios)
      if (is_interrupted == 0) explore(it);
    if (is_interrupted != 0) fmt::print(stderr, "stopped\n");
    return ok_ && is_interrupted == 0 ? exit_held : exit_not_held;
  }

 private:
  void explore(const scenario::Scenario& it) {
    if (!command_.is_json) fmt::print("{}: {}\n", it.file, it.title);
    for (const scenario::Variant& variant : it.variants) {
      if (is_interrupted != 0) return;
      const auto began = std::chrono::steady_clock::now();
      const ExploreResult result = scenario::explore_variant(it, variant, options_);
      const double seconds = Seconds(std::chrono::steady_clock::now() - began).count();
      progress_.clear();
      ok_ = ok_ && result.ok();
      if (command_.is_json)
        fmt::print("{}\n", json_of(it.file, result).dump());
      else
        print(result, seconds);
      if (result.violation && !command_.out.empty())
        write(result, out_name(command_.out, variant.name, it.variants.size() > 1));
    }
  }

  void print(const ExploreResult& result, double seconds) {
    const std::string name = result.variant.empty() ? "" : result.variant + ": ";
    if (!result.failure.empty()) return fmt::print("  {}FAILED: {}\n", name, result.failure);
    if (result.violation) return print_counterexample(name, result);
    fmt::print("  {}{}, {}, {}\n", name, counted(result.schedules, "schedule"),
               counted(result.states, "distinct state"), held_text(result, command_.random != 0));
    if (result.had_to_break && !result.is_stopped)
      fmt::print("    NOT AS EXPECTED: the file says that a property breaks\n");
    if (isatty(STDOUT_FILENO) != 0)
      fmt::print("    {} steps in {} runs, {:.2f} s\n", result.executed_choices, result.executions,
                 seconds);
  }

  void print_counterexample(const std::string& name, const ExploreResult& result) {
    fmt::print("  {}{} breaks{}\n", name, result.violation->property,
               result.was_expected ? ", as the file says" : "");
    int number = 0;
    for (const std::string& line : result.lines) fmt::print("    {:2}  {}\n", ++number, line);
    fmt::print("    {}\n", result.violation->why);
    if (!result.is_replayed)
      fmt::print(
          "    FAILED: the file of this schedule does not show it again; that is a bug of "
          "fencepost\n");
  }

  void write(const ExploreResult& result, const std::string& name) {
    std::ofstream file(name, std::ios::binary | std::ios::trunc);
    file << result.file_text;
    file.close();
    if (!file) {
      refuse("fencepost explore: " + name + " cannot be written");
      ok_ = false;
    } else if (!command_.is_json) {
      fmt::print("    fencepost run {}\n", name);
    }
  }

  const ExploreCommand& command_;
  scenario::ExploreOptions options_;
  ProgressLine progress_;
  bool ok_ = true;
};

std::vector<scenario::Mistake> refusals(const scenario::Scenario& it, bool is_table) {
  std::vector<scenario::Mistake> mistakes = scenario::explore_refusals(it);
  if (is_table)
    for (scenario::Mistake& mistake : scenario::table_refusals(it))
      mistakes.push_back(std::move(mistake));
  return mistakes;
}

void list_defects() {
  for (const minibroker::DefectInfo& it : minibroker::defects())
    fmt::print("{:<36}{}\n", it.name, it.meaning);
}

int explore(const ExploreCommand& command) {
  if (command.files.empty()) return refuse("fencepost explore: name at least one scenario file");
  if (!command.as_version.empty() && !check_as_version("fencepost explore", command.as_version))
    return exit_wrong_input;
  const auto scenarios = read_scenarios(command.files, [&command](const scenario::Scenario& it) {
    return refusals(it, command.is_table);
  });
  if (!scenarios) return exit_wrong_input;
  if (command.is_table) {
    std::optional<std::string> as_version;
    if (!command.as_version.empty()) as_version = command.as_version;
    return print_cut_tables(*scenarios, as_version, command.is_json) ? exit_held : exit_not_held;
  }
  std::signal(SIGINT, interrupt);
  return Explore(command).run(*scenarios);
}

}  // namespace

void add_explore(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ExploreCommand>();
  CLI::App* explore_app =
      app.add_subcommand("explore", "Run every schedule of a scenario, up to its bounds");
  explore_app->add_option("files", command->files, "Scenario files (YAML)");
  explore_app->add_option("--out", command->out, "Write the counterexample to this file");
  explore_app->add_option("--random", command->random,
                          "Sample so many schedules beyond the bounds instead");
  explore_app->add_option("--seed", command->seed, "Of the samples");
  explore_app->add_option("--jobs", command->jobs, "Processes")->check(CLI::Range(1, 256));
  explore_app->add_option("--as-version", command->as_version,
                          "Kafka release that the simulated brokers behave as");
  explore_app->add_flag("--table", command->is_table,
                        "Cut the last step at every moment, and print what each crash leaves");
  explore_app->add_flag("--json", command->is_json, "One JSON object a variant, or a cut");
  explore_app->add_flag("--defects", command->lists_defects,
                        "List the mistakes that `defect: name` has the brokers make");
  explore_app->callback([command, &exit_code] {
    if (command->lists_defects)
      list_defects();
    else
      exit_code = explore(*command);
  });
}

}  // namespace fencepost::tools
