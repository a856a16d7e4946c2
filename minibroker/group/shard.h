// What the group coordinator holds for one partition of __consumer_offsets.
#pragma once

#include <map>
#include <string>

#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

// Topics by name, with their ids.
using TopicIds = std::map<std::string, Uuid>;

}  // namespace fencepost::minibroker
