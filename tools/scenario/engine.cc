// One step after another: start its coroutine, let time pass until it is done, deliver what is in
// flight, look at the cluster, report.
#include "tools/scenario/engine.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <algorithm>

#include "minibroker/era.h"
#include "protocol/messages/create_topics.h"
#include "tools/scenario/actor.h"
#include "tools/scenario/cluster_steps.h"
#include "tools/scenario/settings.h"
#include "tools/scenario/state_lines.h"

namespace fencepost::scenario {

namespace {

// The virtual time at which every run begins: 2026-01-01, so that timestamps look like some.
constexpr Instant epoch{std::chrono::seconds(1767225600)};
constexpr Duration latency = milliseconds(1);

asio::awaitable<void> release_held(Actor* actor, std::string name, bool* is_done) {
  const Result<bool> released = co_await actor->transport.release(std::move(name));
  CHECK(!released.ok() || *released);
  *is_done = true;
}

asio::awaitable<void> create_topics(Actor* actor, const Scenario* scenario, const Naming* naming,
                                    Answer* answer, bool* is_done) {
  protocol::CreateTopicsRequest request;
  for (const minibroker::TopicSettings& topic : scenario->topics) {
    auto& it = request.topics.emplace_back();
    it.name = naming->real(topic.name);
    it.num_partitions = topic.partition_count;
    it.replication_factor = static_cast<std::int16_t>(topic.replication_factor);
    for (const auto& [key, value] : topic.config) it.configs.push_back({key, value, {}});
  }
  const Result<protocol::CreateTopicsResponse> response =
      co_await actor->client.call_any(std::move(request));
  if (!response) *answer = answer_of(response.error());
  if (response)
    for (const auto& topic : response->topics) {
      if (topic.error_code == protocol::ErrorCode::none) continue;
      *answer = answer_of(topic.error_code);
      answer->detail = naming->shown(topic.name);
    }
  *is_done = true;
}

minibroker::ClusterSettings cluster_settings(const Scenario& scenario, const Variant& variant,
                                             const RunOptions& options) {
  minibroker::ClusterSettings settings;
  std::optional<std::string> era = variant.as_version;
  if (!era) era = options.as_version;
  if (!era) era = scenario.as_version;
  if (era) settings.era = minibroker::find_era(*era).value();
  settings.broker_count = variant.brokers.value_or(scenario.brokers);
  settings.seed = options.seed.value_or(scenario.seed);
  settings.start = epoch;
  settings.latency = latency;
  settings.topics = scenario.topics;
  for (const auto* map : {&scenario.settings, &variant.settings})
    for (const auto& [name, value] : *map) CHECK(apply_setting(settings, name, value).ok());
  return settings;
}

std::string replay_command(const Scenario& scenario, const RunOptions& options) {
  std::string command = "fencepost run " + scenario.file;
  if (!options.bootstrap.empty()) return command + " --bootstrap " + options.bootstrap_text;
  command += " --seed " + std::to_string(options.seed.value_or(scenario.seed));
  if (options.as_version) command += " --as-version " + *options.as_version;
  return command;
}

// One scenario in one world.
class VariantRun {
 public:
  VariantRun(const Scenario& scenario, const Variant& variant, const RunOptions& options,
             Report& report)
      : scenario_(scenario),
        variant_(variant),
        options_(options),
        report_(report),
        naming_(options.bootstrap.empty() ? "" : options.run_name + "-"),
        world_(options.bootstrap.empty()
                   ? make_simulated_world(cluster_settings(scenario, variant, options))
                   : make_real_world(options.bootstrap)),
        start_(world_->clock().now()) {}

  ~VariantRun() { close_all(); }

  void run() {
    report_.begin(scenario_, variant_, where(), replay_command(scenario_, options_));
    for (const auto* list : {&scenario_.always, &scenario_.finally})
      for (const NamedProperty& it : *list)
        if (properties_.count(it.name) == 0) properties_[it.name] = make_property(it.name);
    if (prepare()) run_steps();
    check_properties();
    const minibroker::Cluster* cluster = world_->cluster();
    report_.end(cluster == nullptr ? 0 : cluster->digest(), elapsed());
  }

  bool is_reachable() const { return is_reachable_; }

 private:
  std::string where() const {
    if (!options_.bootstrap.empty()) return "against " + options_.bootstrap_text;
    const minibroker::ClusterSettings settings = cluster_settings(scenario_, variant_, options_);
    return settings.era.name + ", " + std::to_string(settings.broker_count) +
           (settings.broker_count == 1 ? " broker" : " brokers") + ", seed " +
           std::to_string(settings.seed);
  }

  Duration elapsed() const {
    // Real time is nobody's to repeat.
    return world_->cluster() == nullptr ? Duration{} : world_->clock().now() - start_;
  }

  Actor& actor(const std::string& name) {
    std::unique_ptr<Actor>& it = actors_[name];
    if (it == nullptr) it = std::make_unique<Actor>(name, *world_, names_);
    return *it;
  }

  // Topics exist, and the world is quiet.
  bool prepare() {
    if (world_->cluster() == nullptr && !scenario_.topics.empty()) {
      Answer answer;
      bool is_done = false;
      Actor& admin = actor("fencepost");
      asio::co_spawn(world_->io(), create_topics(&admin, &scenario_, &naming_, &answer, &is_done),
                     asio::detached);
      world_->run_until([&is_done] { return is_done; });
      admin.transport.take_exchanges();
      is_reachable_ = answer.outcome != "CANNOT_CONNECT";
      if (answer.outcome != "NONE") {
        report_.failure("the topics cannot be created: " + to_string(answer));
        return false;
      }
      world_->advance(milliseconds(200));  // leaders are elected
    }
    world_->settle();
    if (world_->cluster() != nullptr) state_lines_.changes(*world_->cluster());
    return true;
  }

  void run_steps() {
    int number = 0;
    for (const Step& step : scenario_.steps) {
      ++number;
      if (!step.runs_in(variant_.name)) continue;
      StepReport report;
      report.step = &step;
      report.number = number;
      report.started = elapsed();
      const bool may_go_on = run_step(step, report);
      world_->settle();
      report.ended = elapsed();
      finish(step, report);
      if (!may_go_on) return;
      if (report.mismatch) return report_.failure("the steps after this one did not run");
      if (!always_hold()) return;
    }
    for (const auto& [name, run] : background_)
      if (started_.count(name) != 0)
        report_.failure("nobody awaited '" + name + "'; add: await: " + name);
  }

  // False when the run cannot go on.
  bool run_step(const Step& step, StepReport& report) {
    const std::string_view verb = step.verb->name;
    const std::string name = step.arguments.text("name").value_or("");
    if (verb == "note") return true;
    if (verb == "clock.advance") {
      world_->advance(step.arguments.duration("by").value_or(Duration{}));
      return true;
    }
    if (is_cluster_step(*step.verb)) return change_cluster(step, report);
    if (verb == "await") return await_step(name, report);
    if (verb == "release") return release(step, name, report);
    if (verb == "crash") return crash(step, report);
    return start_step(step, report);
  }

  std::shared_ptr<StepRun> new_run(const Step& step) {
    auto run = std::make_shared<StepRun>();
    run->step = &step;
    run->actor = &actor(step.actor);
    run->world = world_.get();
    run->naming = &naming_;
    run->scenario = &scenario_;
    run->fence = variant_.fence;
    if (const Outcome* expected = expected_of(step)) run->expected_errors = expected->errors;
    return run;
  }

  // What is expected of a step: beside it, or where it is awaited or released.
  const Outcome* expected_of(const Step& step) const {
    if (step.expect) return step.expect->in(variant_.name);
    const std::optional<std::string> name = step.as ? step.as : step.hold;
    if (!name) return nullptr;
    for (const Step& later : scenario_.steps) {
      const bool is_end = later.verb->name == "await" || later.verb->name == "release";
      if (is_end && later.arguments.text("name") == name && later.expect &&
          later.runs_in(variant_.name))
        return later.expect->in(variant_.name);
    }
    return nullptr;
  }

  bool start_step(const Step& step, StepReport& report) {
    const std::shared_ptr<StepRun> run = new_run(step);
    Actor& actor = *run->actor;
    if (step.hold) actor.transport.hold_next(*step.verb->api, *step.hold);
    if (step.lose_reply) actor.transport.lose_next_answer(*step.verb->api);
    runs_.push_back(run);
    asio::co_spawn(world_->io(), perform(*run), asio::detached);
    if (step.hold) {
      world_->run_until([&] { return run->is_done || actor.transport.is_holding(*step.hold); });
      if (!run->is_done) {
        background_[*step.hold] = run;
        report.remark = "held as " + *step.hold;
        take_exchanges(actor, step, report);
        return true;
      }
    } else if (step.as) {
      started_.insert(*step.as);
      background_[*step.as] = run;
      report.remark = "goes on in the background as " + *step.as;
      return true;
    } else if (!world_->run_until([&run] { return run->is_done; })) {
      report_.failure("step " + std::to_string(report.number) + " waits for what never comes");
      return false;
    }
    take_answer(*run, report);
    return true;
  }

  bool await_step(const std::string& name, StepReport& report) {
    const auto at = background_.find(name);
    if (at == background_.end()) {
      report_.failure("'" + name + "' was not started in this variant");
      return false;
    }
    const std::shared_ptr<StepRun> run = at->second;
    started_.erase(name);
    if (!world_->run_until([&run] { return run->is_done; })) {
      report_.failure("'" + name + "' waits for what never comes");
      return false;
    }
    take_answer(*run, report);
    return true;
  }

  bool release(const Step& step, const std::string& name, StepReport& report) {
    const auto at = background_.find(name);
    if (at != background_.end() && at->second->step->hold == name) {
      bool is_done = false;
      Actor* actor = at->second->actor;
      if (actor->transport.is_holding(name)) {
        asio::co_spawn(world_->io(), release_held(actor, name, &is_done), asio::detached);
        world_->run_until([&is_done] { return is_done; });
      }
      return await_step(name, report);
    }
    minibroker::Cluster* cluster = world_->cluster();
    if (cluster == nullptr || !holds_in_cluster(name)) {
      report_.failure("nothing is held as '" + name + "' in this variant");
      return false;
    }
    cluster->faults().remove(name);
    const std::size_t count = cluster->held_count(name);
    cluster->release(name, world_->clock().now());
    report.remark = "delivers " + std::to_string(count) + (count == 1 ? " message" : " messages") +
                    " held as " + name;
    if (step.expect) report.remark += " (its answer belongs to a broker)";
    return true;
  }

  bool holds_in_cluster(const std::string& name) const { return cluster_holds_.count(name) != 0; }

  bool change_cluster(const Step& step, StepReport& report) {
    minibroker::Cluster* cluster = world_->cluster();
    CHECK(cluster != nullptr);
    if (step.verb->name == "hold") cluster_holds_.insert(step.arguments.text("as").value_or(""));
    const ClusterStepResult result = perform_cluster_step(*cluster, step, world_->clock().now());
    report.remark = result.remark;
    if (result.failure.empty()) return true;
    report_.failure("step " + std::to_string(report.number) + ": " + result.failure);
    return false;
  }

  // Its connections close; what it left open in the cluster stays open.
  bool crash(const Step& step, StepReport& report) {
    const auto at = actors_.find(step.actor);
    if (at == actors_.end()) return true;
    at->second->client.close();
    take_exchanges(*at->second, step, report);
    retired_.push_back(std::move(at->second));
    actors_.erase(at);
    return true;
  }

  void take_answer(StepRun& run, StepReport& report) {
    report.answer = run.answer;
    take_exchanges(*run.actor, *run.step, report);
    reads_.insert(reads_.end(), run.reads.begin(), run.reads.end());
    writes_.insert(writes_.end(), run.writes.begin(), run.writes.end());
    run.reads.clear();
    run.writes.clear();
    report.expected =
        report.step->expect ? report.step->expect->in(variant_.name) : expected_of(*run.step);
    report.mismatch = compare(report.expected, run.answer);
  }

  // Look-ups are shown only to whom they are the matter.
  void take_exchanges(Actor& from, const Step& step, StepReport& report) {
    for (const std::shared_ptr<Exchange>& it : from.transport.take_exchanges()) {
      const bool is_lookup = it->key == protocol::ApiKey::api_versions ||
                             it->key == protocol::ApiKey::metadata ||
                             it->key == protocol::ApiKey::find_coordinator;
      if (is_lookup && step.verb->api != it->key) continue;
      Exchange shown = *it;
      shown.request = naming_.shown(shown.request);
      shown.answer = naming_.shown(shown.answer);
      report.exchanges.push_back(std::move(shown));
    }
  }

  void finish(const Step& step, StepReport& report) {
    if (minibroker::Cluster* cluster = world_->cluster()) {
      report.state = state_lines_.changes(*cluster);
      const StepFacts facts{*cluster, scenario_, std::exchange(reads_, {}),
                            std::exchange(writes_, {})};
      for (const auto& [name, property] : properties_) property->observe(facts);
    }
    CHECK(report.step == &step);
    report_.step(report);
  }

  bool is_expected_broken(const std::string& name) const {
    const auto at = scenario_.broken.find(variant_.name);
    return at != scenario_.broken.end() &&
           std::find(at->second.begin(), at->second.end(), name) != at->second.end();
  }

  bool always_hold() {
    for (const NamedProperty& it : scenario_.always) {
      if (!properties_.at(it.name)->broken()) continue;
      ever_broken_[it.name] = *properties_.at(it.name)->broken();
      if (!is_expected_broken(it.name)) return false;
    }
    return true;
  }

  void check_properties() {
    std::set<std::string> seen;
    for (const auto* list : {&scenario_.always, &scenario_.finally}) {
      for (const NamedProperty& it : *list) {
        if (!seen.insert(it.name).second) continue;
        PropertyReport property{it.name, properties_.at(it.name)->broken(),
                                is_expected_broken(it.name), world_->cluster() != nullptr};
        const auto before = ever_broken_.find(it.name);
        if (!property.broken && before != ever_broken_.end()) property.broken = before->second;
        report_.property(property);
      }
    }
  }

  // Every coroutine ends before its client goes.
  void close_all() {
    for (const auto& [name, it] : actors_) it->client.close();
    for (const auto& it : retired_) it->client.close();
    const bool is_over = world_->run_until([this] {
      return std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run->is_done; });
    });
    if (!is_over) world_->settle();
    for (const auto& [name, it] : actors_) it->client.close();
    for (const auto& it : retired_) it->client.close();
    world_->settle();
  }

  const Scenario& scenario_;
  const Variant& variant_;
  const RunOptions& options_;
  Report& report_;
  Naming naming_;
  TopicNames names_;
  std::unique_ptr<World> world_;
  Instant start_;
  std::map<std::string, std::unique_ptr<Actor>> actors_;
  std::vector<std::unique_ptr<Actor>> retired_;
  std::vector<std::shared_ptr<StepRun>> runs_;
  std::map<std::string, std::shared_ptr<StepRun>> background_;
  std::set<std::string> started_;  // of these, nobody has asked for the answer yet
  std::set<std::string> cluster_holds_;
  std::map<std::string, std::unique_ptr<Property>> properties_;
  std::map<std::string, std::string> ever_broken_;
  std::vector<ReadFact> reads_;
  std::vector<WriteFact> writes_;
  StateLines state_lines_;
  bool is_reachable_ = true;
};

}  // namespace

std::vector<Mistake> refusals(const Scenario& scenario) {
  std::vector<Mistake> mistakes;
  for (const Step& step : scenario.steps) {
    const std::string_view verb = step.verb->name;
    if (verb == "clock.advance" || is_cluster_step(*step.verb))
      mistakes.push_back({step.place, "'" + std::string(verb) +
                                          "' needs the simulated cluster; no real one can be "
                                          "made to do it"});
  }
  for (const Variant& variant : scenario.variants)
    if (variant.as_version || variant.brokers || !variant.settings.empty())
      mistakes.push_back({variant.place, "variant '" + variant.name +
                                             "' needs the simulated cluster: a real one is what "
                                             "it is"});
  if (scenario.as_version) mistakes.push_back({{1, 1}, "'as_version' needs the simulated cluster"});
  if (!scenario.broken.empty())
    mistakes.push_back({{1, 1},
                        "'expect: {broken: ...}' needs the simulated cluster: properties "
                        "look inside it"});
  return mistakes;
}

bool run_scenario(const Scenario& scenario, const RunOptions& options, Report& report) {
  int number = 0;
  bool is_reachable = true;
  for (const Variant& variant : scenario.variants) {
    RunOptions own = options;
    own.run_name += "-" + std::to_string(++number);
    VariantRun run(scenario, variant, own, report);
    run.run();
    is_reachable = is_reachable && run.is_reachable();
  }
  report.end_scenario(scenario);
  return is_reachable;
}

}  // namespace fencepost::scenario
