// The form for scripts: one message a line in, one answer a line out, in the same order.
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace fencepost::tools::wire {

// API, version, request or response, and hex, separated by tabs: the message as JSON on one line.
std::string decode_line(std::string_view line);
// The same with JSON in place of hex: the message as hex.
std::string encode_line(std::string_view line);

// {"error": what to_string() says, "field": ..., "offset": ...}; field and offset only where the
// error has them. What a line gets that cannot be done.
std::string error_json(const Error& error);

// Answers every line that comes from the file descriptor until it ends. Answers are written once no
// further line is there to be read without waiting, so that a script may wait for each of its own.
// Returns false when reading or writing failed.
bool answer_lines(int in, int out, std::string (*answer)(std::string_view line));

}  // namespace fencepost::tools::wire
