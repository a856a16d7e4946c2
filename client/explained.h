// An error code in a sentence for a person: its name, and for those that ask for somebody to act,
// what is missing.
#pragma once

#include <string>

#include "protocol/error_code.h"

namespace fencepost::client {

// "TOPIC_AUTHORIZATION_FAILED (the user lacks an ACL for the topic)"
std::string explained(protocol::ErrorCode code);

}  // namespace fencepost::client
