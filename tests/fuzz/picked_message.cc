#include "tests/fuzz/picked_message.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/protocol/message_types.h"

namespace fencepost::fuzz {

namespace {

const std::vector<protocol::MessageType>& message_types() {
  static const std::vector<protocol::MessageType> types = protocol::all_message_types();
  return types;
}

}  // namespace

std::optional<PickedMessage> pick_message(ByteView input) {
  if (input.size() < 2) return std::nullopt;
  const protocol::MessageType& type = message_types()[input[0] % message_types().size()];
  const protocol::Versions versions = type.info->valid_versions;
  const int version = versions.first + input[1] % (versions.last - versions.first + 1);
  return PickedMessage{type, version, SharedBytes::copy_of(input.subspan(2))};
}

void print_names_if_asked(int argument_count, char** arguments) {
  if (argument_count != 2 || std::string_view(arguments[1]) != "--names") return;
  for (std::size_t i = 0; i < message_types().size(); ++i) {
    const protocol::MessageInfo& info = *message_types()[i].info;
    std::printf("%zu %d %.*s\n", i, info.valid_versions.first, static_cast<int>(info.name.size()),
                info.name.data());
  }
  std::exit(0);
}

}  // namespace fencepost::fuzz
