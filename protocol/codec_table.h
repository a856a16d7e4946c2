// A message's field list as data: one table per struct, made from its fields(), that the walks read
// through pointers. So the walks are compiled once, and a message costs only its tables.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/uuid.h"
#include "protocol/field.h"

namespace fencepost::protocol::walk {

enum class ValueKind : std::uint8_t {
  boolean,
  int8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  float64,
  uuid,
  string,
  bytes,
  records,
  array,
  optional,
  structure,
};

struct StructTable;

// What a walk needs to know of a value that it has only a pointer to. An enumeration is the integer
// it travels as.
struct ValueType {
  ValueKind kind = ValueKind::boolean;
  const ValueType* inner = nullptr;         // array, optional: what it holds
  const StructTable& (*table)() = nullptr;  // structure

  std::size_t (*array_size)(const void* array) = nullptr;
  const void* (*array_element)(const void* array, std::size_t index) = nullptr;
  void* (*array_append)(void* array) = nullptr;  // a default element at the end

  const void* (*optional_content)(const void* optional) = nullptr;  // null when there is none
  void* (*optional_emplace)(void* optional) = nullptr;
  void (*optional_reset)(void* optional) = nullptr;
};

struct FieldTable {
  std::string_view name;
  const ValueType* type;
  std::size_t offset;  // of the member within the struct
  Versions versions;
  Versions nullable_versions;
  Versions tagged_versions;
  std::uint32_t tag;
  bool is_ignorable;
  bool is_never_flexible;

  void* in(void* structure) const { return static_cast<std::uint8_t*>(structure) + offset; }
  const void* in(const void* structure) const {
    return static_cast<const std::uint8_t*>(structure) + offset;
  }
};

struct StructTable {
  std::string_view type_name;  // empty for a whole message
  std::span<const FieldTable> fields;
  std::size_t unknown_tagged_fields_offset;
  const void* default_value;
};

template <class T>
concept Struct = requires {
  T::fields();
};

template <Struct S>
const StructTable& table_of();

template <class T>
consteval ValueKind kind_of() {
  if constexpr (std::is_enum_v<T>) return kind_of<std::underlying_type_t<T>>();
  if constexpr (std::is_same_v<T, bool>) return ValueKind::boolean;
  if constexpr (std::is_same_v<T, std::int8_t>) return ValueKind::int8;
  if constexpr (std::is_same_v<T, std::int16_t>) return ValueKind::int16;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ValueKind::uint16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ValueKind::int32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ValueKind::uint32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ValueKind::int64;
  if constexpr (std::is_same_v<T, double>) return ValueKind::float64;
  if constexpr (std::is_same_v<T, Uuid>) return ValueKind::uuid;
  if constexpr (std::is_same_v<T, std::string>) return ValueKind::string;
  if constexpr (std::is_same_v<T, SharedBytes>) return ValueKind::bytes;
  if constexpr (std::is_same_v<T, Records>) return ValueKind::records;
  if constexpr (Struct<T>) return ValueKind::structure;
}

template <class T>
struct TypeOf {
  static constexpr ValueType make() {
    ValueType type;
    type.kind = kind_of<T>();
    if constexpr (Struct<T>) type.table = &table_of<T>;
    return type;
  }
};

template <class T>
inline constexpr ValueType type_of = TypeOf<T>::make();

template <class T>
struct TypeOf<std::vector<T>> {
  using Array = std::vector<T>;
  static std::size_t size(const void* array) { return static_cast<const Array*>(array)->size(); }
  static const void* element(const void* array, std::size_t index) {
    return static_cast<const Array*>(array)->data() + index;
  }
  static void* append(void* array) { return &static_cast<Array*>(array)->emplace_back(); }

  static constexpr ValueType make() {
    ValueType type;
    type.kind = ValueKind::array;
    type.inner = &type_of<T>;
    type.array_size = &size;
    type.array_element = &element;
    type.array_append = &append;
    return type;
  }
};

template <class T>
struct TypeOf<std::optional<T>> {
  using Optional = std::optional<T>;
  static const void* content(const void* optional) {
    const auto& value = *static_cast<const Optional*>(optional);
    return value ? &*value : nullptr;
  }
  // clang holds that a struct nested in the one whose optional this is has no default constructor.
  static void* emplace(void* optional) { return &static_cast<Optional*>(optional)->emplace(T{}); }
  static void reset(void* optional) { static_cast<Optional*>(optional)->reset(); }

  static constexpr ValueType make() {
    ValueType type;
    type.kind = ValueKind::optional;
    type.inner = &type_of<T>;
    type.optional_content = &content;
    type.optional_emplace = &emplace;
    type.optional_reset = &reset;
    return type;
  }
};

// The table of a struct, with the value whose members are the defaults of its fields.
template <Struct S>
struct TableOf {
  static constexpr auto list = S::fields();
  static constexpr std::size_t field_count = std::tuple_size_v<decltype(S::fields())>;

  S defaults{};
  std::array<FieldTable, field_count> fields;
  StructTable table;

  TableOf()
      : fields(std::apply(
            [this](const auto&... field) {
              return std::array<FieldTable, field_count>{this->row(field)...};
            },
            list)) {
    table.fields = fields;
    table.unknown_tagged_fields_offset = offset_of(&defaults.unknown_tagged_fields);
    table.default_value = &defaults;
    if constexpr (requires { S::type_name; }) table.type_name = S::type_name;
  }

  std::size_t offset_of(const void* member) const {
    return static_cast<std::size_t>(static_cast<const std::uint8_t*>(member) -
                                    reinterpret_cast<const std::uint8_t*>(&defaults));
  }
  template <class Member>
  FieldTable row(const Field<S, Member>& field) const {
    return {field.name,     &type_of<Member>,        offset_of(&(defaults.*field.member)),
            field.versions, field.nullable_versions, field.tagged_versions,
            field.tag,      field.is_ignorable,      field.is_never_flexible};
  }
};

template <Struct S>
const StructTable& table_of() {
  static const TableOf<S> made;
  return made.table;
}

}  // namespace fencepost::protocol::walk
