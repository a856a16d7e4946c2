// Bytes as people have them: hex in several spellings, base64, or as they are.
#pragma once

#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::tools::wire {

enum class Encoding {
  automatic,
  hex,     // with or without 0x, spaces, line ends, colons and commas between
  base64,  // standard, with padding; spaces and line ends between
  raw,
};

// The bytes that the text stands for. An error names the first character that is wrong, counted
// from 1. Automatic takes for raw what no person types, for hex what has hex digits only, and for
// base64 what has its padding, its signs or letters in upper and in lower case; anything else is
// meant as hex.
Result<SharedBytes> parse_bytes(std::string_view text, Encoding encoding);

}  // namespace fencepost::tools::wire
