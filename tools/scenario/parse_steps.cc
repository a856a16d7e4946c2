// One step: the verb that it is, the arguments by the verb's table, the options beside it.
#include <algorithm>

#include "protocol/error_code.h"
#include "tools/scenario/parser.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/values.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

bool is_option(const std::string& key) {
  const auto options = step_options();
  return std::any_of(options.begin(), options.end(),
                     [&](const StepOption& option) { return option.name == key; });
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::vector<std::string> verb_names(bool of_world) {
  std::vector<std::string> names;
  for (const VerbSpec& verb : of_world ? world_verbs() : actor_verbs())
    names.emplace_back(verb.name);
  return names;
}

class StepParser {
 public:
  StepParser(const Node& node, const Scenario& scenario, Mistakes& mistakes)
      : node_(node), scenario_(scenario), mistakes_(mistakes) {}

  std::optional<Step> parse() {
    step_.place = node_.place;
    const Node::Entry* entry = find_verb_entry();
    if (entry == nullptr) return std::nullopt;
    step_.place = entry->place;
    parse_verb(*entry);
    if (step_.verb == nullptr) return std::nullopt;
    parse_arguments(entry->value);
    for (const Node::Entry& option : node_.entries)
      if (&option != entry) parse_option(option);
    check_hold();
    return std::move(step_);
  }

 private:
  // The one key that is not an option; `hold`, `lose_reply` and `note` alone are verbs.
  const Node::Entry* find_verb_entry() {
    const Node::Entry* verb = nullptr;
    const Node::Entry* option_as_verb = nullptr;
    for (const Node::Entry& entry : node_.entries) {
      if (is_option(entry.key)) {
        const VerbSpec* spec = find_world_verb(entry.key);
        const bool is_verb = spec != nullptr && (entry.key == "note" || entry.value.is_map());
        if (is_verb && option_as_verb == nullptr) option_as_verb = &entry;
        continue;
      }
      if (verb != nullptr)
        mistakes_.add(entry.place, "a step is one verb: " + quoted(verb->key) + " or " +
                                       quoted(entry.key) + suggestion(entry.key, option_names()));
      if (verb == nullptr) verb = &entry;
    }
    if (verb == nullptr) verb = option_as_verb;
    if (verb == nullptr)
      mistakes_.add(node_.place, "a step has to be a map with a verb: actor.verb: {arguments}");
    return verb;
  }

  static std::vector<std::string> option_names() {
    std::vector<std::string> names;
    for (const StepOption& option : step_options()) names.emplace_back(option.name);
    return names;
  }

  void parse_verb(const Node::Entry& entry) {
    const VerbSpec* world_verb = find_world_verb(entry.key);
    if (world_verb != nullptr) {
      step_.verb = world_verb;
      return;
    }
    const std::size_t dot = entry.key.find('.');
    const std::string actor = entry.key.substr(0, std::min(dot, entry.key.size()));
    const std::string name = dot == std::string::npos ? entry.key : entry.key.substr(dot + 1);
    const VerbSpec* verb = find_actor_verb(name);
    if (dot == std::string::npos) {
      const std::string hint =
          verb != nullptr ? "; write ACTOR." + name + ": ..." : suggestion(name, verb_names(true));
      mistakes_.add(entry.place, "no verb " + quoted(name) + " without an actor" + hint);
    } else if (actor.empty()) {
      mistakes_.add(entry.place, "a step needs an actor before the dot");
    } else if (verb == nullptr) {
      std::vector<std::string> names = verb_names(false);
      if (actor == "clock") names = {"advance"};
      mistakes_.add(entry.place, "no verb " + quoted(name) + suggestion(name, names));
    } else {
      step_.verb = verb;
      step_.actor = actor;
    }
  }

  void parse_arguments(const Node& node) {
    step_.source = node.is_null() ? "" : to_string(node);
    step_.written = node;
    const VerbSpec& verb = *step_.verb;
    if (node.is_map()) {
      for (const Node::Entry& entry : node.entries) parse_argument_entry(entry);
    } else if (!node.is_null()) {
      const ArgumentSpec* spec = verb.find_argument(verb.shorthand);
      if (spec == nullptr)
        mistakes_.add(node.place, quoted(verb.name) + " takes {name: value, ...}, not " +
                                      quoted(to_string(node)));
      else
        set_argument(*spec, node);
      if (spec == nullptr) return;
    }
    for (const ArgumentSpec& spec : verb.arguments)
      if (spec.is_required && !is_given(node, spec))
        mistakes_.add(step_.place, quoted(verb.name) + " needs " + quoted(spec.name) + ": " +
                                       std::string(spec.meaning));
  }

  bool is_given(const Node& node, const ArgumentSpec& spec) const {
    if (node.is_map()) return node.find(spec.name) != nullptr;
    return !node.is_null() && spec.name == step_.verb->shorthand;
  }

  void parse_argument_entry(const Node::Entry& entry) {
    const ArgumentSpec* spec = step_.verb->find_argument(entry.key);
    if (spec != nullptr) {
      set_argument(*spec, entry.value);
      return;
    }
    std::vector<std::string> names;
    for (const ArgumentSpec& it : step_.verb->arguments) names.emplace_back(it.name);
    mistakes_.add(entry.place, quoted(step_.verb->name) + " has no argument " + quoted(entry.key) +
                                   suggestion(entry.key, names));
  }

  void set_argument(const ArgumentSpec& spec, const Node& node) {
    Result<ArgumentValue> value = parse_argument(spec, node);
    if (value)
      step_.arguments.set(std::string(spec.name), std::move(*value));
    else
      mistakes_.add(node.place, value.error().text);
  }

  void parse_option(const Node::Entry& option) {
    if (option.key == "expect") {
      step_.expect = parse_expectation(option.value);
    } else if (option.key == "as") {
      step_.as = mistakes_.text_of(option.value, "as");
    } else if (option.key == "hold") {
      step_.hold = mistakes_.text_of(option.value, "hold");
    } else if (option.key == "lose_reply") {
      step_.lose_reply = mistakes_.boolean_of(option.value, "lose_reply").value_or(false);
    } else if (option.key == "retry") {
      step_.retry = mistakes_.boolean_of(option.value, "retry");
    } else if (option.key == "note") {
      step_.note = mistakes_.text_of(option.value, "note").value_or("");
    } else if (option.key == "only") {
      step_.only = mistakes_.texts_of(option.value, "only");
      for (const std::string& name : step_.only) check_variant(option.value.place, name);
    }
  }

  void check_hold() {
    const bool is_faulty = step_.hold || step_.lose_reply;
    const bool is_sent = step_.verb->kind == VerbKind::wire;
    if (is_faulty && !is_sent)
      mistakes_.add(step_.place, "only a wire verb can be held or lose its reply");
    if (step_.hold && step_.lose_reply)
      mistakes_.add(step_.place, "a step is held or loses its reply, not both");
    if (step_.as && (step_.verb->kind == VerbKind::world || step_.hold))
      mistakes_.add(step_.place, "'as' stands beside an actor's verb that is not held");
  }

  std::vector<std::string> variant_names() const {
    std::vector<std::string> names;
    for (const Variant& variant : scenario_.variants) names.push_back(variant.name);
    return names;
  }

  bool is_variant(const std::string& name) const {
    const std::vector<std::string> names = variant_names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void check_variant(Place place, const std::string& name) {
    if (!is_variant(name))
      mistakes_.add(place, "no variant " + quoted(name) + suggestion(name, variant_names()));
  }

  Expectation parse_expectation(const Node& node) {
    Expectation expectation;
    expectation.place = node.place;
    const bool is_by_variant =
        node.is_map() &&
        std::any_of(node.entries.begin(), node.entries.end(), [&](const Node::Entry& entry) {
          return entry.key == "otherwise" || is_variant(entry.key);
        });
    if (!is_by_variant) {
      expectation.otherwise = parse_outcome(node);
      return expectation;
    }
    for (const Node::Entry& entry : node.entries) {
      if (entry.key == "otherwise") {
        expectation.otherwise = parse_outcome(entry.value);
      } else {
        check_variant(entry.place, entry.key);
        expectation.by_variant[entry.key] = parse_outcome(entry.value);
      }
    }
    return expectation;
  }

  Outcome parse_outcome(const Node& node) {
    Outcome outcome;
    if (node.is_map()) {
      outcome.values = node;
      const Node* error = node.find("error");
      if (error != nullptr) outcome.errors = parse_error_names(*error);
      if (node.find("broken") != nullptr)
        mistakes_.add(node.place, "'broken' belongs to the scenario's own 'expect'");
    } else {
      outcome.errors = parse_error_names(node);
    }
    return outcome;
  }

  std::vector<std::string> parse_error_names(const Node& node) {
    std::vector<std::string> names = mistakes_.texts_of(node, "expect");
    std::vector<std::string> known = local_outcome_names();
    for (const protocol::ErrorCodeInfo& info : protocol::error_codes())
      known.emplace_back(info.name);
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        mistakes_.add(node.place, "no error is called " + quoted(name) + suggestion(name, known));
    return names;
  }

  const Node& node_;
  const Scenario& scenario_;
  Mistakes& mistakes_;
  Step step_;
};

}  // namespace

void parse_steps(const Node& list, Scenario& scenario, Mistakes& mistakes) {
  if (!list.is_list() || list.items.empty()) {
    mistakes.add(list.place, "'steps' has to be a list of steps");
    return;
  }
  for (const Node& item : list.items)
    if (auto step = StepParser(item, scenario, mistakes).parse())
      scenario.steps.push_back(std::move(*step));
}

}  // namespace fencepost::scenario
