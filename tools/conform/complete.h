// What a body leaves out.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "protocol/codec.h"

namespace fencepost::conform {

// Gives every field of that version that is missing its default, and takes out what the version
// does not have.
void complete(nlohmann::json& body, const std::vector<protocol::FieldDescription>& fields,
              int version);

}  // namespace fencepost::conform
