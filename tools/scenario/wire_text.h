// Requests and answers as one short line each: the fields that matter in a lab, in Kafka's terms.
#pragma once

#include <string>

#include "protocol/api.h"
#include "protocol/base/bytes.h"
#include "tools/scenario/topic_names.h"

namespace fencepost::scenario {

// "state-0 k1=s1 producer 1/0 sequence 0"; the bodies stand without their headers.
std::string request_text(protocol::ApiKey key, int version, const SharedBytes& body,
                         const TopicNames& names);
// "NONE offset 0".
std::string answer_text(protocol::ApiKey key, int version, const SharedBytes& body,
                        const TopicNames& names);
// "[k1=s1, k2=s2]" of all records in these batches; what is not printable as hex.
std::string records_text(const SharedBytes& batches);
// A member id without most of the random part behind the client's name.
std::string short_member(const std::string& member_id);
std::string printable(const SharedBytes& bytes);

}  // namespace fencepost::scenario
