#include "tests/protocol/message_types.h"

#include "protocol/base/check.h"
#include "protocol/catalog.h"

namespace fencepost::protocol {

std::vector<MessageType> all_message_types() {
  return {message_types().begin(), message_types().end()};
}

MessageType message_type_named(std::string_view name) {
  const MessageType* found = find_message_type(name);
  CHECK(found != nullptr);
  return *found;
}

std::string json_path(std::string path) {
  bool is_first = true;
  for (char& letter : path) {
    if (is_first && letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    is_first = letter == '.';
  }
  return path;
}

}  // namespace fencepost::protocol
