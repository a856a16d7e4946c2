#include "tools/table.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fencepost::tools {

namespace {

std::string text_of(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  return std::get<std::string>(cell);
}

std::string camel_case(std::string name) {
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z')
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return name;
}

}  // namespace

std::string to_text(const Table& table) {
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(text_of(cell));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    std::string printed;
    for (std::size_t i = 0; i < line.size(); ++i) {
      printed += line[i];
      if (i + 1 < line.size()) printed.append(widths[i] - line[i].size() + 2, ' ');
    }
    text += printed + "\n";
  }
  return text;
}

std::string to_json_lines(const Table& table) {
  std::string text;
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string name = camel_case(table.columns[i]);
      std::visit([&](const auto& value) { object[name] = value; }, row[i]);
    }
    text += object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace fencepost::tools
