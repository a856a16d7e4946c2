// Every message by its schema name: both sides of each API, the headers, and what coordinators and
// consumers keep inside records. For tools and tests that learn names only when they run.
#pragma once

#include <span>
#include <string_view>

#include "protocol/message_type.h"

namespace fencepost::protocol {

std::span<const MessageType> message_types();
// By its name in Kafka's schemas, such as "EndTxnRequest"; null when there is no such message.
const MessageType* find_message_type(std::string_view name);

// ---- the records of the coordinators' topics

enum class InternalTopic { transaction_state, consumer_offsets };

// A key is its int16 record type and the key message in version 0; a value is its int16 version and
// the value message. A null value is a tombstone.
struct InternalRecordType {
  InternalTopic topic;
  MessageType key;
  MessageType value;
};

std::string_view to_string(InternalTopic topic);
// "__transaction_state" and "__consumer_offsets"; nothing for any other name.
std::optional<InternalTopic> parse_internal_topic(std::string_view name);
// Null when no release writes records of that type.
const InternalRecordType* find_internal_record_type(InternalTopic topic, std::int16_t type);

}  // namespace fencepost::protocol
