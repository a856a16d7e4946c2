// From bytes to a message: every length and tag is checked against what is really there before
// it is believed. An observer is told of each value and its bytes; the one of an ordinary decode
// is told nothing and costs nothing.
#pragma once

#include <utility>

#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

struct NoObserver {
  void enter(std::string_view) {}     // the name of what comes next
  void enter_element(std::size_t) {}  // likewise, an element of the array last entered
  void open(const StructTable&) {}    // a struct stands where the last name said
  void close() {}
  void value(const ValueType&, const void*, std::size_t /*begin*/) {}
  void length(ValueKind, std::int32_t, bool /*is_compact*/, std::size_t /*begin*/) {}
  void presence(bool, const char* /*type*/, std::size_t /*begin*/) {}
  void tag_count(std::uint32_t, std::size_t /*begin*/) {}
  void tag(std::uint32_t, std::size_t /*begin*/, std::uint32_t /*size*/, std::size_t /*size_at*/) {}
  void unknown_tag(std::size_t /*begin*/) {}
};

template <class Observer>
class Decoder {
 public:
  explicit Decoder(Reader& reader, Observer observer = {})
      : reader_(reader), observer_(std::move(observer)) {}

  bool structure(const StructTable& table, void* out, const Context& context) {
    for (const FieldTable& field : table.fields) {
      if (!field.versions.contains(context.version) ||
          field.tagged_versions.contains(context.version))
        continue;
      observer_.enter(field.name);
      if (field_value(field, field.in(out), context)) continue;
      reader_.prefix_field(field.name);
      return false;
    }
    return !context.is_flexible || tagged_fields(table, out, context);
  }

 private:
  bool value(const ValueType& type, void* out, const Context& context) {
    const std::size_t begin = reader_.offset();
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
        return nested(type.table(), out, context);
    }
    if (!reader_.failed()) observer_.value(type, out, begin);
    return !reader_.failed();
  }
  bool nested(const StructTable& table, void* out, const Context& context) {
    observer_.open(table);
    if (!structure(table, out, context)) return false;
    observer_.close();
    return true;
  }

  std::int32_t length_of(ValueKind kind, const Context& context) {
    const std::size_t begin = reader_.offset();
    const std::int32_t length =
        kind == ValueKind::string  ? reader_.string_length(context.is_flexible)
        : kind == ValueKind::array ? reader_.array_length(context.is_flexible)
                                   : reader_.bytes_length(context.is_flexible);
    if (!reader_.failed()) observer_.length(kind, length, context.is_flexible, begin);
    return length;
  }
  bool with_length(const ValueType& type, void* out, const Context& context) {
    const std::int32_t length = length_of(type.kind, context);
    if (reader_.failed()) return false;
    if (length < 0) return reader_.fail("null, which this version does not allow");
    return content(type, out, static_cast<std::size_t>(length), context);
  }
  bool optional(const ValueType& type, void* out, const Context& context) {
    const bool is_struct = type.inner->kind == ValueKind::structure;
    const std::int32_t length = is_struct ? presence() : length_of(type.inner->kind, context);
    if (reader_.failed() || length < 0) return (type.optional_reset(out), !reader_.failed());
    void* inner = type.optional_emplace(out);
    if (is_struct) return nested(type.inner->table(), inner, context);
    return content(*type.inner, inner, static_cast<std::size_t>(length), context);
  }
  // -1 for null.
  std::int8_t presence() {
    const std::size_t begin = reader_.offset();
    const std::int8_t presence = reader_.int8();
    if (!reader_.failed()) observer_.presence(presence >= 0, "int8", begin);
    return presence;
  }
  bool content(const ValueType& type, void* out, std::size_t length, const Context& context) {
    if (type.kind == ValueKind::array) return elements(type, out, length, context);
    const std::size_t begin = reader_.offset();
    if (type.kind == ValueKind::string)
      *static_cast<std::string*>(out) = reader_.text(length);
    else if (type.kind == ValueKind::bytes)
      *static_cast<SharedBytes*>(out) = reader_.shared(length);
    else
      static_cast<Records*>(out)->bytes = reader_.shared(length);
    if (!reader_.failed()) observer_.value(type, out, begin);
    return !reader_.failed();
  }
  // Grows with what is really there, so that a false length allocates nothing.
  bool elements(const ValueType& type, void* out, std::size_t length, const Context& context) {
    for (std::size_t i = 0; i < length; ++i) {
      observer_.enter_element(i);
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
    const std::size_t begin = reader_.offset();
    const bool is_present = reader_.unsigned_varint() != 0;
    if (!reader_.failed()) observer_.presence(is_present, "varint", begin);
    if (!is_present) return (type.optional_reset(out), !reader_.failed());
    return value(*type.inner, type.optional_emplace(out), context);
  }

  bool tagged_fields(const StructTable& table, void* out, const Context& context) {
    const std::size_t begin = reader_.offset();
    const std::uint32_t count = reader_.unsigned_varint();
    if (!reader_.failed()) observer_.tag_count(count, begin);
    std::int64_t last_tag = -1;
    for (std::uint32_t i = 0; i < count && !reader_.failed(); ++i) {
      const std::size_t tag_at = reader_.offset();
      const std::uint32_t tag = reader_.unsigned_varint();
      const std::size_t size_at = reader_.offset();
      if (!reader_.failed() && std::int64_t{tag} <= last_tag)
        reader_.fail("tag " + std::to_string(tag) + " out of order");
      last_tag = tag;
      const std::uint32_t size = reader_.unsigned_varint();
      if (!reader_.failed() && size > reader_.remaining())
        reader_.fail("a tagged field of " + std::to_string(size) + " bytes");
      if (reader_.failed()) break;
      observer_.tag(tag, tag_at, size, size_at);
      if (!tagged_field(table, out, {tag, size}, context)) return false;
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
      observer_.enter(field.name);
      if (tagged_value(field, field.in(out), context) && reader_.offset() != end)
        reader_.fail("tagged field " + std::to_string(tag.number) +
                     " does not end where its size says");
      if (reader_.failed()) reader_.prefix_field(field.name);
      return !reader_.failed();
    }
    const std::size_t begin = reader_.offset();
    unknown_tagged_fields(table, out).push_back({tag.number, reader_.shared(tag.size)});
    if (!reader_.failed()) observer_.unknown_tag(begin);
    return !reader_.failed();
  }

  Reader& reader_;
  Observer observer_;
};

}  // namespace fencepost::protocol::walk
