// Every message by its schema name: both sides of each API, headers, and what coordinators and
// consumers keep inside records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/message_type.h"

namespace fencepost::protocol {

std::vector<MessageType> all_message_types();
// Aborts when there is no such message.
MessageType message_type_named(std::string_view name);
// A field's path as the JSON spells it. Kafka's schema begins most names with a capital, but not
// all; the JSON none.
std::string json_path(std::string path);

}  // namespace fencepost::protocol
