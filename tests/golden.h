// The golden data of tests/data, which Kafka's own classes wrote. See tests/data/README.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"

namespace fencepost::golden {

using Row = std::vector<std::string>;  // the columns of one line

// The lines of tests/data/`file`, unpacked when it is a .gz. Aborts when there is no such file.
std::vector<Row> rows(std::string_view file);
// As above, without the first line, which names the columns.
std::vector<Row> rows_below_heading(std::string_view file);

SharedBytes from_hex(std::string_view hex);

// The JSON with its members in alphabetical order, so that two texts can be compared.
std::string normalized_json(std::string_view text);

}  // namespace fencepost::golden
