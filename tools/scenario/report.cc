// Columns are aligned within a step: a reader compares the requests of one step, not of two.
#include "tools/scenario/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fencepost::scenario {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view indent = "              ";
constexpr std::size_t request_width_max = 76;

std::string seconds(Duration time) {
  const std::int64_t ms = to_milliseconds(time);
  return fmt::format("{}.{:03}s", ms / 1000, ms % 1000);
}

std::string step_title(const Step& step) {
  const std::string actor = step.actor.empty() ? "" : step.actor + ".";
  return actor + std::string(step.verb->name) + (step.source.empty() ? "" : "  " + step.source);
}

std::string answer_side(const Exchange& it) {
  if (it.is_held && !it.answered) return "(held)";
  if (it.is_answer_lost) return it.answer.empty() ? "(no answer)" : it.answer + " (lost)";
  return it.answer.empty() ? "(no answer)" : it.answer;
}

// A request that was repeated with the same answer is shown once.
struct Row {
  std::string api, request, answer;
  int times = 1;
};

std::vector<Row> rows_of(const std::vector<Exchange>& exchanges) {
  std::vector<Row> rows;
  for (const Exchange& it : exchanges) {
    Row row{fmt::format("{} v{}", protocol::to_string(it.key), it.version), it.request,
            answer_side(it), 1};
    const bool is_repeat = !rows.empty() && rows.back().api == row.api &&
                           rows.back().request == row.request && rows.back().answer == row.answer;
    if (is_repeat)
      ++rows.back().times;
    else
      rows.push_back(std::move(row));
  }
  return rows;
}

std::string expected_text(const Outcome& outcome) {
  std::string text;
  for (const std::string& name : outcome.errors) text += (text.empty() ? "" : " or ") + name;
  if (!outcome.values.is_null()) text += (text.empty() ? "" : " ") + to_string(outcome.values);
  return text;
}

Json json_value(const Node& node) {
  if (node.is_list()) {
    Json list = Json::array();
    for (const Node& item : node.items) list.push_back(json_value(item));
    return list;
  }
  if (node.is_map()) {
    Json map = Json::object();
    for (const Node::Entry& entry : node.entries) map[entry.key] = json_value(entry.value);
    return map;
  }
  return node.is_null() ? Json(nullptr) : Json(node.text);
}

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Report::Report(ReportMode mode, bool has_colours, Write write)
    : mode_(mode), has_colours_(has_colours), write_(std::move(write)) {}

void Report::line(Style style, const std::string& text) {
  digest_.add(text);
  digest_.add("\n");
  if (mode_ != ReportMode::text) return;
  const char* colour = "";
  switch (style) {
    case Style::plain:
      break;
    case Style::title:
      colour = "\x1b[1m";
      break;
    case Style::dim:
      colour = "\x1b[2m";
      break;
    case Style::good:
      colour = "\x1b[32m";
      break;
    case Style::bad:
      colour = "\x1b[31m";
      break;
  }
  const bool is_coloured = has_colours_ && *colour != '\0';
  write_(is_coloured ? colour + text + "\x1b[0m\n" : text + "\n");
}

void Report::json_line(const std::string& text) {
  if (mode_ == ReportMode::json) write_(text + "\n");
}

void Report::begin(const Scenario& scenario, const Variant& variant, const std::string& where,
                   std::string replay) {
  file_ = scenario.file;
  variant_ = variant.name;
  replay_ = std::move(replay);
  variant_ok_ = true;
  ++scenario_variants_;
  line(Style::title, fmt::format("{}: {}", file_, scenario.title));
  line(Style::plain,
       fmt::format("  {}{}", variant.name.empty() ? "" : "variant " + variant.name + ", ", where));
  if (scenario_variants_ == 1) {
    if (!scenario.question.empty()) line(Style::plain, "  question  " + scenario.question);
    for (std::size_t i = 0; i < scenario.look.size(); ++i)
      line(Style::plain, (i == 0 ? "  look at   " : "            ") + scenario.look[i]);
  }
  line(Style::plain, "");
}

void Report::exchange_lines(const std::vector<Exchange>& exchanges) {
  const std::vector<Row> rows = rows_of(exchanges);
  std::size_t api_width = 0;
  std::size_t request_width = 0;
  for (const Row& row : rows) {
    api_width = std::max(api_width, row.api.size());
    request_width = std::max(request_width, std::min(row.request.size(), request_width_max));
  }
  for (const Row& row : rows)
    line(Style::dim, fmt::format("{}{:<{}}  {:<{}}  -> {}{}", indent, row.api, api_width,
                                 row.request, request_width, row.answer,
                                 row.times > 1 ? fmt::format("  ({} times)", row.times) : ""));
}

void Report::outcome_lines(const StepReport& step) {
  if (step.mismatch) {
    line(Style::bad,
         fmt::format("{}NOT AS EXPECTED  at {}:{}", indent, file_, step.step->place.line));
    line(Style::bad, fmt::format("{}expected  {}", indent, step.mismatch->expected));
    line(Style::bad, fmt::format("{}actual    {}", indent, step.mismatch->actual));
    line(Style::bad, fmt::format("{}replay    {}", indent, replay_));
  } else if (step.expected != nullptr && step.answer) {
    line(Style::good, fmt::format("{}as expected: {}", indent, expected_text(*step.expected)));
  }
}

void Report::step(const StepReport& step) {
  if (step.mismatch) variant_ok_ = false;
  if (!step.step->note.empty()) line(Style::plain, fmt::format("{}# {}", indent, step.step->note));
  if (step.step->verb->name == "note") {
    line(Style::plain,
         fmt::format("{}# {}", indent, step.step->arguments.text("text").value_or("")));
  } else {
    line(Style::title, fmt::format("{:>4} {:>8}  {}", step.number, seconds(step.started),
                                   step_title(*step.step)));
  }
  exchange_lines(step.exchanges);
  if (!step.remark.empty()) line(Style::plain, std::string(indent) + step.remark);
  const bool is_local = step.answer && !step.answer->detail.empty() && !step.mismatch;
  if (is_local)
    line(Style::plain, fmt::format("{}{}: {}", indent, step.answer->outcome, step.answer->detail));
  for (const std::string& text : step.state) line(Style::plain, std::string(indent) + text);
  outcome_lines(step);
  if (mode_ == ReportMode::json) json_line(json_of(step));
}

std::string Report::json_of(const StepReport& step) const {
  Json exchanges = Json::array();
  for (const Exchange& it : step.exchanges)
    exchanges.push_back({{"api", std::string(protocol::to_string(it.key))},
                         {"version", it.version},
                         {"request", it.request},
                         {"answer", answer_side(it)}});
  Json json = {{"file", file_},
               {"variant", variant_},
               {"step", step.number},
               {"line", step.step->place.line},
               {"actor", step.step->actor},
               {"verb", std::string(step.step->verb->name)},
               {"started_ms", to_milliseconds(step.started)},
               {"ended_ms", to_milliseconds(step.ended)},
               {"exchanges", exchanges},
               {"outcome", step.answer ? Json(step.answer->outcome) : Json(nullptr)},
               {"values", step.answer ? json_value(step.answer->values) : Json(nullptr)},
               {"state", step.state},
               {"ok", !step.mismatch.has_value()}};
  if (step.mismatch) {
    json["expected"] = step.mismatch->expected;
    json["actual"] = step.mismatch->actual;
    json["replay"] = replay_;
  }
  return json_text(json);
}

void Report::property(const PropertyReport& property) {
  if (!property.ok()) variant_ok_ = false;
  std::string text = "holds";
  if (!property.is_checked) text = "not checked: it needs the simulated cluster";
  if (property.broken) text = "broken: " + *property.broken;
  if (property.was_expected_broken && property.ok()) text += " (as this scenario is there to show)";
  if (property.was_expected_broken && !property.ok()) text += ", but was expected to be broken";
  line(property.ok() ? Style::good : Style::bad,
       fmt::format("     property  {}: {}", property.name, text));
  if (!property.ok()) line(Style::bad, fmt::format("{}replay    {}", indent, replay_));
  if (mode_ == ReportMode::json)
    json_line(json_text({{"file", file_},
                         {"variant", variant_},
                         {"property", property.name},
                         {"broken", property.broken ? Json(*property.broken) : Json(nullptr)},
                         {"ok", property.ok()}}));
}

void Report::failure(const std::string& text) {
  variant_ok_ = false;
  line(Style::bad, fmt::format("     FAILED    {}", text));
  line(Style::bad, fmt::format("{}replay    {}", indent, replay_));
  if (mode_ == ReportMode::json)
    json_line(
        json_text({{"file", file_}, {"variant", variant_}, {"failure", text}, {"ok", false}}));
}

void Report::note(const std::string& text) {
  line(Style::plain, "     " + text);
}

void Report::end(std::uint64_t cluster_digest, Duration virtual_time) {
  digest_.add(static_cast<std::int64_t>(cluster_digest));
  ++variants_;
  if (!variant_ok_) {
    ++failed_variants_;
    scenario_ok_ = false;
  }
  line(variant_ok_ ? Style::good : Style::bad,
       fmt::format("     {}  after {} of its time", variant_ok_ ? "green" : "RED",
                   seconds(virtual_time)));
  line(Style::plain, "");
}

void Report::end_scenario(const Scenario& scenario) {
  ++scenarios_;
  if (mode_ == ReportMode::quiet)
    write_(fmt::format("{}  {}  {} variant{}\n", scenario_ok_ ? "green" : "RED  ", scenario.file,
                       scenario_variants_, scenario_variants_ == 1 ? "" : "s"));
  scenario_ok_ = true;
  scenario_variants_ = 0;
}

bool Report::summary() {
  const bool ok = failed_variants_ == 0;
  const std::string digest = fmt::format("{:016x}", digest_.value());
  const std::string result = ok ? "all green" : fmt::format("{} red", failed_variants_);
  const std::string text =
      fmt::format("{} scenario{} ({} variant{}), {}\n", scenarios_, scenarios_ == 1 ? "" : "s",
                  variants_, variants_ == 1 ? "" : "s", result);
  if (mode_ == ReportMode::json)
    json_line(json_text({{"scenarios", scenarios_},
                         {"variants", variants_},
                         {"failed", failed_variants_},
                         {"digest", digest},
                         {"ok", ok}}));
  else
    write_("digest " + digest + "\n" + text);
  return ok;
}

}  // namespace fencepost::scenario
