// Steps of administrators: topics, configurations, ACLs.
#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

namespace {

constexpr int topic_resource = 2;
constexpr int group_resource = 3;

}  // namespace

void Generator::admin_step() {
  const std::size_t what = below(100);
  if (what < 45) return topic_step();
  if (what < 80) return config_step();
  acl_step();
}

void Generator::topic_step() {
  const std::size_t what = below(100);
  if (what < 25) {
    const std::string name = pick({"~x", "~new", "~new", "~a b", "", ".", "~newer"});
    json one = {{"name", name},
                {"numPartitions", chance(85) ? json(1 + below(3)) : json(0)},
                {"replicationFactor", chance(90) ? 1 : 7}};
    if (chance(30))
      one["configs"] = json::array(
          {{{"name", mostly("cleanup.policy", 80, {"no.such.key"})},
            {"value", mostly("compact", 70, {"delete", "compact,delete", "neither"})}}});
    if (chance(10))
      one.update(
          {{"numPartitions", -1},
           {"replicationFactor", -1},
           {"assignments",
            {{{"partitionIndex", below(2)}, {"brokerIds", {"$broker"}}},
             {{"partitionIndex", 1}, {"brokerIds", {chance(50) ? json("$broker") : json(99)}}}}}});
    add(ApiKey::create_topics, protocol::since(2), "",
        {{"topics", json::array({one})}, {"timeoutMs", 10000}, {"validateOnly", chance(30)}});
  } else if (what < 40) {
    const std::size_t count = 1 + below(4);
    json assignments;
    if (offer_.broker_count > 1)
      assignments = json::array({{{"brokerIds", json::array({"$broker"})}}});
    add(ApiKey::create_partitions, any_version, "",
        {{"topics",
          {{{"name", "~" + mostly(topic().c_str(), 90, {"nowhere"})},
            {"count", offer_.broker_count > 1 ? 3 : count},
            {"assignments", assignments}}}},
         {"timeoutMs", 10000},
         {"validateOnly", chance(50)}});
  } else if (what < 50) {
    constexpr int names_until = 5;
    const std::string name = mostly("~new", 75, {"~nowhere", "~newer"});
    add(ApiKey::delete_topics, protocol::between(1, names_until), "",
        {{"topicNames", {name}}, {"timeoutMs", 10000}});
  } else if (what < 75) {
    json topics = json::array({{{"name", "~" + topic()}}});
    if (chance(20)) topics.push_back({{"name", "~nowhere"}});
    add(ApiKey::metadata, protocol::since(4), "",
        {{"topics", topics},
         {"allowAutoTopicCreation", false},
         {"includeTopicAuthorizedOperations", chance(20)}});
  } else if (what < 88) {
    json topics = json::array({{{"name", "~" + topic()}}});
    if (chance(20)) topics.push_back({{"name", "~nowhere"}});
    json body = {{"topics", topics}, {"responsePartitionLimit", chance(70) ? 2000 : 1}};
    if (chance(20)) body["cursor"] = {{"topicName", "~y"}, {"partitionIndex", below(3)}};
    add(ApiKey::describe_topic_partitions, any_version, "", body);
  } else {
    json one = {{"topic", "~" + mostly(topic().c_str(), 90, {"nowhere"})}, {"partitions", {0, 7}}};
    add(ApiKey::elect_leaders, any_version, "",
        {{"electionType", below(2)}, {"topicPartitions", json::array({one})}, {"timeoutMs", 5000}});
  }
}

void Generator::config_step() {
  const bool is_group = chance(15) && offer_.transaction_version >= 2;
  const json type = is_group ? group_resource : topic_resource;
  const std::string resource = is_group ? "~h" : "~" + mostly(topic().c_str(), 93, {"nowhere"});
  const std::string key =
      is_group ? mostly("consumer.session.timeout.ms", 80, {"no.such.key"})
               : pick({"retention.bytes", "max.message.bytes", "cleanup.policy", "segment.bytes",
                       "min.insync.replicas", "message.timestamp.type", "no.such.key"});
  if (chance(45)) {
    json keys = json::array({key});
    if (chance(40)) keys.push_back(is_group ? "consumer.heartbeat.interval.ms" : "retention.ms");
    add(ApiKey::describe_configs, protocol::since(1), "",
        {{"resources",
          {{{"resourceType", type}, {"resourceName", resource}, {"configurationKeys", keys}}}},
         {"includeSynonyms", chance(30)},
         {"includeDocumentation", false}});
    return;
  }
  const json value = is_group ? json(pick({"50000", "46000", "1", "x"}))
                     : key == "cleanup.policy"
                         ? json(mostly("delete", 70, {"compact", "delete,compact", "x", ""}))
                     : key == "message.timestamp.type" ? json(mostly("CreateTime", 80, {"x"}))
                     : key == "min.insync.replicas"    ? json(mostly("1", 80, {"0", "x"}))
                     : chance(5)                       ? json()
                                 : json(pick({"100000000", "20000000", "-1", "-2", "x"}));
  const json operation = chance(65) ? json(0) : json(below(5));
  json configs = json::array({{{"name", key}, {"configOperation", operation}, {"value", value}}});
  const bool is_validated_only = chance(30);
  if (chance(75)) {
    add(ApiKey::incremental_alter_configs, any_version, "",
        {{"resources",
          {{{"resourceType", type}, {"resourceName", resource}, {"configs", configs}}}},
         {"validateOnly", is_validated_only}});
    return;
  }
  if (is_group) return;
  configs[0].erase("configOperation");
  if (key != "retention.ms") configs.push_back({{"name", "retention.ms"}, {"value", "-1"}});
  add(ApiKey::alter_configs, any_version, "",
      {{"resources", {{{"resourceType", type}, {"resourceName", resource}, {"configs", configs}}}},
       {"validateOnly", is_validated_only}});
}

// For a user who is not there: nothing that a program does is refused by it.
void Generator::acl_step() {
  const json type = chance(90) ? json(2 + below(2)) : json(below(7));
  const json operation = chance(85) ? json(2 + below(3)) : json(below(14));
  const json permission = chance(90) ? json(2 + below(2)) : json(below(4));
  const json pattern = chance(85) ? json(3 + below(2)) : json(below(5));
  const std::string name = mostly("~x", 60, {"~y", "~g"});
  const std::string principal = mostly("User:nobody", 90, {"nobody", "Group:nobody"});
  const std::size_t what = below(100);
  if (what < 40) {
    add(ApiKey::create_acls, protocol::since(1), "",
        {{"creations",
          {{{"resourceType", type},
            {"resourceName", name},
            {"resourcePatternType", pattern},
            {"principal", principal},
            {"host", "*"},
            {"operation", operation},
            {"permissionType", permission}}}}});
    return;
  }
  const bool is_any = chance(50);
  const json filter = {{"resourceTypeFilter", is_any ? json(1) : type},
                       {"resourceNameFilter", name},
                       {"patternTypeFilter", is_any ? json(1) : pattern},
                       {"principalFilter", chance(50) ? json() : json("User:nobody")},
                       {"hostFilter", nullptr},
                       {"operation", is_any ? json(1) : operation},
                       {"permissionType", is_any ? json(1) : permission}};
  if (what < 75) {
    add(ApiKey::describe_acls, protocol::since(1), "", filter);
  } else {
    add(ApiKey::delete_acls, protocol::since(1), "", {{"filters", json::array({filter})}});
  }
}

}  // namespace fencepost::conform
