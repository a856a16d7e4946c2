// The walks between a message and its JSON form, and the description of its fields. The form is
// that of the JSON converters of Kafka's message classes, with records as base64.
#pragma once

#include <cstdio>

#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

struct JsonWriter {
  std::string& out;

  void value(bool in, const Context&) { out += in ? "true" : "false"; }
  void value(double in, const Context&) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", in);
    out += text;
    if (std::string_view(text).find_first_of(".en") == std::string_view::npos) out += ".0";
  }
  template <Integer I>
  void value(I in, const Context&) {
    out += std::to_string(in);
  }
  template <Enum E>
  void value(E in, const Context& context) {
    value(static_cast<std::underlying_type_t<E>>(in), context);
  }
  void value(const std::string& in, const Context&) { append_json_string(out, in); }
  void value(const SharedBytes& in, const Context&) { out += '"' + to_base64(in.view()) + '"'; }
  void value(const Records& in, const Context& context) { value(in.bytes, context); }
  void value(const Uuid& in, const Context&) { out += '"' + to_string(in) + '"'; }
  template <class T>
  void value(const std::optional<T>& in, const Context& context) {
    if (in)
      value(*in, context);
    else
      out += "null";
  }
  template <class T>
  void value(const std::vector<T>& in, const Context& context) {
    out += '[';
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (i > 0) out += ',';
      value(in[i], context);
    }
    out += ']';
  }
  template <Struct S>
  void value(const S& in, const Context& context) {
    out += '{';
    bool is_first = true;
    for_each_field<S>([&](const auto& field) {
      const auto& member = in.*field.member;
      if (!field.versions.contains(context.version)) return true;
      if (field.tagged_versions.contains(context.version) &&
          member == default_of<S>().*field.member)
        return true;
      if (!is_first) out += ',';
      is_first = false;
      out += '"';
      out += field.name;
      out += "\":";
      value(member, context);
      return true;
    });
    out += '}';
  }
};

struct JsonReader {
  std::optional<Error> error;

  bool refuse(std::string text) {
    if (!error) error = Error{ErrorKind::invalid_argument, std::move(text), 0, {}};
    return false;
  }
  void prefix_field(std::string_view name) {
    std::string path(name);
    if (!error->field.empty() && error->field.front() != '[') path += '.';
    error->field = path + error->field;
  }
  template <class T, class Found>
  bool take(T& out, Found found, const char* wanted) {
    if (!found) return refuse(std::string("should be ") + wanted);
    out = static_cast<T>(*std::move(found));
    return true;
  }

  bool value(bool& out, const JsonValue& in, const Context&) {
    return take(out, in.boolean(), "true or false");
  }
  bool value(double& out, const JsonValue& in, const Context&) {
    return take(out, in.number(), "a number");
  }
  template <Integer I>
  bool value(I& out, const JsonValue& in, const Context&) {
    using Limits = std::numeric_limits<I>;
    const auto found = in.integer(std::int64_t{Limits::min()}, std::int64_t{Limits::max()});
    return found ? (out = static_cast<I>(*found), true)
                 : refuse("should be a whole number from " + std::to_string(Limits::min()) +
                          " to " + std::to_string(Limits::max()));
  }
  template <Enum E>
  bool value(E& out, const JsonValue& in, const Context& context) {
    std::underlying_type_t<E> number{};
    return value(number, in, context) && (out = static_cast<E>(number), true);
  }
  bool value(std::string& out, const JsonValue& in, const Context&) {
    return take(out, in.text(), "a string");
  }
  bool value(SharedBytes& out, const JsonValue& in, const Context&) {
    return take(out, in.base64(), "base64");
  }
  bool value(Records& out, const JsonValue& in, const Context& context) {
    return value(out.bytes, in, context);
  }
  bool value(Uuid& out, const JsonValue& in, const Context&) {
    const std::optional<std::string> text = in.text();
    return take(out, text ? parse_uuid(*text) : std::nullopt, "22 letters of base64");
  }
  template <class T>
  bool value(std::vector<T>& out, const JsonValue& in, const Context& context) {
    if (!in.is_array()) return refuse("should be an array");
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (value(out.emplace_back(), in.element(i), context)) continue;
      prefix_field(bracketed(i));
      return false;
    }
    return true;
  }
  template <Struct S>
  bool value(S& out, const JsonValue& in, const Context& context) {
    if (!in.is_object()) return refuse("should be an object");
    std::vector<std::string_view> names;
    const bool fields_read = for_each_field<S>([&](const auto& field) {
      if (!field.versions.contains(context.version)) return true;
      names.push_back(field.name);
      if (field_value(out, field, in.member(field.name), context)) return true;
      prefix_field(field.name);
      return false;
    });
    if (!fields_read) return false;
    const std::optional<std::string> stranger = in.member_not_in(names.data(), names.size());
    return !stranger || refuse("\"" + *stranger + "\" is not a field of this version");
  }
  template <class S, class F>
  bool field_value(S& out, const F& field, const std::optional<JsonValue>& in,
                   const Context& context) {
    auto& member = out.*field.member;
    if (!in) return field.tagged_versions.contains(context.version) || refuse("is missing");
    if constexpr (is_optional<std::remove_reference_t<decltype(member)>>::value) {
      if (in->is_null()) {
        member = std::nullopt;
        return field.nullable_versions.contains(context.version) ||
               refuse("null, which this version does not allow");
      }
      return value(member.emplace(), *in, context);
    } else {
      return value(member, *in, context);
    }
  }
};

// ---- description

inline std::string type_name(const bool*) {
  return "bool";
}
inline std::string type_name(const double*) {
  return "float64";
}
inline std::string type_name(const std::string*) {
  return "string";
}
inline std::string type_name(const SharedBytes*) {
  return "bytes";
}
inline std::string type_name(const Records*) {
  return "records";
}
inline std::string type_name(const Uuid*) {
  return "uuid";
}
template <Integer I>
std::string type_name(const I*) {
  return (std::is_signed_v<I> ? "int" : "uint") + std::to_string(sizeof(I) * 8);
}
template <Enum E>
std::string type_name(const E*) {
  return type_name(static_cast<const std::underlying_type_t<E>*>(nullptr));
}
template <Struct S>
std::string type_name(const S*) {
  return std::string(S::type_name);
}
template <class T>
std::string type_name(const std::vector<T>*) {
  return "[]" + type_name(static_cast<const T*>(nullptr));
}
template <class T>
std::string type_name(const std::optional<T>*) {
  return type_name(static_cast<const T*>(nullptr));
}

template <class T>
std::string default_json(const T& value) {
  if constexpr (is_optional<T>::value) {
    return value ? default_json(*value) : "null";
  } else if constexpr (Struct<T>) {
    return "{}";
  } else {
    std::string out;
    JsonWriter{out}.value(value, {version_max, true});
    return out;
  }
}

template <Struct S>
void describe(std::vector<FieldDescription>& out, const std::string& path);

template <class T>
void describe_inner(std::vector<FieldDescription>& out, const std::string& path, const T*) {
  if constexpr (Struct<T>) describe<T>(out, path + ".");
}
template <class T>
void describe_inner(std::vector<FieldDescription>& out, const std::string& path,
                    const std::vector<T>*) {
  describe_inner(out, path, static_cast<const T*>(nullptr));
}
template <class T>
void describe_inner(std::vector<FieldDescription>& out, const std::string& path,
                    const std::optional<T>*) {
  describe_inner(out, path, static_cast<const T*>(nullptr));
}

template <Struct S>
void describe(std::vector<FieldDescription>& out, const std::string& path) {
  for_each_field<S>([&](const auto& field) {
    const auto& member = default_of<S>().*field.member;
    std::string name = path + std::string(field.name);
    name[path.size()] = static_cast<char>(name[path.size()] - 'a' + 'A');
    out.push_back({name, type_name(&member), field.versions, field.nullable_versions,
                   field.tagged_versions, field.tag, default_json(member), field.is_ignorable,
                   field.is_never_flexible});
    describe_inner(out, name, &member);
    return true;
  });
}

}  // namespace fencepost::protocol::walk

namespace fencepost::protocol {

template <class Message>
bool Codec<Message>::decode(Reader& reader, int version, Message& message) {
  walk::Decoder decoder{reader};
  return decoder.value(message, walk::context_of<Message>(version));
}

template <class Message>
Result<Message> Codec<Message>::decode(const SharedBytes& bytes, int version) {
  if (auto error = walk::unsupported<Message>(version)) return *error;
  Reader reader(bytes);
  Message message;
  if (!decode(reader, version, message)) return reader.error();
  if (reader.remaining() > 0) {
    reader.fail(std::to_string(reader.remaining()) + " bytes left over");
    return reader.error();
  }
  return message;
}

template <class Message>
Result<void> Codec<Message>::encode(Writer& writer, const Message& message, int version) {
  if (auto error = walk::unsupported<Message>(version)) return *error;
  walk::Encoder encoder{writer, std::nullopt};
  if (!encoder.value(message, walk::context_of<Message>(version))) return *encoder.error;
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
  std::string out;
  walk::JsonWriter{out}.value(message, walk::context_of<Message>(version));
  return out;
}

template <class Message>
Result<Message> Codec<Message>::from_json(const JsonValue& json, int version) {
  if (auto error = walk::unsupported<Message>(version)) return *error;
  walk::JsonReader reader;
  Message message;
  if (!reader.value(message, json, walk::context_of<Message>(version))) return *reader.error;
  return message;
}

template <class Message>
std::vector<FieldDescription> Codec<Message>::describe() {
  std::vector<FieldDescription> out;
  walk::describe<Message>(out, "");
  if (out.empty()) out.push_back({".", "", {}, {}, {}, 0, "", false, false});
  return out;
}

}  // namespace fencepost::protocol
