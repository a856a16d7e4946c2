// What can be done with every message: decode, encode, JSON in both directions, description. The
// definitions are in codec_walk.h, which only the .cc of each message includes; the walks are in
// codec_decode.cc, codec_encode.cc and codec_json.cc.
#pragma once

#include <string>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/field.h"
#include "protocol/reader.h"
#include "protocol/writer.h"

namespace fencepost::protocol {

class Annotation;
class JsonValue;

// One field as `fencepost api` and the schema test show it.
struct FieldDescription {
  std::string path;  // "TopicData.PartitionData.Index"; "." for a message without fields
  std::string type;  // Kafka's type: int32, []TopicProduceData, records, ...
  Versions versions;
  Versions nullable_versions;
  Versions tagged_versions;
  std::uint32_t tag = 0;
  std::string default_json;
  bool is_ignorable = false;
  bool is_never_flexible = false;
};

// Encode and decode take the body alone, without a header. Versions outside valid_versions are
// ErrorKind::unsupported_version.
template <class Message>
struct Codec {
  // Bytes and records of the message become slices of `bytes`. Bytes left over are an error.
  static Result<Message> decode(const SharedBytes& bytes, int version);
  // As above, from where the reader stands; what follows the message is left unread.
  static bool decode(Reader& reader, int version, Message& message);
  // As above, for what each byte is. The reader reads the annotation's buffer.
  static bool annotate(Reader& reader, int version, Annotation& annotation);
  // Refuses a value that this version cannot carry, unless the schema says ignorable.
  static Result<Frame> encode(const Message& message, int version);
  static Result<void> encode(Writer& writer, const Message& message, int version);
  // Kafka's JSON form of the message on one line, fields in wire order.
  static std::string to_json(const Message& message, int version);
  static Result<Message> from_json(const JsonValue& json, int version);
  static std::vector<FieldDescription> describe();
};

}  // namespace fencepost::protocol
