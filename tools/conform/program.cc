#include "tools/conform/program.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fencepost::conform {

using nlohmann::json;
using protocol::Versions;

Versions Offer::versions_of(protocol::ApiKey api) const {
  const auto found = versions.find(api);
  return found == versions.end() ? protocol::no_versions : found->second;
}

Offer common_offer(const Offer& one, const Offer& other) {
  Offer both;
  for (const auto& [api, versions] : one.versions) {
    const Versions theirs = other.versions_of(api);
    const Versions shared{std::max(versions.first, theirs.first),
                          std::min(versions.last, theirs.last)};
    if (!theirs.is_empty() && !shared.is_empty()) both.versions[api] = shared;
  }
  both.transaction_version = std::min(one.transaction_version, other.transaction_version);
  both.broker_count = std::max(one.broker_count, other.broker_count);
  return both;
}

std::string to_line(const Step& step) {
  json line = {{"api", protocol::to_string(step.api)}, {"version", step.version}};
  if (!step.actor.empty()) line["actor"] = step.actor;
  line["body"] = json::parse(step.body, nullptr, false);
  return line.dump();
}

Result<Step> parse_step(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  const auto wrong = [&text](const char* what) {
    return Error{ErrorKind::malformed, std::string(what) + ": " + std::string(text)};
  };
  if (!line.is_object()) return wrong("a step is a JSON object on one line");
  const auto name = line.find("api");
  if (name == line.end() || !name->is_string()) return wrong("a step names its api");
  const protocol::Api* api = protocol::find_api(name->get<std::string>());
  if (api == nullptr) return wrong("no API has that name");
  const auto version = line.find("version");
  if (version == line.end() || !version->is_number_integer()) return wrong("a step has a version");
  const auto body = line.find("body");
  if (body == line.end() || !body->is_object()) return wrong("a step has a body");
  const auto actor = line.find("actor");
  const bool has_actor = actor != line.end() && actor->is_string();
  return Step{api->key, version->get<int>(), body->dump(),
              has_actor ? actor->get<std::string>() : std::string()};
}

}  // namespace fencepost::conform
