// A message read in one version and written in another, behind its name.
#pragma once

#include <string_view>

#include "protocol/codec.h"

namespace fencepost::protocol {

using Transcode = Result<Frame> (*)(const SharedBytes& bytes, int from, int to);

// Aborts when there is no such message.
Transcode transcoding_of(std::string_view message);

}  // namespace fencepost::protocol
