// One step after another: start its coroutine, let time pass until it is done, deliver what is in
// flight, look at the cluster, report.
#include "tools/scenario/engine.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <algorithm>

#include "protocol/messages/create_topics.h"
#include "tools/scenario/cluster_steps.h"
#include "tools/scenario/stage.h"
#include "tools/scenario/state_lines.h"

namespace fencepost::scenario {

namespace {

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

std::unique_ptr<World> make_world(const Scenario& scenario, const Variant& variant,
                                  const RunOptions& options) {
  if (!options.bootstrap.empty()) return make_real_world(options.bootstrap);
  return make_simulated_world(
      cluster_settings(scenario, variant, options.as_version, options.seed));
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
        stage_(scenario, variant, make_world(scenario, variant, options),
               options.bootstrap.empty() ? "" : options.run_name + "-"),
        start_(stage_.world().clock().now()) {}

  void run() {
    report_.begin(scenario_, variant_, where(), replay_command(scenario_, options_));
    for (const auto* list : {&scenario_.always, &scenario_.finally})
      for (const NamedProperty& it : *list)
        if (properties_.count(it.name) == 0) properties_[it.name] = make_property(it.name);
    if (prepare()) run_steps();
    check_properties();
    const minibroker::Cluster* cluster = world().cluster();
    report_.end(cluster == nullptr ? 0 : cluster->digest(), elapsed());
  }

  bool is_reachable() const { return is_reachable_; }

 private:
  std::string where() const {
    if (!options_.bootstrap.empty()) return "against " + options_.bootstrap_text;
    const minibroker::ClusterSettings settings =
        cluster_settings(scenario_, variant_, options_.as_version, options_.seed);
    std::string brokers = settings.era.name;
    for (const minibroker::DefectInfo& it : minibroker::defects())
      if (settings.era.has(it.defect)) brokers += " with " + std::string(it.name);
    return brokers + ", " + std::to_string(settings.broker_count) +
           (settings.broker_count == 1 ? " broker" : " brokers") + ", seed " +
           std::to_string(settings.seed);
  }

  Duration elapsed() {
    // Real time is nobody's to repeat.
    return world().cluster() == nullptr ? Duration{} : world().clock().now() - start_;
  }

  World& world() { return stage_.world(); }

  // Topics exist, and the world is quiet.
  bool prepare() {
    if (world().cluster() == nullptr && !scenario_.topics.empty()) {
      Answer answer;
      bool is_done = false;
      Actor& admin = stage_.actor("fencepost");
      asio::co_spawn(world().io(),
                     create_topics(&admin, &scenario_, &stage_.naming(), &answer, &is_done),
                     asio::detached);
      world().run_until([&is_done] { return is_done; });
      admin.transport.take_exchanges();
      is_reachable_ = answer.outcome != "CANNOT_CONNECT";
      if (answer.outcome != "NONE") {
        report_.failure("the topics cannot be created: " + to_string(answer));
        return false;
      }
      world().advance(milliseconds(200));  // leaders are elected
    }
    world().settle();
    if (world().cluster() != nullptr) state_lines_.changes(*world().cluster());
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
      world().settle();
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
      world().advance(step.arguments.duration("by").value_or(Duration{}));
      return true;
    }
    if (is_cluster_step(*step.verb)) return change_cluster(step, report);
    if (verb == "await") return await_step(name, report);
    if (verb == "release") return release(step, name, report);
    if (verb == "crash") return crash(step, report);
    return start_step(step, report);
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
    const Outcome* expected = expected_of(step);
    const std::shared_ptr<StepRun> run =
        stage_.start(step, expected == nullptr ? std::vector<std::string>{} : expected->errors);
    if (step.hold) {
      if (stage_.run_until_held(*run)) {
        background_[*step.hold] = run;
        report.remark = "held as " + *step.hold;
        take_exchanges(*run->actor, step, report);
        return true;
      }
    } else if (step.as) {
      started_.insert(*step.as);
      background_[*step.as] = run;
      report.remark = "goes on in the background as " + *step.as;
      return true;
    } else if (!stage_.finish(*run)) {
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
    if (!stage_.finish(*run)) {
      report_.failure("'" + name + "' waits for what never comes");
      return false;
    }
    take_answer(*run, report);
    return true;
  }

  bool release(const Step& step, const std::string& name, StepReport& report) {
    const auto at = background_.find(name);
    if (at != background_.end() && at->second->step->hold == name) {
      stage_.send_held(*at->second->actor, name);
      return await_step(name, report);
    }
    minibroker::Cluster* cluster = world().cluster();
    if (cluster == nullptr || !holds_in_cluster(name)) {
      report_.failure("nothing is held as '" + name + "' in this variant");
      return false;
    }
    cluster->faults().remove(name);
    const std::size_t count = cluster->held_count(name);
    cluster->release(name, world().clock().now());
    report.remark = "delivers " + std::to_string(count) + (count == 1 ? " message" : " messages") +
                    " held as " + name;
    if (step.expect) report.remark += " (its answer belongs to a broker)";
    return true;
  }

  bool holds_in_cluster(const std::string& name) const { return cluster_holds_.count(name) != 0; }

  bool change_cluster(const Step& step, StepReport& report) {
    minibroker::Cluster* cluster = world().cluster();
    CHECK(cluster != nullptr);
    if (step.verb->name == "hold") cluster_holds_.insert(step.arguments.text("as").value_or(""));
    const ClusterStepResult result = perform_cluster_step(*cluster, step, world().clock().now());
    report.remark = result.remark;
    if (result.failure.empty()) return true;
    report_.failure("step " + std::to_string(report.number) + ": " + result.failure);
    return false;
  }

  // Its connections close; what it left open in the cluster stays open.
  bool crash(const Step& step, StepReport& report) {
    if (Actor* gone = stage_.retire(step.actor)) take_exchanges(*gone, step, report);
    return true;
  }

  void take_answer(StepRun& run, StepReport& report) {
    report.answer = run.answer;
    take_exchanges(*run.actor, *run.step, report);
    deeds_.take(run.deeds);
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
      shown.request = stage_.naming().shown(shown.request);
      shown.answer = stage_.naming().shown(shown.answer);
      report.exchanges.push_back(std::move(shown));
    }
  }

  void finish(const Step& step, StepReport& report) {
    if (minibroker::Cluster* cluster = world().cluster()) {
      report.state = state_lines_.changes(*cluster);
      const std::vector<minibroker::PartitionState> partitions = cluster->partitions();
      const StepFacts facts{*cluster, scenario_, partitions, std::exchange(deeds_, {})};
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
                                is_expected_broken(it.name), world().cluster() != nullptr};
        const auto before = ever_broken_.find(it.name);
        if (!property.broken && before != ever_broken_.end()) property.broken = before->second;
        report_.property(property);
      }
    }
  }

  const Scenario& scenario_;
  const Variant& variant_;
  const RunOptions& options_;
  Report& report_;
  Stage stage_;
  Instant start_;
  std::map<std::string, std::shared_ptr<StepRun>> background_;
  std::set<std::string> started_;  // of these, nobody has asked for the answer yet
  std::set<std::string> cluster_holds_;
  std::map<std::string, std::unique_ptr<Property>> properties_;
  std::map<std::string, std::string> ever_broken_;
  Deeds deeds_;
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
    if (variant.as_version || variant.brokers || variant.defect || !variant.settings.empty())
      mistakes.push_back({variant.place, "variant '" + variant.name +
                                             "' needs the simulated cluster: a real one is what "
                                             "it is"});
  if (scenario.as_version) mistakes.push_back({{1, 1}, "'as_version' needs the simulated cluster"});
  if (scenario.defect) mistakes.push_back({{1, 1}, "'defect' needs the simulated cluster"});
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
