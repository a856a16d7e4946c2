// A world with the actors of one scenario in it. The engine, which follows the file, and explore,
// which tries every order, both stand on it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "minibroker/settings.h"
#include "tools/scenario/actor.h"
#include "tools/scenario/scenario.h"
#include "tools/scenario/world.h"

namespace fencepost::scenario {

// The simulated cluster of one variant. `as_version` is for variants that name none; `seed` stands
// instead of the file's.
minibroker::ClusterSettings cluster_settings(const Scenario& scenario, const Variant& variant,
                                             const std::optional<std::string>& as_version,
                                             std::optional<std::uint64_t> seed);

class Stage {
 public:
  // Scenario and variant must outlive it. `name_prefix` is put in front of every name in the world.
  Stage(const Scenario& scenario, const Variant& variant, std::unique_ptr<World> world,
        const std::string& name_prefix);
  // Where `other` stands, which has to be idle, in a world of its own.
  explicit Stage(const Stage& other);
  // Every coroutine ends before its client goes.
  ~Stage();
  Stage& operator=(const Stage&) = delete;

  // No step is under way, no request is held and nobody waits for a moment to come.
  bool is_idle() const;

  World& world() { return *world_; }
  Instant now() const { return world_->clock().now(); }
  const Naming& naming() const { return naming_; }
  // It exists as soon as it is named.
  Actor& actor(const std::string& name);
  const std::map<std::string, std::unique_ptr<Actor>>& actors() const { return actors_; }
  // From now on, actors that come write nothing down of what they send.
  void write_nothing_down() { is_written_down_ = false; }

  // Begins the step, held or with its answer to be lost as it says; the step must outlive the
  // stage. `expected_errors` are answers, not reasons to try again.
  std::shared_ptr<StepRun> start(const Step& step, std::vector<std::string> expected_errors);
  // Lets time pass until the step has ended. False when that never comes.
  bool finish(const StepRun& run);
  // Lets time pass until the step's request is held; false when it has ended without that.
  bool run_until_held(const StepRun& run);
  // Sends what the actor holds under that name; false when it holds nothing.
  bool send_held(Actor& actor, const std::string& name);
  // The actor's connections close, and it forgets everything; nullptr when there is no such actor.
  Actor* retire(const std::string& name);

 private:
  void close_clients();

  const Scenario& scenario_;
  const Variant& variant_;
  Naming naming_;
  TopicNames names_;
  std::unique_ptr<World> world_;
  std::map<std::string, std::unique_ptr<Actor>> actors_;
  std::vector<std::unique_ptr<Actor>> retired_;
  std::vector<std::shared_ptr<StepRun>> runs_;
  bool is_written_down_ = true;
};

}  // namespace fencepost::scenario
