// What was given on the command line, in a file, or on the standard input.
#pragma once

#include <string>

#include "protocol/base/result.h"

namespace fencepost::tools::wire {

// The argument itself; of "-" everything that the standard input has.
Result<std::string> argument_or_stdin(const std::string& argument);
Result<std::string> read_file(const std::string& path);

}  // namespace fencepost::tools::wire
