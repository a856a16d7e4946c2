// Between a message and its JSON form. The form is that of the JSON converters of Kafka's message
// classes, with records as base64.
#include <cstdio>
#include <limits>

#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

namespace {

void append_float(std::string& out, double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  out += text;
  if (std::string_view(text).find_first_of(".en") == std::string_view::npos) out += ".0";
}

void append_array(std::string& out, const ValueType& type, const void* in, const Context& context) {
  out += '[';
  for (std::size_t i = 0; i < type.array_size(in); ++i) {
    if (i > 0) out += ',';
    append_json(out, *type.inner, type.array_element(in, i), context);
  }
  out += ']';
}

void append_struct(std::string& out, const StructTable& table, const void* in,
                   const Context& context) {
  out += '{';
  bool is_first = true;
  for (const FieldTable& field : table.fields) {
    if (!field.versions.contains(context.version)) continue;
    if (field.tagged_versions.contains(context.version) && is_default(table, field, in)) continue;
    if (!is_first) out += ',';
    is_first = false;
    out += '"';
    out += field.name;
    out += "\":";
    append_json(out, *field.type, field.in(in), context);
  }
  out += '}';
}

class JsonReader {
 public:
  const std::optional<Error>& error() const { return error_; }

  bool structure(const StructTable& table, void* out, const JsonValue& in, const Context& context) {
    if (!in.is_object()) return refuse("should be an object");
    std::vector<std::string_view> names;
    for (const FieldTable& field : table.fields) {
      if (!field.versions.contains(context.version)) continue;
      names.push_back(field.name);
      if (field_value(field, field.in(out), in.member(field.name), context)) continue;
      prefix_field(field.name);
      return false;
    }
    const std::optional<std::string> stranger = in.member_not_in(names.data(), names.size());
    return !stranger || refuse("\"" + *stranger + "\" is not a field of this version");
  }

 private:
  bool refuse(std::string text) {
    error_ = Error{ErrorKind::invalid_argument, std::move(text), 0, {}};
    return false;
  }
  void prefix_field(std::string_view name) {
    std::string path(name);
    if (!error_->field.empty() && error_->field.front() != '[') path += '.';
    error_->field = path + error_->field;
  }
  template <class T, class Found>
  bool take(void* out, Found found, const char* wanted) {
    if (!found) return refuse(std::string("should be ") + wanted);
    *static_cast<T*>(out) = T(*std::move(found));
    return true;
  }
  template <class Number>
  bool integer(void* out, const JsonValue& in) {
    using Limits = std::numeric_limits<Number>;
    const auto found = in.integer(std::int64_t{Limits::min()}, std::int64_t{Limits::max()});
    if (found) return (store(out, static_cast<Number>(*found)), true);
    return refuse("should be a whole number from " + std::to_string(Limits::min()) + " to " +
                  std::to_string(Limits::max()));
  }

  bool value(const ValueType& type, void* out, const JsonValue& in, const Context& context) {
    switch (type.kind) {
      case ValueKind::boolean:
        return take<bool>(out, in.boolean(), "true or false");
      case ValueKind::int8:
        return integer<std::int8_t>(out, in);
      case ValueKind::int16:
        return integer<std::int16_t>(out, in);
      case ValueKind::uint16:
        return integer<std::uint16_t>(out, in);
      case ValueKind::int32:
        return integer<std::int32_t>(out, in);
      case ValueKind::uint32:
        return integer<std::uint32_t>(out, in);
      case ValueKind::int64:
        return integer<std::int64_t>(out, in);
      case ValueKind::float64:
        return take<double>(out, in.number(), "a number");
      case ValueKind::uuid:
        return uuid(out, in);
      case ValueKind::string:
        return take<std::string>(out, in.text(), "a string");
      case ValueKind::bytes:
        return take<SharedBytes>(out, in.base64(), "base64");
      case ValueKind::records:
        return take<SharedBytes>(&static_cast<Records*>(out)->bytes, in.base64(), "base64");
      case ValueKind::array:
        return array(type, out, in, context);
      case ValueKind::optional:
        return value(*type.inner, type.optional_emplace(out), in, context);
      case ValueKind::structure:
        return structure(type.table(), out, in, context);
    }
    return false;
  }
  bool uuid(void* out, const JsonValue& in) {
    const std::optional<std::string> text = in.text();
    return take<Uuid>(out, text ? parse_uuid(*text) : std::nullopt, "22 letters of base64");
  }
  bool array(const ValueType& type, void* out, const JsonValue& in, const Context& context) {
    if (!in.is_array()) return refuse("should be an array");
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (value(*type.inner, type.array_append(out), in.element(i), context)) continue;
      prefix_field(bracketed(i));
      return false;
    }
    return true;
  }
  bool field_value(const FieldTable& field, void* out, const std::optional<JsonValue>& in,
                   const Context& context) {
    if (!in) return field.tagged_versions.contains(context.version) || refuse("is missing");
    if (field.type->kind != ValueKind::optional || !in->is_null())
      return value(*field.type, out, *in, context);
    field.type->optional_reset(out);
    return field.nullable_versions.contains(context.version) ||
           refuse("null, which this version does not allow");
  }

  std::optional<Error> error_;
};

}  // namespace

void append_json(std::string& out, const ValueType& type, const void* in, const Context& context) {
  switch (type.kind) {
    case ValueKind::boolean:
      out += load<bool>(in) ? "true" : "false";
      break;
    case ValueKind::int8:
      out += std::to_string(load<std::int8_t>(in));
      break;
    case ValueKind::int16:
      out += std::to_string(load<std::int16_t>(in));
      break;
    case ValueKind::uint16:
      out += std::to_string(load<std::uint16_t>(in));
      break;
    case ValueKind::int32:
      out += std::to_string(load<std::int32_t>(in));
      break;
    case ValueKind::uint32:
      out += std::to_string(load<std::uint32_t>(in));
      break;
    case ValueKind::int64:
      out += std::to_string(load<std::int64_t>(in));
      break;
    case ValueKind::float64:
      append_float(out, load<double>(in));
      break;
    case ValueKind::uuid:
      out += '"' + to_string(*static_cast<const Uuid*>(in)) + '"';
      break;
    case ValueKind::string:
      append_json_string(out, *static_cast<const std::string*>(in));
      break;
    case ValueKind::bytes:
      out += '"' + to_base64(static_cast<const SharedBytes*>(in)->view()) + '"';
      break;
    case ValueKind::records:
      out += '"' + to_base64(static_cast<const Records*>(in)->bytes.view()) + '"';
      break;
    case ValueKind::array:
      append_array(out, type, in, context);
      break;
    case ValueKind::optional:
      if (const void* content = type.optional_content(in))
        append_json(out, *type.inner, content, context);
      else
        out += "null";
      break;
    case ValueKind::structure:
      append_struct(out, type.table(), in, context);
      break;
  }
}

std::string to_json(const StructTable& table, const void* structure, const Context& context) {
  std::string out;
  append_struct(out, table, structure, context);
  return out;
}

std::optional<Error> from_json(const JsonValue& json, const StructTable& table, void* structure,
                               const Context& context) {
  JsonReader reader;
  reader.structure(table, structure, json, context);
  return reader.error();
}

}  // namespace fencepost::protocol::walk
