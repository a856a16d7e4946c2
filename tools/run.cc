// The command line of `fencepost run`: read all files, refuse what is wrong with any of them, and
// only then run.
#include "tools/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "tools/exit_code.h"
#include "tools/scenario/engine.h"
#include "tools/scenario/schema.h"
#include "tools/scenario_files.h"

namespace fencepost::tools {

namespace {

struct RunCommand {
  std::vector<std::string> files;
  std::string bootstrap;
  std::optional<std::uint64_t> seed;
  std::string as_version;
  bool is_quiet = false;
  bool is_json = false;
  bool shows_schema = false;
};

// Wall-clock time makes the names of a run on a real cluster its own.
std::string new_run_name() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return fmt::format("fencepost-{:x}",
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

int run(const RunCommand& command) {
  scenario::RunOptions options;
  options.seed = command.seed;
  if (!command.as_version.empty()) {
    if (!check_as_version("fencepost run", command.as_version)) return exit_wrong_input;
    options.as_version = command.as_version;
  }
  if (!command.bootstrap.empty()) {
    Result<std::vector<client::Address>> addresses = client::parse_addresses(command.bootstrap);
    if (!addresses) return refuse("fencepost run: " + addresses.error().text);
    if (options.as_version)
      return refuse("fencepost run: a real cluster is what it is; leave out --as-version");
    options.bootstrap = std::move(*addresses);
    options.bootstrap_text = command.bootstrap;
    options.run_name = new_run_name();
  }
  const bool is_real = !command.bootstrap.empty();
  const auto scenarios = read_scenarios(command.files, [is_real](const scenario::Scenario& it) {
    return is_real ? scenario::refusals(it) : std::vector<scenario::Mistake>{};
  });
  if (!scenarios) return exit_wrong_input;
  scenario::ReportMode mode = scenario::ReportMode::text;
  if (command.is_quiet) mode = scenario::ReportMode::quiet;
  if (command.is_json) mode = scenario::ReportMode::json;
  scenario::Report report(mode, isatty(STDOUT_FILENO) != 0, [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  });
  bool is_reachable = true;
  const std::string run_name = options.run_name;
  for (std::size_t i = 0; i < scenarios->size(); ++i) {
    options.run_name = fmt::format("{}-{}", run_name, i + 1);
    is_reachable = scenario::run_scenario((*scenarios)[i], options, report) && is_reachable;
  }
  const bool ok = report.summary();
  if (!is_reachable) return exit_unreachable;
  return ok ? exit_held : exit_not_held;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* run_app = app.add_subcommand("run", "Run scenario files");
  run_app->add_option("files", command->files, "Scenario files (YAML)");
  run_app->add_option("--bootstrap", command->bootstrap,
                      "Run against this cluster, HOST:PORT[,HOST:PORT], not the simulated one");
  run_app->add_option("--seed", command->seed, "Instead of the seed in each file");
  run_app->add_option("--as-version", command->as_version,
                      "Kafka release that the simulated brokers behave as");
  CLI::Option* quiet = run_app->add_flag("--quiet", command->is_quiet, "One line a scenario");
  run_app->add_flag("--json", command->is_json, "One JSON object a step, and a summary")
      ->excludes(quiet);
  run_app->add_flag("--schema", command->shows_schema,
                    "Print the JSON Schema of scenario files, for editors");
  run_app->callback([command, &exit_code] {
    if (command->shows_schema) {
      fmt::print("{}", scenario::scenario_schema());
    } else if (command->files.empty()) {
      exit_code = refuse("fencepost run: name at least one scenario file");
    } else {
      exit_code = run(*command);
    }
  });
}

}  // namespace fencepost::tools
