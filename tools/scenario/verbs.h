// The tables of what a step can do: each verb with its arguments and with what an expectation
// may say about its answer. The parser, the JSON Schema and the course's reference follow them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/api.h"

namespace fencepost::scenario {

enum class ArgumentType {
  text,
  nullable_text,  // text or null
  integer,
  boolean,
  duration,    // 500ms, 60s, 2m, 1h
  choice,      // one of ArgumentSpec::choices, separated by '|'
  partition,   // state-0
  partitions,  // one or a list
  topics,      // one or a list
  offsets,     // {in-0: 10}
  records,     // [k1=s1, k2=s2]
  parties,     // broker-1, controller, clients or an actor; one or a list
};

struct ArgumentSpec {
  std::string_view name;
  ArgumentType type;
  std::string_view meaning;
  bool is_required = false;
  std::string_view choices = {};
};

enum class Shape { number, text, boolean, list, map };

// A value of the answer that `expect` may state.
struct ReturnSpec {
  std::string_view name;
  Shape shape;
  std::string_view meaning;
};

enum class VerbKind {
  wire,       // one request of that name
  composite,  // several requests, as a client would send them
  actor,      // something that happens to the actor itself
  world,      // no actor: the clock, the network, the scenario
};

// What the actor has to have by an earlier step, unless arguments give it.
enum class Needs { nothing, producer, group };

struct VerbSpec {
  std::string_view name;  // "init_producer_id"; world verbs as they are written: "clock.advance"
  VerbKind kind;
  std::optional<protocol::ApiKey> api;
  std::string_view meaning;
  std::string_view shorthand;  // the argument that a bare value stands for; may be empty
  std::span<const ArgumentSpec> arguments;
  std::span<const ReturnSpec> returns;
  Needs needs = Needs::nothing;

  const ArgumentSpec* find_argument(std::string_view argument) const;
  const ReturnSpec* find_return(std::string_view value) const;
};

// Verbs behind an actor and a dot, wire verbs first; and those that stand alone. A name can be in
// both tables: P.crash is a client, crash is a broker.
std::span<const VerbSpec> actor_verbs();
std::span<const VerbSpec> world_verbs();
const VerbSpec* find_actor_verb(std::string_view name);
const VerbSpec* find_world_verb(std::string_view name);
std::string_view to_string(ArgumentType type);
std::vector<std::string> split_choices(std::string_view choices);

// What can stand beside a verb in a step.
struct StepOption {
  std::string_view name;
  std::string_view meaning;
};
std::span<const StepOption> step_options();

}  // namespace fencepost::scenario
