// Everything of a scenario file but its steps: titles, topics, settings, variants, properties.
#include <algorithm>
#include <limits>

#include "minibroker/era.h"
#include "tools/scenario/parser.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/settings.h"
#include "tools/scenario/values.h"
#include "tools/scenario/words.h"

namespace fencepost::scenario {

namespace {

constexpr int brokers_max = 9;
constexpr int partitions_max = 1000;

class HeaderParser {
 public:
  HeaderParser(const Node& root, Scenario& scenario, Mistakes& mistakes)
      : root_(root), scenario_(scenario), mistakes_(mistakes) {}

  void parse() {
    mistakes_.check_keys(root_, scenario_keys(), "a scenario");
    parse_texts();
    if (const Node* node = root_.find("seed"))
      if (const auto seed = mistakes_.integer_of(*node, "seed", 0, seed_max))
        scenario_.seed = static_cast<std::uint64_t>(*seed);
    if (const Node* node = root_.find("brokers")) parse_brokers(*node, scenario_.brokers);
    if (const Node* node = root_.find("as_version")) scenario_.as_version = parse_era(*node);
    if (const Node* node = root_.find("defect")) scenario_.defect = parse_defect(*node);
    if (const Node* node = root_.find("settings")) scenario_.settings = parse_settings(*node);
    if (const Node* node = root_.find("topics")) parse_topics(*node);
    parse_variants();
    if (const Node* node = root_.find("always")) scenario_.always = parse_properties(*node);
    if (const Node* node = root_.find("finally")) scenario_.finally = parse_properties(*node);
    if (const Node* node = root_.find("expect")) parse_broken(*node);
    if (const Node* node = root_.find("explore"))
      scenario_.explore = parse_explore(*node, scenario_, mistakes_);
  }

 private:
  static constexpr std::int64_t seed_max = std::numeric_limits<std::int64_t>::max();

  void parse_texts() {
    if (const Node* title = root_.find("title"))
      scenario_.title = mistakes_.text_of(*title, "title").value_or("");
    else
      mistakes_.add(root_.place, "a scenario needs a 'title'");
    if (const Node* question = root_.find("question"))
      scenario_.question = mistakes_.text_of(*question, "question").value_or("");
    if (const Node* look = root_.find("look")) scenario_.look = mistakes_.texts_of(*look, "look");
  }

  template <class Count>
  void parse_brokers(const Node& node, Count& count) {
    if (const auto number = mistakes_.integer_of(node, "brokers", 1, brokers_max))
      count = static_cast<int>(*number);
  }

  std::optional<std::string> parse_era(const Node& node) {
    const auto name = mistakes_.text_of(node, "as_version");
    if (!name || minibroker::find_era(*name)) return name;
    std::vector<std::string> names;
    for (const minibroker::Era& era : minibroker::eras()) names.push_back(era.name);
    mistakes_.add(node.place, "no brokers of version '" + *name + "'" + suggestion(*name, names));
    return std::nullopt;
  }

  std::optional<std::string> parse_defect(const Node& node) {
    const auto name = mistakes_.text_of(node, "defect");
    if (!name || minibroker::find_defect(*name)) return name;
    std::vector<std::string> names;
    for (const minibroker::DefectInfo& it : minibroker::defects()) names.emplace_back(it.name);
    mistakes_.add(node.place, "no defect '" + *name + "'" + suggestion(*name, names));
    return std::nullopt;
  }

  std::map<std::string, std::string> parse_settings(const Node& node) {
    std::map<std::string, std::string> settings;
    if (!node.is_map()) mistakes_.add(node.place, "'settings' has to be a map of Kafka's keys");
    for (const Node::Entry& entry : node.entries) {
      minibroker::ClusterSettings scratch;
      const auto value = mistakes_.text_of(entry.value, entry.key);
      if (!value) continue;
      const Result<void> applied = apply_setting(scratch, entry.key, *value);
      if (!applied) mistakes_.add(entry.place, applied.error().text);
      settings[entry.key] = *value;
    }
    return settings;
  }

  void parse_topics(const Node& node) {
    if (!node.is_map()) mistakes_.add(node.place, "'topics' has to be a map: name: {settings}");
    for (const Node::Entry& entry : node.entries) parse_topic(entry);
  }

  void parse_topic(const Node::Entry& entry) {
    minibroker::TopicSettings topic;
    topic.name = entry.key;
    std::vector<std::string> keys = topic_setting_names();
    keys.insert(keys.begin(), {"partitions", "replication_factor"});
    if (!entry.value.is_map() && !entry.value.is_null())
      mistakes_.add(entry.value.place, "a topic's settings have to be a map, {} for none");
    mistakes_.check_keys(entry.value, keys, "a topic");
    for (const Node::Entry& setting : entry.value.entries) {
      if (setting.key == "partitions") {
        if (const auto number = mistakes_.integer_of(setting.value, setting.key, 1, partitions_max))
          topic.partition_count = static_cast<int>(*number);
      } else if (setting.key == "replication_factor") {
        if (const auto number = mistakes_.integer_of(setting.value, setting.key, 1, brokers_max))
          topic.replication_factor = static_cast<int>(*number);
      } else if (const auto text = mistakes_.text_of(setting.value, setting.key)) {
        topic.config[setting.key] = topic_setting_value(setting.key, *text);
      }
    }
    scenario_.topics.push_back(std::move(topic));
  }

  void parse_variants() {
    const Node* list = root_.find("variants");
    if (list != nullptr && !list->is_list())
      mistakes_.add(list->place, "'variants' has to be a list of {name: ..., ...}");
    if (list != nullptr)
      for (const Node& item : list->items) parse_variant(item);
    if (scenario_.variants.empty()) scenario_.variants.push_back({});
  }

  void parse_variant(const Node& node) {
    Variant variant;
    variant.place = node.place;
    if (!node.is_map() || node.find("name") == nullptr) {
      mistakes_.add(node.place, "a variant needs a 'name'");
      return;
    }
    mistakes_.check_keys(node, variant_keys(), "a variant");
    variant.name = mistakes_.text_of(*node.find("name"), "name").value_or("");
    if (const Node* era = node.find("as_version")) variant.as_version = parse_era(*era);
    if (const Node* defect = node.find("defect")) variant.defect = parse_defect(*defect);
    if (const Node* brokers = node.find("brokers")) parse_brokers(*brokers, variant.brokers);
    if (const Node* settings = node.find("settings")) variant.settings = parse_settings(*settings);
    if (const Node* fence = node.find("fence")) variant.fence = parse_fence(*fence);
    if (variant.name == "otherwise" || variant.name.empty())
      mistakes_.add(node.place, "a variant cannot be called '" + variant.name + "'");
    for (const Variant& other : scenario_.variants)
      if (other.name == variant.name)
        mistakes_.add(node.place, "there are two variants '" + variant.name + "'");
    scenario_.variants.push_back(std::move(variant));
  }

  Fence parse_fence(const Node& node) {
    const std::string name = mistakes_.text_of(node, "fence").value_or("none");
    if (name != "none" && name != "generation")
      mistakes_.add(node.place,
                    "no fence '" + name + "'" + suggestion(name, {"none", "generation"}));
    return name == "generation" ? Fence::generation : Fence::none;
  }

  std::vector<NamedProperty> parse_properties(const Node& node) {
    std::vector<NamedProperty> properties;
    for (const std::string& name : mistakes_.texts_of(node, "always and finally")) {
      check_property(node.place, name);
      properties.push_back({node.place, name});
    }
    return properties;
  }

  void check_property(Place place, const std::string& name) {
    const std::vector<std::string> names = property_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      mistakes_.add(place, "no property '" + name + "'" + suggestion(name, names));
  }

  // expect: {broken: name}, or by variant.
  void parse_broken(const Node& node) {
    if (node.find("broken") != nullptr) {
      for (const Variant& variant : scenario_.variants) parse_broken_in(node, variant.name);
      return;
    }
    if (!node.is_map()) mistakes_.add(node.place, "write expect: {broken: a_property}");
    for (const Node::Entry& entry : node.entries) {
      const bool is_variant =
          std::any_of(scenario_.variants.begin(), scenario_.variants.end(),
                      [&](const Variant& variant) { return variant.name == entry.key; });
      if (is_variant)
        parse_broken_in(entry.value, entry.key);
      else
        mistakes_.add(entry.place, "no variant '" + entry.key + "'");
    }
  }

  void parse_broken_in(const Node& node, const std::string& variant) {
    const Node* broken = node.find("broken");
    if (broken == nullptr) {
      mistakes_.add(node.place, "write expect: {broken: a_property}");
      return;
    }
    mistakes_.check_keys(node, {"broken"}, "the scenario's 'expect'");
    for (const std::string& name : mistakes_.texts_of(*broken, "broken")) {
      check_property(broken->place, name);
      if (!is_watched(name))
        mistakes_.add(broken->place, "'" + name + "' is in neither 'always' nor 'finally'");
      scenario_.broken[variant].push_back(name);
    }
  }

  bool is_watched(const std::string& name) const {
    const auto is_it = [&](const NamedProperty& property) { return property.name == name; };
    return std::any_of(scenario_.always.begin(), scenario_.always.end(), is_it) ||
           std::any_of(scenario_.finally.begin(), scenario_.finally.end(), is_it);
  }

  const Node& root_;
  Scenario& scenario_;
  Mistakes& mistakes_;
};

}  // namespace

std::vector<std::string> scenario_keys() {
  return {"title", "question", "look",   "topics",  "brokers", "as_version", "defect", "settings",
          "seed",  "variants", "always", "finally", "expect",  "explore",    "steps"};
}

std::vector<std::string> variant_keys() {
  return {"name", "as_version", "brokers", "defect", "fence", "settings"};
}

void parse_header(const Node& root, Scenario& scenario, Mistakes& mistakes) {
  HeaderParser(root, scenario, mistakes).parse();
}

}  // namespace fencepost::scenario
