// What a message says of its own fields, for people and for the test against Kafka's schema.
#include "protocol/codec_walk.h"

namespace fencepost::protocol::walk {

std::string type_name(const ValueType& type) {
  switch (type.kind) {
    case ValueKind::boolean:
      return "bool";
    case ValueKind::int8:
      return "int8";
    case ValueKind::int16:
      return "int16";
    case ValueKind::uint16:
      return "uint16";
    case ValueKind::int32:
      return "int32";
    case ValueKind::uint32:
      return "uint32";
    case ValueKind::int64:
      return "int64";
    case ValueKind::float64:
      return "float64";
    case ValueKind::uuid:
      return "uuid";
    case ValueKind::string:
      return "string";
    case ValueKind::bytes:
      return "bytes";
    case ValueKind::records:
      return "records";
    case ValueKind::array:
      return "[]" + type_name(*type.inner);
    case ValueKind::optional:
      return type_name(*type.inner);
    case ValueKind::structure:
      return std::string(type.table().type_name);
  }
  return "";
}

namespace {

std::string default_json(const ValueType& type, const void* value) {
  if (type.kind == ValueKind::structure) return "{}";
  if (type.kind == ValueKind::optional && type.optional_content(value) != nullptr)
    return default_json(*type.inner, type.optional_content(value));
  std::string out;
  append_json(out, type, value, {version_max, true});
  return out;
}

void describe_into(std::vector<FieldDescription>& out, const StructTable& table,
                   const std::string& path) {
  for (const FieldTable& field : table.fields) {
    std::string name = path + std::string(field.name);
    name[path.size()] = static_cast<char>(name[path.size()] - 'a' + 'A');
    out.push_back({name, type_name(*field.type), field.versions, field.nullable_versions,
                   field.tagged_versions, field.tag,
                   default_json(*field.type, field.in(table.default_value)), field.is_ignorable,
                   field.is_never_flexible});
    const ValueType* innermost = field.type;
    while (innermost->inner != nullptr) innermost = innermost->inner;
    if (innermost->kind == ValueKind::structure) describe_into(out, innermost->table(), name + ".");
  }
}

}  // namespace

std::vector<FieldDescription> describe(const StructTable& table) {
  std::vector<FieldDescription> out;
  describe_into(out, table, "");
  if (out.empty()) out.push_back({".", "", {}, {}, {}, 0, "", false, false});
  return out;
}

}  // namespace fencepost::protocol::walk
