// What the tables of verbs have in common: look-ups, types of arguments, options of a step.
#include "tools/scenario/verbs.h"

#include <algorithm>
#include <array>

namespace fencepost::scenario {

namespace {

using enum ArgumentType;

constexpr std::array options{
    StepOption{"expect", "an error name, values of the answer, or either by variant"},
    StepOption{"as", "runs in the background under this name; see await"},
    StepOption{"hold", "keeps the request back under this name; see release"},
    StepOption{"lose_reply", "true: it takes effect, and the answer is lost"},
    StepOption{"retry",
               "false: a retriable error is the answer; true: it is tried again even if expected"},
    StepOption{"note", "printed with the step"},
    StepOption{"only", "the variants in which the step runs"},
};

const VerbSpec* find_in(std::span<const VerbSpec> table, std::string_view name) {
  const auto at =
      std::find_if(table.begin(), table.end(), [&](const VerbSpec& it) { return it.name == name; });
  return at == table.end() ? nullptr : &*at;
}

}  // namespace

const ArgumentSpec* VerbSpec::find_argument(std::string_view argument) const {
  const auto at = std::find_if(arguments.begin(), arguments.end(),
                               [&](const ArgumentSpec& it) { return it.name == argument; });
  return at == arguments.end() ? nullptr : &*at;
}

const ReturnSpec* VerbSpec::find_return(std::string_view value) const {
  const auto at = std::find_if(returns.begin(), returns.end(),
                               [&](const ReturnSpec& it) { return it.name == value; });
  return at == returns.end() ? nullptr : &*at;
}

const VerbSpec* find_actor_verb(std::string_view name) {
  return find_in(actor_verbs(), name);
}

const VerbSpec* find_world_verb(std::string_view name) {
  return find_in(world_verbs(), name);
}

std::string_view to_string(ArgumentType type) {
  switch (type) {
    case text:
      return "a text";
    case nullable_text:
      return "a text or null";
    case integer:
      return "a whole number";
    case boolean:
      return "true or false";
    case duration:
      return "a duration such as 500ms, 60s or 2m";
    case choice:
      return "one of the named choices";
    case partition:
      return "a partition such as state-0";
    case partitions:
      return "a partition or a list of them";
    case topics:
      return "a topic or a list of them";
    case offsets:
      return "offsets such as {in-0: 10}";
    case parties:
      return "a node or a list of them: broker-1, controller, clients, or an actor";
    case records:
      return "records such as [k1=s1, k2=s2]";
  }
  return {};
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    words.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return words;
}

std::span<const StepOption> step_options() {
  return options;
}

}  // namespace fencepost::scenario
