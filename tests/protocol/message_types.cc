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

}  // namespace fencepost::protocol
