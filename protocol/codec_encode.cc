// From a message to bytes: a value that the version cannot carry is refused, unless its field is
// ignorable.
#include <algorithm>
#include <limits>

#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

namespace {

class Encoder {
 public:
  explicit Encoder(Writer& writer) : writer_(writer) {}

  const std::optional<Error>& error() const { return error_; }

  bool structure(const StructTable& table, const void* in, const Context& context) {
    for (const FieldTable& field : table.fields) {
      if (field_value(table, field, in, context)) continue;
      prefix_field(field.name);
      return false;
    }
    if (context.is_flexible) return tagged_fields(table, in, context);
    return unknown_tagged_fields(table, in).empty() ||
           refuse("tagged fields, which this version does not have");
  }

 private:
  bool refuse(std::string text) {
    error_ = Error{ErrorKind::not_encodable, std::move(text), writer_.size(), {}};
    return false;
  }
  void prefix_field(std::string_view name) {
    std::string path(name);
    if (!error_->field.empty() && error_->field.front() != '[') path += '.';
    error_->field = path + error_->field;
  }

  bool value(const ValueType& type, const void* in, const Context& context) {
    switch (type.kind) {
      case ValueKind::boolean:
        writer_.boolean(load<bool>(in));
        break;
      case ValueKind::int8:
        writer_.int8(load<std::int8_t>(in));
        break;
      case ValueKind::int16:
        writer_.int16(load<std::int16_t>(in));
        break;
      case ValueKind::uint16:
        writer_.uint16(load<std::uint16_t>(in));
        break;
      case ValueKind::int32:
        writer_.int32(load<std::int32_t>(in));
        break;
      case ValueKind::uint32:
        writer_.uint32(load<std::uint32_t>(in));
        break;
      case ValueKind::int64:
        writer_.int64(load<std::int64_t>(in));
        break;
      case ValueKind::float64:
        writer_.float64(load<double>(in));
        break;
      case ValueKind::uuid:
        writer_.uuid(*static_cast<const Uuid*>(in));
        break;
      case ValueKind::string:
        return string(*static_cast<const std::string*>(in), context);
      case ValueKind::bytes:
        bytes(*static_cast<const SharedBytes*>(in), context);
        break;
      case ValueKind::records:
        bytes(static_cast<const Records*>(in)->bytes, context);
        break;
      case ValueKind::array:
        return array(type, in, context);
      // Whether it may be null, only its field can tell.
      case ValueKind::optional:
        return value(*type.inner, type.optional_content(in), context);
      case ValueKind::structure:
        return structure(type.table(), in, context);
    }
    return true;
  }
  bool string(const std::string& in, const Context& context) {
    if (in.size() > std::numeric_limits<std::int16_t>::max())
      return refuse("a string of " + std::to_string(in.size()) + " bytes, 32767 is the most");
    writer_.string_length(static_cast<std::int32_t>(in.size()), context.is_flexible);
    writer_.raw(in);
    return true;
  }
  void bytes(const SharedBytes& in, const Context& context) {
    writer_.bytes_length(static_cast<std::int32_t>(in.size()), context.is_flexible);
    writer_.shared(in);
  }
  bool array(const ValueType& type, const void* in, const Context& context) {
    const std::size_t size = type.array_size(in);
    writer_.array_length(static_cast<std::int32_t>(size), context.is_flexible);
    for (std::size_t i = 0; i < size; ++i) {
      if (value(*type.inner, type.array_element(in, i), context)) continue;
      prefix_field(bracketed(i));
      return false;
    }
    return true;
  }
  void null_value(ValueKind kind, const Context& context) {
    if (kind == ValueKind::structure)
      writer_.int8(-1);
    else if (kind == ValueKind::string)
      writer_.string_length(-1, context.is_flexible);
    else if (kind == ValueKind::array)
      writer_.array_length(-1, context.is_flexible);
    else
      writer_.bytes_length(-1, context.is_flexible);
  }

  bool field_value(const StructTable& table, const FieldTable& field, const void* structure,
                   const Context& context) {
    if (!field.versions.contains(context.version))
      return field.is_ignorable || is_default(table, field, structure) ||
             refuse("a value that version " + std::to_string(context.version) + " cannot carry");
    if (field.tagged_versions.contains(context.version)) return true;
    return plain_value(field, field.in(structure), context.for_field(field));
  }
  bool plain_value(const FieldTable& field, const void* in, const Context& context) {
    const ValueType& type = *field.type;
    if (type.kind != ValueKind::optional) return value(type, in, context);
    const bool may_be_null = field.nullable_versions.contains(context.version);
    const void* content = type.optional_content(in);
    if (content == nullptr) {
      if (!may_be_null) return refuse("null, which this version does not allow");
      return (null_value(type.inner->kind, context), true);
    }
    if (may_be_null && type.inner->kind == ValueKind::structure) writer_.int8(1);
    return value(*type.inner, content, context);
  }
  // A nullable struct stands behind an unsigned varint here, not behind an int8.
  bool tagged_value(const FieldTable& field, const void* in, const Context& context) {
    const ValueType& type = *field.type;
    if (type.kind != ValueKind::optional || type.inner->kind != ValueKind::structure ||
        !field.nullable_versions.contains(context.version))
      return plain_value(field, in, context);
    const void* content = type.optional_content(in);
    writer_.unsigned_varint(content != nullptr ? 1 : 0);
    return content == nullptr || value(*type.inner, content, context);
  }

  using Tagged = std::vector<std::pair<std::uint32_t, Writer>>;
  bool known_tagged_fields(Tagged& tagged, const StructTable& table, const void* in,
                           const Context& context) {
    for (const FieldTable& field : table.fields) {
      if (!field.tagged_versions.contains(context.version) || is_default(table, field, in))
        continue;
      Encoder inner(tagged.emplace_back(field.tag, Writer{}).second);
      if (inner.tagged_value(field, field.in(in), context)) continue;
      error_ = std::move(inner.error_);
      prefix_field(field.name);
      return false;
    }
    return true;
  }
  bool tagged_fields(const StructTable& table, const void* in, const Context& context) {
    Tagged tagged;
    if (!known_tagged_fields(tagged, table, in, context)) return false;
    for (const UnknownTaggedField& unknown : unknown_tagged_fields(table, in))
      tagged.emplace_back(unknown.tag, Writer{}).second.shared(unknown.bytes);
    std::ranges::sort(tagged, {}, [](const auto& entry) { return entry.first; });
    writer_.unsigned_varint(static_cast<std::uint32_t>(tagged.size()));
    for (auto& [tag, content] : tagged) {
      writer_.unsigned_varint(tag);
      writer_.unsigned_varint(static_cast<std::uint32_t>(content.size()));
      writer_.append(std::move(content));
    }
    return true;
  }

  Writer& writer_;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> encode(Writer& writer, const StructTable& table, const void* structure,
                            const Context& context) {
  Encoder encoder(writer);
  encoder.structure(table, structure, context);
  return encoder.error();
}

}  // namespace fencepost::protocol::walk
