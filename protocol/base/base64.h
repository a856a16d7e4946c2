// Reading standard base64. Its other direction, to_base64(), is in bytes.h.
#pragma once

#include <optional>
#include <string_view>

#include "protocol/base/bytes.h"

namespace fencepost {

// The bytes of standard base64 with padding; nothing when it is not that.
std::optional<ByteVector> parse_base64(std::string_view text);

}  // namespace fencepost
