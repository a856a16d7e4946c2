// Rows under named columns, printed for people or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace fencepost::tools {

// A number stays a number in JSON.
using Cell = std::variant<std::string, std::int64_t>;

struct Table {
  std::vector<std::string> columns;  // in TitleCase, as Kafka's tools name them
  std::vector<std::vector<Cell>> rows;
};

// Columns as wide as their widest cell, two spaces apart.
std::string to_text(const Table& table);
// One object a line, the columns' names in camelCase.
std::string to_json_lines(const Table& table);

}  // namespace fencepost::tools
