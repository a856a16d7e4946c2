#include "tools/scenario/stage.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include "minibroker/era.h"
#include "tools/scenario/settings.h"

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

}  // namespace

minibroker::ClusterSettings cluster_settings(const Scenario& scenario, const Variant& variant,
                                             const std::optional<std::string>& as_version,
                                             std::optional<std::uint64_t> seed) {
  minibroker::ClusterSettings settings;
  std::optional<std::string> era = variant.as_version;
  if (!era) era = as_version;
  if (!era) era = scenario.as_version;
  if (era) settings.era = minibroker::find_era(*era).value();
  const std::optional<std::string>& defect = variant.defect ? variant.defect : scenario.defect;
  if (defect) settings.era.defect = minibroker::find_defect(*defect).value();
  settings.broker_count = variant.brokers.value_or(scenario.brokers);
  settings.seed = seed.value_or(scenario.seed);
  settings.start = epoch;
  settings.latency = latency;
  settings.topics = scenario.topics;
  for (const auto* map : {&scenario.settings, &variant.settings})
    for (const auto& [name, value] : *map) CHECK(apply_setting(settings, name, value).ok());
  return settings;
}

Stage::Stage(const Scenario& scenario, const Variant& variant, std::unique_ptr<World> world,
             const std::string& name_prefix)
    : scenario_(scenario), variant_(variant), naming_(name_prefix), world_(std::move(world)) {}

Stage::Stage(const Stage& other)
    : scenario_(other.scenario_),
      variant_(other.variant_),
      naming_(other.naming_),
      names_(other.names_),
      world_(other.world_->copy()),
      is_written_down_(other.is_written_down_) {
  CHECK(other.is_idle());
  for (const auto& [name, it] : other.actors_)
    actors_[name] = std::make_unique<Actor>(*it, *world_, names_);
}

bool Stage::is_idle() const {
  const bool is_over =
      std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run->is_done; });
  const bool are_idle = std::all_of(actors_.begin(), actors_.end(),
                                    [](const auto& it) { return it.second->is_idle(); });
  return is_over && are_idle && world_->can_be_copied();
}

Stage::~Stage() {
  close_clients();
  const bool is_over = world_->run_until([this] {
    return std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run->is_done; });
  });
  if (!is_over) world_->settle();
  close_clients();
  world_->settle();
}

void Stage::close_clients() {
  for (const auto& [name, it] : actors_) it->client.close();
  for (const auto& it : retired_) it->client.close();
}

Actor& Stage::actor(const std::string& name) {
  std::unique_ptr<Actor>& it = actors_[name];
  if (it != nullptr) return *it;
  it = std::make_unique<Actor>(name, *world_, names_);
  if (!is_written_down_) it->transport.write_nothing_down();
  return *it;
}

std::shared_ptr<StepRun> Stage::start(const Step& step, std::vector<std::string> expected_errors) {
  auto run = std::make_shared<StepRun>();
  run->step = &step;
  run->actor = &actor(step.actor);
  run->world = world_.get();
  run->naming = &naming_;
  run->scenario = &scenario_;
  run->fence = variant_.fence;
  run->expected_errors = std::move(expected_errors);
  if (step.hold) run->actor->transport.hold_next(*step.verb->api, *step.hold);
  if (step.lose_reply) run->actor->transport.lose_next_answer(*step.verb->api);
  runs_.push_back(run);
  asio::co_spawn(world_->io(), perform(*run), asio::detached);
  return run;
}

bool Stage::finish(const StepRun& run) {
  return world_->run_until([&run] { return run.is_done; });
}

bool Stage::run_until_held(const StepRun& run) {
  world_->run_until(
      [&run] { return run.is_done || run.actor->transport.is_holding(*run.step->hold); });
  return !run.is_done;
}

bool Stage::send_held(Actor& actor, const std::string& name) {
  if (!actor.transport.is_holding(name)) return false;
  bool is_done = false;
  asio::co_spawn(world_->io(), release_held(&actor, name, &is_done), asio::detached);
  return world_->run_until([&is_done] { return is_done; });
}

Actor* Stage::retire(const std::string& name) {
  const auto at = actors_.find(name);
  if (at == actors_.end()) return nullptr;
  at->second->client.close();
  retired_.push_back(std::move(at->second));
  actors_.erase(at);
  return retired_.back().get();
}

}  // namespace fencepost::scenario
