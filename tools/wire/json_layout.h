// JSON for people: one line of JSON broken and indented. Numbers and strings stay as they are
// written, so that no digit of an int64 is lost.
#pragma once

#include <string>
#include <string_view>

namespace fencepost::tools::wire {

// Objects and arrays that are short and hold no others stay on one line.
std::string indented_json(std::string_view json);

}  // namespace fencepost::tools::wire
