#include "tools/conform/complete.h"

#include <nlohmann/json.hpp>

namespace fencepost::conform {

using nlohmann::json;

namespace {

void complete_at(json& value, const std::vector<protocol::FieldDescription>& fields,
                 const std::string& path, int version) {
  if (value.is_array())
    for (json& item : value) complete_at(item, fields, path, version);
  if (!value.is_object()) return;
  for (const protocol::FieldDescription& field : fields) {
    const bool is_here =
        field.path.starts_with(path) && field.path.find('.', path.size()) == std::string::npos;
    if (!is_here || field.path == ".") continue;
    std::string name = field.path.substr(path.size());
    name.front() = static_cast<char>(name.front() - 'A' + 'a');
    if (!field.versions.contains(version)) {
      value.erase(name);
      continue;
    }
    if (!value.contains(name)) value[name] = json::parse(field.default_json);
    complete_at(value[name], fields, field.path + ".", version);
  }
}

}  // namespace

void complete(json& body, const std::vector<protocol::FieldDescription>& fields, int version) {
  complete_at(body, fields, "", version);
}

}  // namespace fencepost::conform
