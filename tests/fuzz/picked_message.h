// What a fuzzed input is about: its first two bytes pick a message and a version, the rest is the
// message.
#pragma once

#include <optional>

#include "protocol/message_type.h"

namespace fencepost::fuzz {

struct PickedMessage {
  protocol::MessageType type;
  int version;
  SharedBytes content;
};

// Nothing when there are fewer than two bytes.
std::optional<PickedMessage> pick_message(ByteView input);

// Prints number, first version and name of every message, one a line, when the program was started
// with --names alone, and exits; write_seeds reads them.
void print_names_if_asked(int argument_count, char** arguments);

}  // namespace fencepost::fuzz
