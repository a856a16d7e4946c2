// The JSON Schema for editors follows the verb table.
#include "tools/scenario/schema.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

#include "tools/scenario/verbs.h"

#include "tests/catch.h"

using namespace fencepost::scenario;

TEST_CASE("scenarios/scenario.schema.json is what the verb table says", "[tools][scenario]") {
  std::ifstream file(std::string(FENCEPOST_SOURCE_ROOT) + "/scenarios/scenario.schema.json");
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str() == scenario_schema());
}

TEST_CASE("The schema has every verb with exactly its arguments", "[tools][scenario]") {
  const auto schema = nlohmann::json::parse(scenario_schema());
  const auto& step = schema["properties"]["steps"]["items"];
  std::vector<VerbSpec> verbs(actor_verbs().begin(), actor_verbs().end());
  verbs.insert(verbs.end(), world_verbs().begin(), world_verbs().end());
  for (const VerbSpec& verb : verbs) {
    const std::string name(verb.name);
    INFO(name);
    const auto& patterns = step["patternProperties"];
    const auto& place = verb.kind == VerbKind::world ? step["properties"][name]
                                                     : patterns["^[^.]+\\." + name + "$"];
    const bool is_option_too = !place["anyOf"][0].contains("type");
    const auto& object = is_option_too ? place["anyOf"][0]["anyOf"][0] : place["anyOf"][0];
    REQUIRE(object["properties"].is_object());
    CHECK(object["properties"].size() == verb.arguments.size());
    for (const ArgumentSpec& argument : verb.arguments)
      CHECK(object["properties"].contains(std::string(argument.name)));
  }
}
