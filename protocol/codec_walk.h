// The walks over a message's field list. Each message's .cc includes this and instantiates
// Codec<Message>; nobody else needs it. One overload per kind of value, in one struct per walk.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>

#include "protocol/codec.h"
#include "protocol/json.h"

namespace fencepost::protocol::walk {

template <class T>
concept Struct = requires {
  T::fields();
};
template <class T>
concept Message = Struct<T> && requires {
  T::info;
};
template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
// An error code: an enumeration that travels as its underlying integer.
template <class T>
concept Enum = std::is_enum_v<T>;

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

// The version a walk is for.
struct Context {
  int version = 0;
  bool is_flexible = false;
};

template <class M>
Context context_of(int version) {
  return {version, M::info.flexible_versions.contains(version)};
}

template <class M>
std::optional<Error> unsupported(int version) {
  if (M::info.valid_versions.contains(version)) return std::nullopt;
  return Error{ErrorKind::unsupported_version,
               std::string(M::info.name) + " has versions " +
                   std::to_string(M::info.valid_versions.first) + " to " +
                   std::to_string(M::info.valid_versions.last) + ", not " + std::to_string(version),
               0,
               {}};
}

template <class S>
const S& default_of() {
  static const S value{};
  return value;
}

// Calls visit(field) for each field in order until one answers false.
template <class S, class Visit>
bool for_each_field(Visit&& visit) {
  return std::apply([&](const auto&... field) { return (visit(field) && ...); }, S::fields());
}

template <class F>
Context context_for(const F& field, const Context& context) {
  return {context.version, context.is_flexible && !field.is_never_flexible};
}

inline std::string bracketed(std::size_t index) {
  std::string out = "[";
  out += std::to_string(index);
  return out + "]";
}

// ---- decode

struct Decoder {
  Reader& reader;

  bool value(bool& out, const Context&) { return (out = reader.boolean(), !reader.failed()); }
  bool value(std::int8_t& out, const Context&) { return (out = reader.int8(), !reader.failed()); }
  bool value(std::int16_t& out, const Context&) { return (out = reader.int16(), !reader.failed()); }
  bool value(std::uint16_t& out, const Context&) {
    return (out = reader.uint16(), !reader.failed());
  }
  bool value(std::int32_t& out, const Context&) { return (out = reader.int32(), !reader.failed()); }
  bool value(std::uint32_t& out, const Context&) {
    return (out = reader.uint32(), !reader.failed());
  }
  bool value(std::int64_t& out, const Context&) { return (out = reader.int64(), !reader.failed()); }
  bool value(double& out, const Context&) { return (out = reader.float64(), !reader.failed()); }
  bool value(Uuid& out, const Context&) { return (out = reader.uuid(), !reader.failed()); }

  template <Enum E>
  bool value(E& out, const Context& context) {
    std::underlying_type_t<E> number{};
    return value(number, context) && (out = static_cast<E>(number), true);
  }

  template <class T>
  bool value(T& out, const Context& context) requires(!Struct<T> && !Enum<T>) {
    const std::int32_t length = length_of(out, context);
    if (reader.failed()) return false;
    if (length < 0) return reader.fail("null, which this version does not allow");
    return content(out, length, context);
  }
  template <class T>
  bool value(std::optional<T>& out, const Context& context) requires(!Struct<T>) {
    const std::int32_t length = length_of(default_of<T>(), context);
    if (reader.failed() || length < 0) return (out = std::nullopt, !reader.failed());
    return content(out.emplace(), length, context);
  }
  template <Struct S>
  bool value(std::optional<S>& out, const Context& context) {
    const std::int8_t presence = reader.int8();
    if (presence < 0) return (out = std::nullopt, !reader.failed());
    return value(out.emplace(), context);
  }
  template <Struct S>
  bool value(S& out, const Context& context) {
    const bool fields_read = for_each_field<S>([&](const auto& field) {
      if (!field.versions.contains(context.version) ||
          field.tagged_versions.contains(context.version))
        return true;
      if (field_value(field, out.*field.member, context)) return true;
      reader.prefix_field(field.name);
      return false;
    });
    return fields_read && (!context.is_flexible || tagged_fields(out, context));
  }

  std::int32_t length_of(const std::string&, const Context& context) {
    return reader.string_length(context.is_flexible);
  }
  std::int32_t length_of(const SharedBytes&, const Context& context) {
    return reader.bytes_length(context.is_flexible);
  }
  std::int32_t length_of(const Records&, const Context& context) {
    return reader.bytes_length(context.is_flexible);
  }
  template <class T>
  std::int32_t length_of(const std::vector<T>&, const Context& context) {
    return reader.array_length(context.is_flexible);
  }

  bool content(std::string& out, std::int32_t length, const Context&) {
    return (out = reader.text(static_cast<std::size_t>(length)), !reader.failed());
  }
  bool content(SharedBytes& out, std::int32_t length, const Context&) {
    return (out = reader.shared(static_cast<std::size_t>(length)), !reader.failed());
  }
  bool content(Records& out, std::int32_t length, const Context& context) {
    return content(out.bytes, length, context);
  }
  // Grows with what is really there, so that a false length allocates nothing.
  template <class T>
  bool content(std::vector<T>& out, std::int32_t length, const Context& context) {
    for (std::int32_t i = 0; i < length; ++i) {
      if (value(out.emplace_back(), context)) continue;
      reader.prefix_field(bracketed(static_cast<std::size_t>(i)));
      return false;
    }
    return true;
  }

  template <class F, class T>
  bool field_value(const F& field, T& out, const Context& context) {
    if constexpr (is_optional<T>::value) {
      if (!field.nullable_versions.contains(context.version))
        return value(out.emplace(), context_for(field, context));
    }
    return value(out, context_for(field, context));
  }
  template <class F, class T>
  bool tagged_value(const F& field, T& out, const Context& context) {
    if constexpr (is_optional<T>::value) {
      if constexpr (Struct<typename T::value_type>) {
        if (field.nullable_versions.contains(context.version)) {
          if (reader.unsigned_varint() == 0) return (out = std::nullopt, !reader.failed());
          return value(out.emplace(), context);
        }
      }
    }
    return field_value(field, out, context);
  }

  template <Struct S>
  bool tagged_fields(S& out, const Context& context) {
    const std::uint32_t count = reader.unsigned_varint();
    std::int64_t last_tag = -1;
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
      const std::uint32_t tag = reader.unsigned_varint();
      if (!reader.failed() && std::int64_t{tag} <= last_tag)
        reader.fail("tag " + std::to_string(tag) + " out of order");
      last_tag = tag;
      const std::uint32_t size = reader.unsigned_varint();
      if (!reader.failed() && size > reader.remaining())
        reader.fail("a tagged field of " + std::to_string(size) + " bytes");
      if (!reader.failed() && !tagged_field(out, tag, size, context)) return false;
    }
    if (reader.failed()) reader.prefix_field("_tagged_fields");
    return !reader.failed();
  }
  template <Struct S>
  bool tagged_field(S& out, std::uint32_t tag, std::uint32_t size, const Context& context) {
    const std::size_t end = reader.offset() + size;
    bool is_known = false;
    const bool well_formed = for_each_field<S>([&](const auto& field) {
      if (field.tag != tag || !field.tagged_versions.contains(context.version)) return true;
      is_known = true;
      if (!tagged_value(field, out.*field.member, context)) {
        reader.prefix_field(field.name);
        return false;
      }
      if (reader.offset() == end) return true;
      reader.fail("tagged field " + std::to_string(tag) + " does not end where its size says");
      reader.prefix_field(field.name);
      return false;
    });
    if (well_formed && !is_known) out.unknown_tagged_fields.push_back({tag, reader.shared(size)});
    return well_formed && !reader.failed();
  }
};

// ---- encode

struct Encoder {
  Writer& writer;
  std::optional<Error> error;

  bool refuse(std::string text) {
    error = Error{ErrorKind::not_encodable, std::move(text), writer.size(), {}};
    return false;
  }
  void prefix_field(std::string_view name) {
    if (!error) return;
    std::string path(name);
    if (!error->field.empty() && error->field.front() != '[') path += '.';
    error->field = path + error->field;
  }

  bool value(bool in, const Context&) { return (writer.boolean(in), true); }
  bool value(std::int8_t in, const Context&) { return (writer.int8(in), true); }
  bool value(std::int16_t in, const Context&) { return (writer.int16(in), true); }
  bool value(std::uint16_t in, const Context&) { return (writer.uint16(in), true); }
  bool value(std::int32_t in, const Context&) { return (writer.int32(in), true); }
  bool value(std::uint32_t in, const Context&) { return (writer.uint32(in), true); }
  bool value(std::int64_t in, const Context&) { return (writer.int64(in), true); }
  bool value(double in, const Context&) { return (writer.float64(in), true); }
  bool value(const Uuid& in, const Context&) { return (writer.uuid(in), true); }
  template <Enum E>
  bool value(E in, const Context& context) {
    return value(static_cast<std::underlying_type_t<E>>(in), context);
  }
  bool value(const std::string& in, const Context& context) {
    if (in.size() > std::numeric_limits<std::int16_t>::max())
      return refuse("a string of " + std::to_string(in.size()) + " bytes, 32767 is the most");
    writer.string_length(static_cast<std::int32_t>(in.size()), context.is_flexible);
    writer.raw(in);
    return true;
  }
  bool value(const SharedBytes& in, const Context& context) {
    writer.bytes_length(static_cast<std::int32_t>(in.size()), context.is_flexible);
    writer.shared(in);
    return true;
  }
  bool value(const Records& in, const Context& context) { return value(in.bytes, context); }
  template <class T>
  bool value(const std::vector<T>& in, const Context& context) {
    writer.array_length(static_cast<std::int32_t>(in.size()), context.is_flexible);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (value(in[i], context)) continue;
      prefix_field(bracketed(i));
      return false;
    }
    return true;
  }
  template <Struct S>
  bool value(const S& in, const Context& context) {
    const bool fields_written = for_each_field<S>([&](const auto& field) {
      if (field_value(in, field, context)) return true;
      prefix_field(field.name);
      return false;
    });
    if (!fields_written) return false;
    if (context.is_flexible) return tagged_fields(in, context);
    return in.unknown_tagged_fields.empty() ||
           refuse("tagged fields, which this version does not have");
  }

  void null_value(const std::string*, const Context& c) { writer.string_length(-1, c.is_flexible); }
  void null_value(const SharedBytes*, const Context& c) { writer.bytes_length(-1, c.is_flexible); }
  void null_value(const Records*, const Context& c) { writer.bytes_length(-1, c.is_flexible); }
  template <class T>
  void null_value(const std::vector<T>*, const Context& c) {
    writer.array_length(-1, c.is_flexible);
  }
  template <Struct S>
  void null_value(const S*, const Context&) {
    writer.int8(-1);
  }

  template <class F, class T>
  bool plain_value(const F& field, const T& in, const Context& context) {
    if constexpr (is_optional<T>::value) {
      using Value = typename T::value_type;
      const bool may_be_null = field.nullable_versions.contains(context.version);
      if (!in) {
        if (!may_be_null) return refuse("null, which this version does not allow");
        return (null_value(static_cast<const Value*>(nullptr), context), true);
      }
      if constexpr (Struct<Value>) {
        if (may_be_null) writer.int8(1);
      }
      return value(*in, context);
    } else {
      return value(in, context);
    }
  }
  template <class S, class F>
  bool field_value(const S& in, const F& field, const Context& context) {
    const auto& member = in.*field.member;
    if (!field.versions.contains(context.version))
      return field.is_ignorable || member == default_of<S>().*field.member ||
             refuse("a value that version " + std::to_string(context.version) + " cannot carry");
    if (field.tagged_versions.contains(context.version)) return true;
    return plain_value(field, member, context_for(field, context));
  }
  template <class F, class T>
  bool tagged_value(const F& field, const T& in, const Context& context) {
    if constexpr (is_optional<T>::value) {
      if constexpr (Struct<typename T::value_type>) {
        if (field.nullable_versions.contains(context.version)) {
          writer.unsigned_varint(in ? 1 : 0);
          return !in || value(*in, context);
        }
      }
    }
    return plain_value(field, in, context);
  }
  template <Struct S>
  bool tagged_fields(const S& in, const Context& context) {
    std::vector<std::pair<std::uint32_t, Writer>> tagged;
    const bool encoded = for_each_field<S>([&](const auto& field) {
      const auto& member = in.*field.member;
      if (!field.tagged_versions.contains(context.version) ||
          member == default_of<S>().*field.member)
        return true;
      Encoder inner{tagged.emplace_back(field.tag, Writer{}).second, std::nullopt};
      if (inner.tagged_value(field, member, context)) return true;
      error = std::move(inner.error);
      prefix_field(field.name);
      return false;
    });
    if (!encoded) return false;
    for (const UnknownTaggedField& unknown : in.unknown_tagged_fields)
      tagged.emplace_back(unknown.tag, Writer{}).second.shared(unknown.bytes);
    std::ranges::sort(tagged, {}, [](const auto& entry) { return entry.first; });
    writer.unsigned_varint(static_cast<std::uint32_t>(tagged.size()));
    for (auto& [tag, content] : tagged) {
      writer.unsigned_varint(tag);
      writer.unsigned_varint(static_cast<std::uint32_t>(content.size()));
      writer.append(std::move(content));
    }
    return true;
  }
};

}  // namespace fencepost::protocol::walk
