// The walks over a message's table, and Codec in terms of them. Each message's .cc includes this
// and instantiates Codec<Message>; nobody else needs it.
#pragma once

#include <cstring>
#include <optional>

#include "protocol/codec.h"
#include "protocol/codec_table.h"
#include "protocol/json.h"

namespace fencepost::protocol::walk {

// The version a walk is for.
struct Context {
  int version = 0;
  bool is_flexible = false;

  Context for_field(const FieldTable& field) const {
    return {version, is_flexible && !field.is_never_flexible};
  }
};

Context context_of(const MessageInfo& info, int version);
// An error unless the message has that version.
std::optional<Error> unsupported(const MessageInfo& info, int version);
std::string bracketed(std::size_t index);

// Numbers behind pointers; memcpy, because an enumeration may stand there.
template <class Number>
Number load(const void* from) {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return number;
}
template <class Number>
void store(void* to, Number number) {
  std::memcpy(to, &number, sizeof number);
}

inline UnknownTaggedFields& unknown_tagged_fields(const StructTable& table, void* structure) {
  return *reinterpret_cast<UnknownTaggedFields*>(static_cast<std::uint8_t*>(structure) +
                                                 table.unknown_tagged_fields_offset);
}
inline const UnknownTaggedFields& unknown_tagged_fields(const StructTable& table,
                                                        const void* structure) {
  return *reinterpret_cast<const UnknownTaggedFields*>(static_cast<const std::uint8_t*>(structure) +
                                                       table.unknown_tagged_fields_offset);
}

bool are_equal(const ValueType& type, const void* a, const void* b);
bool is_default(const StructTable& table, const FieldTable& field, const void* structure);

// The walks proper. The pointer is to a struct of that table, which starts out as its default
// where it is read into.
bool decode(Reader& reader, const StructTable& table, void* structure, const Context& context);
// The same; the reader reads the annotation's buffer.
bool annotate(Reader& reader, const StructTable& table, void* structure, const Context& context,
              Annotation& annotation);
std::optional<Error> encode(Writer& writer, const StructTable& table, const void* structure,
                            const Context& context);
// Fails with what is left over, if anything is.
bool expect_end(Reader& reader);
std::string to_json(const StructTable& table, const void* structure, const Context& context);
void append_json(std::string& out, const ValueType& type, const void* value,
                 const Context& context);
std::optional<Error> from_json(const JsonValue& json, const StructTable& table, void* structure,
                               const Context& context);
// Kafka's name of the type: int32, []TopicProduceData, ...
std::string type_name(const ValueType& type);
std::vector<FieldDescription> describe(const StructTable& table);

}  // namespace fencepost::protocol::walk

namespace fencepost::protocol {

template <class Message>
bool Codec<Message>::decode(Reader& reader, int version, Message& message) {
  return walk::decode(reader, walk::table_of<Message>(), &message,
                      walk::context_of(Message::info, version));
}

template <class Message>
bool Codec<Message>::annotate(Reader& reader, int version, Annotation& annotation) {
  Message message;
  return walk::annotate(reader, walk::table_of<Message>(), &message,
                        walk::context_of(Message::info, version), annotation);
}

template <class Message>
Result<Message> Codec<Message>::decode(const SharedBytes& bytes, int version) {
  if (auto error = walk::unsupported(Message::info, version)) return *std::move(error);
  Reader reader(bytes);
  Message message;
  if (!decode(reader, version, message) || !walk::expect_end(reader)) return reader.error();
  return message;
}

template <class Message>
Result<void> Codec<Message>::encode(Writer& writer, const Message& message, int version) {
  auto error = walk::unsupported(Message::info, version);
  if (!error)
    error = walk::encode(writer, walk::table_of<Message>(), &message,
                         walk::context_of(Message::info, version));
  if (error) return *std::move(error);
  return {};
}

template <class Message>
Result<Frame> Codec<Message>::encode(const Message& message, int version) {
  Writer writer;
  if (Result<void> done = encode(writer, message, version); !done) return done.error();
  return writer.finish();
}

template <class Message>
std::string Codec<Message>::to_json(const Message& message, int version) {
  return walk::to_json(walk::table_of<Message>(), &message,
                       walk::context_of(Message::info, version));
}

template <class Message>
Result<Message> Codec<Message>::from_json(const JsonValue& json, int version) {
  auto error = walk::unsupported(Message::info, version);
  Message message;
  if (!error)
    error = walk::from_json(json, walk::table_of<Message>(), &message,
                            walk::context_of(Message::info, version));
  if (error) return *std::move(error);
  return message;
}

template <class Message>
std::vector<FieldDescription> Codec<Message>::describe() {
  return walk::describe(walk::table_of<Message>());
}

}  // namespace fencepost::protocol
