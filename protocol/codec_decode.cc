// From bytes to a message: every length and tag is checked against what is really there before
// it is believed.
#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

namespace {

class Decoder {
 public:
  explicit Decoder(Reader& reader) : reader_(reader) {}

  bool structure(const StructTable& table, void* out, const Context& context) {
    for (const FieldTable& field : table.fields) {
      if (!field.versions.contains(context.version) ||
          field.tagged_versions.contains(context.version))
        continue;
      if (field_value(field, field.in(out), context)) continue;
      reader_.prefix_field(field.name);
      return false;
    }
    return !context.is_flexible || tagged_fields(table, out, context);
  }

 private:
  bool value(const ValueType& type, void* out, const Context& context) {
    switch (type.kind) {
      case ValueKind::boolean:
        store(out, reader_.boolean());
        break;
      case ValueKind::int8:
        store(out, reader_.int8());
        break;
      case ValueKind::int16:
        store(out, reader_.int16());
        break;
      case ValueKind::uint16:
        store(out, reader_.uint16());
        break;
      case ValueKind::int32:
        store(out, reader_.int32());
        break;
      case ValueKind::uint32:
        store(out, reader_.uint32());
        break;
      case ValueKind::int64:
        store(out, reader_.int64());
        break;
      case ValueKind::float64:
        store(out, reader_.float64());
        break;
      case ValueKind::uuid:
        *static_cast<Uuid*>(out) = reader_.uuid();
        break;
      case ValueKind::string:
      case ValueKind::bytes:
      case ValueKind::records:
      case ValueKind::array:
        return with_length(type, out, context);
      case ValueKind::optional:
        return optional(type, out, context);
      case ValueKind::structure:
        return structure(type.table(), out, context);
    }
    return !reader_.failed();
  }

  std::int32_t length_of(ValueKind kind, const Context& context) {
    return kind == ValueKind::string  ? reader_.string_length(context.is_flexible)
           : kind == ValueKind::array ? reader_.array_length(context.is_flexible)
                                      : reader_.bytes_length(context.is_flexible);
  }
  bool with_length(const ValueType& type, void* out, const Context& context) {
    const std::int32_t length = length_of(type.kind, context);
    if (reader_.failed()) return false;
    if (length < 0) return reader_.fail("null, which this version does not allow");
    return content(type, out, static_cast<std::size_t>(length), context);
  }
  bool optional(const ValueType& type, void* out, const Context& context) {
    const bool is_struct = type.inner->kind == ValueKind::structure;
    const std::int32_t length = is_struct ? reader_.int8() : length_of(type.inner->kind, context);
    if (reader_.failed() || length < 0) return (type.optional_reset(out), !reader_.failed());
    void* inner = type.optional_emplace(out);
    if (is_struct) return structure(type.inner->table(), inner, context);
    return content(*type.inner, inner, static_cast<std::size_t>(length), context);
  }
  bool content(const ValueType& type, void* out, std::size_t length, const Context& context) {
    if (type.kind == ValueKind::array) return elements(type, out, length, context);
    if (type.kind == ValueKind::string)
      *static_cast<std::string*>(out) = reader_.text(length);
    else if (type.kind == ValueKind::bytes)
      *static_cast<SharedBytes*>(out) = reader_.shared(length);
    else
      static_cast<Records*>(out)->bytes = reader_.shared(length);
    return !reader_.failed();
  }
  // Grows with what is really there, so that a false length allocates nothing.
  bool elements(const ValueType& type, void* out, std::size_t length, const Context& context) {
    for (std::size_t i = 0; i < length; ++i) {
      if (value(*type.inner, type.array_append(out), context)) continue;
      reader_.prefix_field(bracketed(i));
      return false;
    }
    return true;
  }

  bool field_value(const FieldTable& field, void* out, const Context& context) {
    const ValueType& type = *field.type;
    if (type.kind == ValueKind::optional && !field.nullable_versions.contains(context.version))
      return value(*type.inner, type.optional_emplace(out), context.for_field(field));
    return value(type, out, context.for_field(field));
  }
  // A nullable struct stands behind an unsigned varint here, not behind an int8.
  bool tagged_value(const FieldTable& field, void* out, const Context& context) {
    const ValueType& type = *field.type;
    if (type.kind != ValueKind::optional || type.inner->kind != ValueKind::structure ||
        !field.nullable_versions.contains(context.version))
      return field_value(field, out, context);
    if (reader_.unsigned_varint() == 0) return (type.optional_reset(out), !reader_.failed());
    return value(*type.inner, type.optional_emplace(out), context);
  }

  bool tagged_fields(const StructTable& table, void* out, const Context& context) {
    const std::uint32_t count = reader_.unsigned_varint();
    std::int64_t last_tag = -1;
    for (std::uint32_t i = 0; i < count && !reader_.failed(); ++i) {
      const std::uint32_t tag = reader_.unsigned_varint();
      if (!reader_.failed() && std::int64_t{tag} <= last_tag)
        reader_.fail("tag " + std::to_string(tag) + " out of order");
      last_tag = tag;
      const std::uint32_t size = reader_.unsigned_varint();
      if (!reader_.failed() && size > reader_.remaining())
        reader_.fail("a tagged field of " + std::to_string(size) + " bytes");
      if (!reader_.failed() && !tagged_field(table, out, {tag, size}, context)) return false;
    }
    if (reader_.failed()) reader_.prefix_field("_tagged_fields");
    return !reader_.failed();
  }

  struct Tag {
    std::uint32_t number;
    std::uint32_t size;
  };
  bool tagged_field(const StructTable& table, void* out, const Tag& tag, const Context& context) {
    for (const FieldTable& field : table.fields) {
      if (field.tag != tag.number || !field.tagged_versions.contains(context.version)) continue;
      const std::size_t end = reader_.offset() + tag.size;
      if (tagged_value(field, field.in(out), context) && reader_.offset() != end)
        reader_.fail("tagged field " + std::to_string(tag.number) +
                     " does not end where its size says");
      if (reader_.failed()) reader_.prefix_field(field.name);
      return !reader_.failed();
    }
    unknown_tagged_fields(table, out).push_back({tag.number, reader_.shared(tag.size)});
    return !reader_.failed();
  }

  Reader& reader_;
};

}  // namespace

bool decode(Reader& reader, const StructTable& table, void* structure, const Context& context) {
  return Decoder(reader).structure(table, structure, context);
}

bool expect_end(Reader& reader) {
  if (reader.remaining() == 0) return true;
  return reader.fail(std::to_string(reader.remaining()) + " bytes left over");
}

}  // namespace fencepost::protocol::walk
