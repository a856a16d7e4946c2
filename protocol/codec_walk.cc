#include "protocol/codec_walk.h"

#include <algorithm>

namespace fencepost::protocol::walk {

Context context_of(const MessageInfo& info, int version) {
  return {version, info.flexible_versions.contains(version)};
}

std::optional<Error> unsupported(const MessageInfo& info, int version) {
  if (info.valid_versions.contains(version)) return std::nullopt;
  return Error{ErrorKind::unsupported_version,
               std::string(info.name) + " has versions " +
                   std::to_string(info.valid_versions.first) + " to " +
                   std::to_string(info.valid_versions.last) + ", not " + std::to_string(version),
               0,
               {}};
}

std::string bracketed(std::size_t index) {
  std::string out = "[";
  out += std::to_string(index);
  return out + "]";
}

namespace {

template <class T>
bool are_same(const void* a, const void* b) {
  return *static_cast<const T*>(a) == *static_cast<const T*>(b);
}
template <class Number>
bool are_same_number(const void* a, const void* b) {
  return load<Number>(a) == load<Number>(b);
}

bool are_equal_arrays(const ValueType& type, const void* a, const void* b) {
  const std::size_t size = type.array_size(a);
  if (size != type.array_size(b)) return false;
  for (std::size_t i = 0; i < size; ++i)
    if (!are_equal(*type.inner, type.array_element(a, i), type.array_element(b, i))) return false;
  return true;
}

bool are_equal_optionals(const ValueType& type, const void* a, const void* b) {
  const void* in_a = type.optional_content(a);
  const void* in_b = type.optional_content(b);
  if (in_a == nullptr || in_b == nullptr) return in_a == in_b;
  return are_equal(*type.inner, in_a, in_b);
}

bool are_equal_structs(const StructTable& table, const void* a, const void* b) {
  return std::ranges::all_of(table.fields,
                             [&](const FieldTable& field) {
                               return are_equal(*field.type, field.in(a), field.in(b));
                             }) &&
         unknown_tagged_fields(table, a) == unknown_tagged_fields(table, b);
}

}  // namespace

bool are_equal(const ValueType& type, const void* a, const void* b) {
  switch (type.kind) {
    case ValueKind::boolean:
      return are_same<bool>(a, b);
    case ValueKind::int8:
      return are_same_number<std::int8_t>(a, b);
    case ValueKind::int16:
    case ValueKind::uint16:
      return are_same_number<std::int16_t>(a, b);
    case ValueKind::int32:
    case ValueKind::uint32:
      return are_same_number<std::int32_t>(a, b);
    case ValueKind::int64:
      return are_same_number<std::int64_t>(a, b);
    case ValueKind::float64:
      return are_same_number<double>(a, b);
    case ValueKind::uuid:
      return are_same<Uuid>(a, b);
    case ValueKind::string:
      return are_same<std::string>(a, b);
    case ValueKind::bytes:
      return are_same<SharedBytes>(a, b);
    case ValueKind::records:
      return are_same<Records>(a, b);
    case ValueKind::array:
      return are_equal_arrays(type, a, b);
    case ValueKind::optional:
      return are_equal_optionals(type, a, b);
    case ValueKind::structure:
      return are_equal_structs(type.table(), a, b);
  }
  return false;
}

bool is_default(const StructTable& table, const FieldTable& field, const void* structure) {
  return are_equal(*field.type, field.in(structure), field.in(table.default_value));
}

}  // namespace fencepost::protocol::walk
