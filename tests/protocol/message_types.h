// Every message by its schema name: both sides of each API, headers, and what coordinators and
// consumers keep inside records.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/message_type.h"

namespace fencepost::protocol {

std::vector<MessageType> all_message_types();
// Aborts when there is no such message.
MessageType message_type_named(std::string_view name);

}  // namespace fencepost::protocol
