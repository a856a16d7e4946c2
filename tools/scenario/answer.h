// What a step came to: the outcome's name and the values that an expectation may state; and the
// comparison with what the file expected.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/error_code.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

struct Answer {
  std::string outcome = "NONE";
  std::string detail;  // why, where the outcome is the client's own
  Node values;         // a map

  void set(std::string name, Node value);
};

Node text_node(std::string text);
Node number_node(std::int64_t number);
Node list_node(const std::vector<std::string>& items);
Node map_node(const std::vector<std::pair<std::string, std::string>>& entries);

Answer answer_of(protocol::ErrorCode code);
// UNKNOWN_OUTCOME, STALLED, CANNOT_CONNECT, REFUSED_LOCALLY or the kind's own name.
Answer answer_of(const Error& error);

struct Mismatch {
  std::string expected;
  std::string actual;
};

// Nothing when the answer is as expected; without an expectation it has to be NONE.
std::optional<Mismatch> compare(const Outcome* expected, const Answer& answer);
// "NONE {offset: 3}" for a person.
std::string to_string(const Answer& answer);

}  // namespace fencepost::scenario
