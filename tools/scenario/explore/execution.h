// One schedule under way: a world of its own, the actors in it, and what they may do next. It only
// goes forward; what goes on from here in several ways is copied before.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/digest.h"
#include "tools/scenario/explore/choice.h"
#include "tools/scenario/explore/program.h"
#include "tools/scenario/properties/property.h"
#include "tools/scenario/stage.h"

namespace fencepost::scenario {

// A property that does not hold.
struct Violation {
  std::string property;
  std::string why;
};

// One choice as it went, for whoever writes it down.
struct Taken {
  Choice choice;
  const Step* step = nullptr;  // what the actor did, or the barrier
  std::string hold;            // the name of what was held or released
  std::optional<Answer> answer;
  bool is_crashed = false;  // the crash came about
  Duration passed = {};     // of a choice of the clock
};

// What explore may spend on faults in one schedule.
struct FaultLimits {
  int crashes = 0;
  int held = 0;
  int held_markers = 0;
  int lost_replies = 0;
  std::vector<Duration> clock;  // each once
  int all = 0;                  // of all kinds together
  bool crashes_at_cut_points = true;
  bool crashes_between_steps = false;
  std::vector<minibroker::sim::Unsynced> unsynced;  // what crashes may leave
  std::optional<int> steps;                         // the longest schedule

  static FaultLimits of(const ExploreBounds& bounds);
};

class Execution {
 public:
  // All must outlive it. `cluster` is what it begins with, at the time `start`.
  Execution(Program& program, const FaultLimits& limits, const minibroker::Cluster& cluster,
            Instant start);
  // Another one that stands where `other` does, which has to be one that can be copied.
  Execution(const Execution& other);
  Execution& operator=(const Execution&) = delete;

  // Coroutines cannot be copied: no while a request of an actor is held.
  bool can_be_copied() const;
  // What can happen now but for crashes in a step, whose moments only the step itself shows;
  // sorted. Empty at the end of the schedule.
  std::vector<Choice> choices() const;
  // Whether a step that is taken now may be cut.
  bool may_be_cut() const;
  void take(const Choice& choice);
  // The end of a schedule that has no more choices: brokers come back, links heal, and the time of
  // the longest transaction passes, so that what can be decided is.
  void finish();

  // The first of the `always` properties that has broken; after finish() of all.
  const std::optional<Violation>& violation() const { return violation_; }
  // The moments that brokers came to in the last choice.
  const std::vector<minibroker::sim::Moment>& moments() const { return moments_; }
  const std::vector<Taken>& history() const { return history_; }
  bool is_finished() const { return is_finished_; }
  const minibroker::Cluster& cluster() const { return cluster_; }
  Instant now() const { return stage_.now(); }
  const std::vector<int>& restarted_at_end() const { return restarted_at_end_; }
  int fault_count() const { return used_.all; }
  // Equal in two states from which the same can happen: see state_digest.cc.
  std::uint64_t digest() const;

  // How long finish() lets time pass.
  static Duration time_to_decide(const Scenario& scenario);
  // How long a crashed broker stays away: until the session of its last life is over.
  static Duration time_to_return(const Scenario& scenario, const Variant& variant);

 private:
  enum class Mode {
    going,
    aborting,  // goes on at the end of the transaction, and aborts it
    stopped,
  };
  struct ActorState {
    std::size_t next = 0;  // of its steps
    Mode mode = Mode::going;
    bool has_asked_again = false;
    bool stops_after_abort = false;
    Instant last_step = {};

    bool has_begun() const { return next != 0 || mode != Mode::going || has_asked_again; }
  };
  // A request of an actor, or markers, on the way.
  struct Held {
    int actor = 0;
    const Step* step = nullptr;
    std::string name;
    std::uint64_t sender = 0;      // digest_of_sender() before it was sent
    std::shared_ptr<StepRun> run;  // nothing: markers
  };

  const ProgramStep* next_step(std::size_t actor) const;
  // What actor does now can be left to its twin as well.
  bool is_left_to_twin(std::size_t actor) const;
  bool is_barrier_next() const;
  const Step& actual_step(std::size_t actor, Deviation deviation);
  void do_step(std::size_t actor, Taken& taken);
  bool may_crash() const { return used_.crashes < limits_.crashes && used_.all < limits_.all; }
  bool may_lose_unsynced() const;
  std::uint64_t digest_before(const Choice& crash) const;
  void do_crash(const Choice& choice, Taken& taken);
  void do_crash_now(const Choice& choice, Taken& taken);
  void do_barrier(Taken& taken);
  void release(std::size_t index, Taken& taken);
  void restart(int broker_id);
  void run_step(const Step& step, std::size_t actor, Taken& taken);
  void go_on(std::size_t actor, const Step& step, const std::string& outcome);
  void give_up_transaction(std::size_t actor, bool for_good);
  void observe();
  void note_violation(const std::vector<NamedProperty>& properties);
  // state_digest.cc
  void add_progress(Digest& digest, std::size_t actor) const;
  void add_actors(Digest& digest) const;
  std::uint64_t digest_of_sender(std::size_t actor) const;

  Program& program_;
  const FaultLimits& limits_;
  Stage stage_;
  minibroker::Cluster& cluster_;
  Instant start_;
  std::vector<ActorState> actors_;
  std::size_t barriers_done_ = 0;
  std::vector<Held> held_;
  int held_count_ = 0;  // names are never used again
  FaultLimits used_;
  std::set<int> clock_used_;
  std::map<std::string, std::unique_ptr<Property>> properties_;
  std::shared_ptr<const std::vector<minibroker::PartitionState>> partitions_;  // as last observed
  Deeds deeds_;
  std::vector<Taken> history_;
  // Of the crashes that no restart has followed yet: the state before, and the moment.
  std::vector<std::uint64_t> crashes_;
  std::vector<minibroker::sim::Moment> moments_;
  std::optional<Violation> violation_;
  std::vector<int> restarted_at_end_;
  bool is_finished_ = false;
};

}  // namespace fencepost::scenario
