// A message behind its schema, for tools that learn its name only when they run.
#pragma once

#include <string>
#include <vector>

#include "protocol/codec.h"

namespace fencepost::protocol {

struct MessageType {
  const MessageInfo* info;
  // Kafka's JSON form of the bytes of a body.
  Result<std::string> (*to_json)(const SharedBytes& bytes, int version);
  // What each byte is, from where the reader stands; the reader reads the annotation's buffer.
  bool (*annotate)(Reader& reader, int version, Annotation& annotation);
  Result<Frame> (*from_json)(const JsonValue& json, int version);
  // The body decoded and encoded again, unknown tagged fields included: the same bytes, or the
  // shortest ones with the same meaning.
  Result<Frame> (*recode)(const SharedBytes& bytes, int version);
  std::vector<FieldDescription> (*describe)();
};

template <class Message>
constexpr MessageType message_type() {
  return {
      &Message::info,
      [](const SharedBytes& bytes, int version) -> Result<std::string> {
        const Result<Message> message = Codec<Message>::decode(bytes, version);
        if (!message) return message.error();
        return Codec<Message>::to_json(*message, version);
      },
      &Codec<Message>::annotate,
      [](const JsonValue& json, int version) -> Result<Frame> {
        const Result<Message> message = Codec<Message>::from_json(json, version);
        if (!message) return message.error();
        return Codec<Message>::encode(*message, version);
      },
      [](const SharedBytes& bytes, int version) -> Result<Frame> {
        const Result<Message> message = Codec<Message>::decode(bytes, version);
        if (!message) return message.error();
        return Codec<Message>::encode(*message, version);
      },
      &Codec<Message>::describe,
  };
}

}  // namespace fencepost::protocol
