#include "tools/scenario/explore/counterexample.h"

#include "protocol/error_code.h"

namespace fencepost::scenario {

namespace {

// ---- YAML

bool is_plain(const std::string& text) {
  constexpr std::string_view signs = "_.@+/=-";
  if (text.empty() || text == "null" || text.front() == '@' || text.front() == '=') return false;
  for (const char letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 &&
        signs.find(letter) == std::string_view::npos)
      return false;
  return text != "-" && text != "---" && text != ".";
}

std::string scalar(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter == '\n' ? ' ' : letter;
  }
  return quoted + "\"";
}

std::string flow(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::scalar:
      return scalar(node.text);
    case NodeKind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow(item);
      return "[" + text + "]";
    case NodeKind::map:
      for (const Node::Entry& entry : node.entries)
        text += (text.empty() ? "" : ", ") + scalar(entry.key) + ": " + flow(entry.value);
      return "{" + text + "}";
  }
  return text;
}

std::string duration_text(Duration duration) {
  const std::int64_t ms = to_milliseconds(duration);
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

std::string settings_text(const std::map<std::string, std::string>& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += (text.empty() ? "" : ", ") + scalar(name) + ": " + scalar(value);
  return "{" + text + "}";
}

// ---- the header

std::string topic_text(const minibroker::TopicSettings& topic) {
  std::map<std::string, std::string> settings = topic.config;
  if (topic.partition_count != 1) settings["partitions"] = std::to_string(topic.partition_count);
  if (topic.replication_factor != 1)
    settings["replication_factor"] = std::to_string(topic.replication_factor);
  return "  " + scalar(topic.name) + ": " + settings_text(settings) + "\n";
}

std::string variant_text(const Variant& variant) {
  std::string text = "variants:\n  - {name: " + scalar(variant.name);
  if (variant.as_version) text += ", as_version: " + scalar(*variant.as_version);
  if (variant.brokers) text += ", brokers: " + std::to_string(*variant.brokers);
  if (variant.defect) text += ", defect: " + *variant.defect;
  if (variant.fence == Fence::generation) text += ", fence: generation";
  if (!variant.settings.empty()) text += ", settings: " + settings_text(variant.settings);
  return text + "}\n";
}

std::string header(const Program& program, const Execution& execution,
                   const std::optional<std::string>& as_version) {
  const Scenario& scenario = program.scenario();
  const Violation& violation = *execution.violation();
  std::string text = "# Found by fencepost explore.\n";
  text += "title: " + scalar(scenario.title + ": a schedule that breaks " + violation.property);
  text += "\nlook:\n  - " + scalar(violation.why) + "\n";
  if (scenario.brokers != 1) text += "brokers: " + std::to_string(scenario.brokers) + "\n";
  if (as_version || scenario.as_version)
    text += "as_version: " + scalar(as_version.value_or(scenario.as_version.value_or(""))) + "\n";
  if (scenario.defect) text += "defect: " + *scenario.defect + "\n";
  if (scenario.seed != 1) text += "seed: " + std::to_string(scenario.seed) + "\n";
  if (!scenario.settings.empty()) text += "settings: " + settings_text(scenario.settings) + "\n";
  if (!scenario.topics.empty()) text += "topics:\n";
  for (const minibroker::TopicSettings& topic : scenario.topics) text += topic_text(topic);
  if (!program.variant().name.empty()) text += variant_text(program.variant());
  text += (execution.is_finished() ? "finally: [" : "always: [") + violation.property + "]\n";
  return text + "expect: {broken: " + violation.property + "}\nsteps:\n";
}

// ---- the steps

bool can_be_tried_again(const std::string& outcome) {
  const std::optional<protocol::ErrorCode> code = protocol::parse_error_code(outcome);
  return code && asking_again_can_help(*code);
}

std::string expectation(const Answer& answer) {
  if (answer.outcome != "NONE") return "    expect: " + answer.outcome + "\n";
  const Node* state = answer.values.find("state");
  return state == nullptr ? "" : "    expect: {state: " + flow(*state) + "}\n";
}

std::string step_text(const Taken& taken) {
  const Step& step = *taken.step;
  const std::string verb =
      (step.actor.empty() ? "" : step.actor + ".") + std::string(step.verb->name);
  std::string text = "  - " + verb + ":";
  if (!step.written.is_null()) text += " " + flow(step.written);
  text += "\n";
  if (step.hold) return text + "    hold: " + *step.hold + "\n    retry: false\n";
  if (step.lose_reply) text += "    lose_reply: true\n";
  if (step.retry && !*step.retry) text += "    retry: false\n";
  const bool is_actors = !step.actor.empty() && taken.answer.has_value();
  if (is_actors && !step.retry && can_be_tried_again(taken.answer->outcome))
    text += "    retry: true\n";
  return is_actors ? text + expectation(*taken.answer) : text;
}

std::string restart_text(const Program& program, int broker_id) {
  return "  - restart: " + std::to_string(broker_id) + "\n  - clock.advance: " +
         duration_text(Execution::time_to_return(program.scenario(), program.variant())) + "\n";
}

std::string unsynced_text(const Choice& choice) {
  return choice.unsynced == minibroker::sim::Unsynced::lost ? ", unsynced: lost" : "";
}

std::string crash_text(const Choice& choice) {
  std::string text = "  - crash_at: {point: " + choice.point;
  if (!choice.subject.empty()) text += ", of: " + scalar(choice.subject);
  if (choice.skip != 0) text += ", skip: " + std::to_string(choice.skip);
  return text + ", broker: " + std::to_string(choice.broker_id) + unsynced_text(choice) + "}\n";
}

std::string taken_text(const Program& program, const Taken& taken) {
  const Choice& choice = taken.choice;
  switch (choice.kind) {
    case ChoiceKind::step:
    case ChoiceKind::barrier:
    case ChoiceKind::hold:
    case ChoiceKind::lose_reply:
      return step_text(taken);
    case ChoiceKind::hold_markers:
      return "  - hold: {api: WriteTxnMarkers, as: " + taken.hold + "}\n" + step_text(taken);
    case ChoiceKind::crash:
      return taken.is_crashed ? crash_text(taken.choice) + step_text(taken) : step_text(taken);
    case ChoiceKind::crash_now:
      return "  - crash: {broker: " + std::to_string(choice.broker_id) + unsynced_text(choice) +
             "}\n";
    case ChoiceKind::restart:
      return restart_text(program, taken.choice.index);
    case ChoiceKind::release:
      return "  - release: " + taken.hold + "\n" +
             (taken.answer && taken.answer->outcome != "NONE" ? expectation(*taken.answer) : "");
    case ChoiceKind::clock:
      return "  - clock.advance: " + duration_text(taken.passed) + "\n";
  }
  return "";
}

}  // namespace

std::string counterexample_text(const Program& program, const Execution& execution,
                                const std::optional<std::string>& as_version) {
  std::string text = header(program, execution, as_version);
  for (const Taken& taken : execution.history()) text += taken_text(program, taken);
  if (!execution.is_finished()) return text;
  for (const int broker_id : execution.restarted_at_end()) text += restart_text(program, broker_id);
  return text + "  - heal:\n  - clock.advance: " +
         duration_text(Execution::time_to_decide(program.scenario())) + "\n";
}

std::vector<std::string> schedule_lines(const Program& program, const Execution& execution) {
  std::vector<std::string> lines;
  for (const Taken& taken : execution.history()) {
    const Choice& choice = taken.choice;
    std::string line;
    if (taken.step != nullptr) {
      line = (taken.step->actor.empty() ? "" : taken.step->actor + ".") +
             std::string(taken.step->verb->name) + "  " + flow(taken.step->written);
      if (taken.step->written.is_null()) line.resize(line.size() - 6);
    }
    if (choice.kind == ChoiceKind::release) line = "what was held as " + taken.hold + " arrives";
    if (choice.kind == ChoiceKind::restart)
      line = "broker " + std::to_string(choice.index) + " restarts";
    if (choice.kind == ChoiceKind::clock) line = duration_text(taken.passed) + " pass";
    if (choice.kind == ChoiceKind::hold) line += "  held as " + taken.hold;
    if (choice.kind == ChoiceKind::hold_markers) line += "  its markers held as " + taken.hold;
    if (choice.kind == ChoiceKind::lose_reply) line += "  its answer is lost";
    if (choice.kind == ChoiceKind::crash)
      line += "  broker " + std::to_string(choice.broker_id) + " crashes at " + choice.point;
    if (choice.kind == ChoiceKind::crash_now)
      line = "broker " + std::to_string(choice.broker_id) + " crashes";
    if (choice.unsynced == minibroker::sim::Unsynced::lost)
      line += ", and what it had not synced is lost";
    if (taken.answer && taken.answer->outcome != "NONE") line += "  -> " + taken.answer->outcome;
    lines.push_back(std::move(line));
  }
  if (execution.is_finished())
    lines.push_back("brokers return, links heal, and " +
                    duration_text(Execution::time_to_decide(program.scenario())) + " pass");
  return lines;
}

}  // namespace fencepost::scenario
