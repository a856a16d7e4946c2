#include "tools/scenario/explore/explorer.h"

#include "tools/scenario/engine.h"
#include "tools/scenario/explore/counterexample.h"
#include "tools/scenario/explore/jobs.h"
#include "tools/scenario/explore/samples.h"
#include "tools/scenario/parser.h"

namespace fencepost::scenario {

namespace {

class Explorer {
 public:
  Explorer(const Scenario& scenario, const Variant& variant, const ExploreOptions& options)
      : options_(options),
        program_(scenario, variant),
        settings_(cluster_settings(scenario, variant, options.as_version, std::nullopt)),
        cluster_(make_cluster(settings_)) {
    result_.variant = variant.name;
    if (scenario.explore) {
      const auto at = scenario.explore->breaks.find(variant.name);
      if (at != scenario.explore->breaks.end()) breaks_ = at->second;
    }
    result_.had_to_break = !breaks_.empty();
  }

  ExploreResult run() {
    FaultLimits limits = FaultLimits::of(program_.bounds());
    result_.rounds = limits.all + 1;
    if (options_.random != 0) {
      result_.rounds = 1;
      sample(limits);
    } else {
      const int faults_max = limits.all;
      for (limits.all = 0; limits.all <= faults_max; ++limits.all)
        if (!run_round(limits)) break;
    }
    return std::move(result_);
  }

 private:
  // False when there is no need of another one.
  bool run_round(const FaultLimits& limits) {
    const Ground ground{program_, limits, cluster_, settings_.start};
    const RoundResult round = run_in_jobs(
        ground, options_.jobs, [this, round = limits.all](const SearchProgress& progress) {
          return !options_.go_on ||
                 options_.go_on(result_.variant, round, result_.rounds, progress);
        });
    return take(round, limits);
  }

  void sample(const FaultLimits& bounds) {
    const FaultLimits limits = beyond(bounds);
    const RoundResult samples =
        run_samples({program_, limits, cluster_, settings_.start}, options_.random, options_.seed,
                    options_.jobs, [this](const SearchProgress& progress) {
                      return !options_.go_on || options_.go_on(result_.variant, 0, 1, progress);
                    });
    // Each sample counts, whether the others were run or not.
    result_.schedules = samples.all.schedules;
    result_.states = samples.all.states.size();
    take(samples, limits);
  }

  bool take(const RoundResult& round, const FaultLimits& limits) {
    result_.executed_choices += round.all.executed_choices;
    result_.executions += round.all.executions;
    result_.failure = round.failure;
    result_.is_stopped = round.all.is_stopped;
    if (round.all.found) {
      write_down(limits, *round.all.found);
      return false;
    }
    if (!round.failure.empty() || round.all.is_stopped) return false;
    result_.schedules = round.all.schedules;
    result_.states = round.all.states.size();
    ++result_.rounds_finished;
    return true;
  }

  void write_down(const FaultLimits& limits, const Found& found) {
    Execution execution(program_, limits, cluster_, settings_.start);
    for (const Choice& choice : found.schedule) execution.take(choice);
    if (!execution.violation()) execution.finish();
    CHECK(execution.violation().has_value());
    result_.violation = execution.violation();
    result_.was_expected = breaks_.contains(result_.violation->property);
    result_.lines = schedule_lines(program_, execution);
    result_.file_text = counterexample_text(program_, execution, options_.as_version);
    result_.is_replayed = replays();
  }

  bool replays() const {
    const ParsedScenario parsed = parse_scenario("counterexample", result_.file_text);
    if (!parsed.mistakes.empty()) return false;
    Report report(ReportMode::quiet, false, [](std::string_view) {});
    run_scenario(parsed.scenario, {}, report);
    return report.summary();
  }

  const ExploreOptions& options_;
  Program program_;
  minibroker::ClusterSettings settings_;
  minibroker::Cluster cluster_;
  std::set<std::string> breaks_;
  ExploreResult result_;
};

}  // namespace

bool ExploreResult::ok() const {
  if (!failure.empty()) return false;
  if (violation) return was_expected && is_replayed;
  return !had_to_break || is_stopped;
}

ExploreResult explore_variant(const Scenario& scenario, const Variant& variant,
                              const ExploreOptions& options) {
  return Explorer(scenario, variant, options).run();
}

}  // namespace fencepost::scenario
