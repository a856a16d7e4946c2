#include "tools/explore_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/scenario/explore/cut_table.h"

namespace fencepost::tools {

namespace {

using scenario::CutRow;
using scenario::CutTable;
using scenario::Readings;

std::string readings_text(const Readings& readings) {
  const auto joined = [](const std::vector<std::string>& values) {
    return values.empty() ? "-" : fmt::format("{}", fmt::join(values, " "));
  };
  return fmt::format("{} | {} | {}", joined(readings.uncommitted), joined(readings.committed),
                     readings.offsets ? joined(*readings.offsets) : "?");
}

nlohmann::ordered_json json_of(const Readings& readings) {
  nlohmann::ordered_json offsets;  // null when nobody can be asked
  if (readings.offsets) offsets = *readings.offsets;
  return {{"read_uncommitted", readings.uncommitted},
          {"read_committed", readings.committed},
          {"offsets", std::move(offsets)}};
}

nlohmann::ordered_json json_of(const CutRow& row) {
  nlohmann::ordered_json object = {{"cut", row.point}, {"of", row.subject}, {"told", row.answer}};
  if (!row.point.empty()) {
    object["before"] = json_of(row.before);
    object["loaded"] = row.loaded;
  }
  object["after"] = json_of(row.after);
  object["became"] = row.became;
  object["told_again"] =
      row.again.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.again);
  object["decided"] = row.decided;
  object["end"] = json_of(row.last);
  object["broken"] =
      row.violation ? nlohmann::ordered_json(*row.violation) : nlohmann::ordered_json();
  return object;
}

std::vector<std::string> cells_of(const CutRow& row) {
  const bool is_cut = !row.point.empty();
  return {is_cut ? row.point : "(no crash)",
          row.subject,
          row.answer == "UNKNOWN_OUTCOME" ? "nothing" : row.answer,
          is_cut ? readings_text(row.before) : "",
          is_cut ? row.loaded : "",
          readings_text(row.after),
          row.became,
          row.again,
          readings_text(row.last),
          row.violation ? *row.violation + " BREAKS" : row.decided};
}

void print_table(const CutTable& table) {
  const std::vector<std::string> head = {"cut",
                                         "of",
                                         "told",
                                         "read at the cut",
                                         "the log holds",
                                         "read when back",
                                         "became",
                                         "told again",
                                         "read in the end",
                                         "in the end"};
  std::vector<std::vector<std::string>> lines = {head};
  for (const CutRow& row : table.rows) lines.push_back(cells_of(row));
  std::vector<std::size_t> widths(head.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += fmt::format("  {:<{}}", line[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("  {}\n", text);
  }
}

void print_json(const std::string& file, const CutTable& table) {
  for (const CutRow& row : table.rows) {
    nlohmann::ordered_json object = {
        {"file", file}, {"variant", table.variant}, {"step", table.step}};
    object.update(json_of(row));
    fmt::print("{}\n", object.dump());
  }
}

bool is_held(const CutTable& table) {
  return !table.rows.empty() && std::ranges::none_of(table.rows, [](const CutRow& it) {
    return it.violation.has_value();
  });
}

}  // namespace

bool print_cut_tables(const std::vector<scenario::Scenario>& scenarios,
                      const std::optional<std::string>& as_version, bool is_json) {
  bool ok = true;
  for (const scenario::Scenario& it : scenarios) {
    if (!is_json) fmt::print("{}: {}\n", it.file, it.title);
    if (!is_json)
      fmt::print(
          "read: read_uncommitted | read_committed | committed offsets (?: its coordinator is "
          "down)\n");
    for (const scenario::Variant& variant : it.variants) {
      const CutTable table = scenario::cut_table(it, variant, as_version);
      ok = ok && is_held(table);
      if (is_json) {
        print_json(it.file, table);
        continue;
      }
      fmt::print("\n{}{}\n", variant.name.empty() ? "" : variant.name + ": ", table.step);
      if (table.rows.empty()) fmt::print("  FAILED: a step before it is refused\n");
      if (!table.rows.empty()) print_table(table);
    }
  }
  return ok;
}

}  // namespace fencepost::tools
