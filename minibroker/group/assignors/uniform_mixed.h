// The uniform assignor for groups whose members subscribe to different topics.
#pragma once

#include "minibroker/group/assignors/assignor.h"

namespace fencepost::minibroker {

Targets assign_uniform_mixed(const AssignorInput& input);

}  // namespace fencepost::minibroker
