// Steps of members of a classic group, and of those who look at groups and their offsets.
#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

namespace {

constexpr const char* group_name = "~g";

// s is a static member.
bool is_static(const std::string& member) {
  return member == "s";
}

}  // namespace

void Generator::group_step() {
  const std::string member = pick({"m", "m", "n", "s"});
  const std::size_t what = below(100);
  if (what < 22) return join_group(member);
  if (what < 28) return rejoin_all();
  if (what < 46) return sync_group(member);
  if (what < 58) return heartbeat(member);
  if (what < 64) return leave_group(member);
  if (what < 78) return offset_commit();
  if (what < 92) return offset_fetch();
  describe_groups();
}

void Generator::join_group(const std::string& member) {
  const std::string how = mostly(
      "join", 85,
      {"unknown member", "other type", "other protocol", "no protocol", "short session", "as new"});
  const auto protocol = [&](const char* name) {
    return json{{"name", name},
                {"metadata",
                 {{"$embedded",
                   {{"type", "ConsumerProtocolSubscription"},
                    {"version", below(4)},
                    {"data", {{"topics", chance(70) ? json{"~x"} : json{"~x", "~y"}}}}}}}}};
  };
  json protocols = json::array();
  if (how == "other protocol") {
    protocols.push_back(protocol("sticky"));
  } else if (how != "no protocol") {
    protocols.push_back(protocol("range"));
    if (chance(30)) protocols.push_back(protocol("roundrobin"));
  }
  json body = {{"groupId", group_name},
               {"sessionTimeoutMs", how == "short session" ? 1 : 300'000},
               {"rebalanceTimeoutMs", 60'000},
               {"memberId", how == "unknown member" ? "nobody"
                            : how == "as new"       ? std::string()
                                                    : "$member " + member},
               {"protocolType", how == "other type" ? "connect" : "consumer"},
               {"protocols", protocols}};
  std::optional<int> chosen = version(ApiKey::join_group, protocol::since(0));
  if (is_static(member)) {
    body["groupInstanceId"] = "~i";
    chosen = version(ApiKey::join_group, protocol::since(5));
  }
  add(ApiKey::join_group, chosen, member, body);
}

// A round: whoever is a member comes, and all are given something.
void Generator::rejoin_all() {
  for (const char* member : {"m", "n", "s"})
    if (chance(85)) join_group(member);
  for (const char* member : {"m", "n", "s"}) sync_group(member);
}

void Generator::sync_group(const std::string& member) {
  json assignments = json::array();
  int index = 0;
  for (const char* one : {"m", "n", "s"})
    if (one == member || chance(80))
      assignments.push_back(
          {{"memberId", std::string("$member ") + one},
           {"assignment",
            {{"$embedded",
              {{"type", "ConsumerProtocolAssignment"},
               {"version", 1},
               {"data",
                {{"assignedPartitions",
                  {{{"topic", "~x"}, {"partitions", json::array({index++ % 2})}}}}}}}}}}});
  if (chance(10)) assignments.clear();
  json body = {{"groupId", group_name},
               {"memberId", chance(96) ? "$member " + member : "nobody"},
               {"generationId", "$generation " + member + mostly("", 92, {" -1", " 1"})},
               {"assignments", assignments},
               {"protocolType", mostly("consumer", 97, {"connect"})},
               {"protocolName", mostly("range", 97, {"roundrobin"})}};
  std::optional<int> chosen = version(ApiKey::sync_group);
  if (is_static(member)) {
    body["groupInstanceId"] = chance(95) ? "~i" : "~other";
    chosen = version(ApiKey::sync_group, protocol::since(3));
  }
  add(ApiKey::sync_group, chosen, member, body);
}

void Generator::heartbeat(const std::string& member) {
  json body = {{"groupId", mostly(group_name, 96, {"~nowhere"})},
               {"memberId", chance(92) ? "$member " + member : "nobody"},
               {"generationId", "$generation " + member + mostly("", 75, {" -1", " 1"})}};
  std::optional<int> chosen = version(ApiKey::heartbeat);
  if (is_static(member)) {
    body["groupInstanceId"] = chance(90) ? "~i" : "~other";
    chosen = version(ApiKey::heartbeat, protocol::since(3));
  }
  add(ApiKey::heartbeat, chosen, member, body);
}

void Generator::leave_group(const std::string& member) {
  constexpr int several_since = 3;
  json members = json::array({{{"memberId", "$member " + member}}});
  if (is_static(member)) {
    members[0]["groupInstanceId"] = chance(95) ? "~i" : "~other";
    if (chance(40)) members[0]["memberId"] = "";
  }
  if (chance(20)) members.push_back({{"memberId", "nobody"}});
  add(ApiKey::leave_group, protocol::since(is_static(member) ? several_since : 0), member,
      {{"groupId", group_name}, {"memberId", "$member " + member}, {"members", members}});
}

void Generator::offset_commit() {
  const std::string group = mostly("g", 60, {"h", "k", "k"});
  const std::string member = group == "h" ? pick({"c", "d"}) : pick({"m", "n", "s"});
  const std::string who = mostly("live", 55, {"none", "none", "stale", "future", "unknown"});
  json body = {{"groupId", "~" + group}};
  if (who != "none") {
    body["memberId"] = who == "unknown" ? "nobody" : "$member " + member;
    body["generationIdOrMemberEpoch"] = "$generation " + member +
                                        (who == "stale"    ? " -1"
                                         : who == "future" ? " 5"
                                                           : "");
  }
  if (is_static(member) && group == "g" && chance(70)) body["groupInstanceId"] = "~i";
  json topics = json::array();
  for (const char* name : {"x", "y"}) {
    if (name[0] == 'y' && chance(75)) continue;
    const std::string offset = std::to_string(below(1000));
    json partitions = json::array({{{"partitionIndex", partition()},
                                    {"committedOffset", std::stoll(offset)},
                                    {"committedMetadata", "p" + offset}}});
    if (chance(5)) partitions[0]["committedMetadata"] = nullptr;
    if (chance(3)) partitions[0]["committedMetadata"] = std::string(5000, 'p');
    if (chance(5)) partitions[0]["committedOffset"] = -1;
    if (chance(5)) partitions[0]["partitionIndex"] = 44;
    topics.push_back({{"name", std::string("~") + name},
                      {"topicId", std::string("$topic ") + name},
                      {"partitions", partitions}});
  }
  if (chance(4))
    topics.push_back({{"name", "~nowhere"},
                      {"topicId", "$topic nowhere"},
                      {"partitions", {{{"partitionIndex", 0}, {"committedOffset", 1}}}}});
  body["topics"] = topics;
  const int first = body.contains("groupInstanceId") ? 7 : 2;
  add(ApiKey::offset_commit, protocol::since(first), member, body);
}

void Generator::offset_fetch() {
  constexpr int stable_since = 7;
  constexpr int several_groups_since = 8;
  const bool wants_stable = chance(50);
  const std::string group = mostly("g", 60, {"h", "k"});
  const json topics = {{{"name", "~x"}, {"topicId", "$topic x"}, {"partitionIndexes", {0, 1}}},
                       {{"name", "~y"}, {"topicId", "$topic y"}, {"partitionIndexes", {0}}}};
  const bool asks_for_all = chance(15);
  const auto chosen = version(ApiKey::offset_fetch, protocol::since(wants_stable   ? stable_since
                                                                    : asks_for_all ? 2
                                                                                   : 1));
  json body = {{"requireStable", wants_stable}};
  if (chosen && *chosen >= several_groups_since) {
    json groups =
        json::array({{{"groupId", "~" + group}, {"topics", asks_for_all ? json() : topics}}});
    if (group == "h" && chance(60))
      groups[0].update({{"memberId", "$member c"},
                        {"memberEpoch", "$generation c" + mostly("", 80, {" -1", " 1"})}});
    if (offer_.broker_count == 1 && chance(25))
      groups.push_back({{"groupId", "~" + mostly("k", 60, {"nowhere"})}, {"topics", topics}});
    body["groups"] = groups;
  } else {
    json named = topics;
    for (json& one : named) one.erase("topicId");
    body.update({{"groupId", "~" + group}, {"topics", asks_for_all ? json() : named}});
  }
  add(ApiKey::offset_fetch, chosen, "", body);
}

void Generator::describe_groups() {
  json groups = json::array({"~" + mostly("g", 70, {"h", "k"})});
  const bool is_alone = offer_.broker_count > 1;
  if (!is_alone && chance(30)) groups.push_back("~nowhere");
  const std::size_t what = below(100);
  if (what < 45) {
    add(ApiKey::describe_groups, any_version, "", {{"groups", groups}});
  } else if (what < 65 && !is_alone) {
    json body = json::object();
    if (chance(40)) body["statesFilter"] = {pick({"Stable", "Empty", "preparingrebalance"})};
    if (chance(30)) body["typesFilter"] = {pick({"classic", "Consumer"})};
    add(ApiKey::list_groups, any_version, "", body);
  } else if (what < 80) {
    add(ApiKey::delete_groups, any_version, "", {{"groupsNames", groups}});
  } else if (what < 92) {
    add(ApiKey::offset_delete, any_version, "",
        {{"groupId", groups[0]},
         {"topics",
          {{{"name", "~" + topic()}, {"partitions", {{{"partitionIndex", partition()}}}}}}}});
  } else if (!is_alone) {
    const std::string key = pick({"~g", "~t"});
    add(ApiKey::find_coordinator, protocol::since(1), "",
        {{"key", key}, {"keyType", key == "~t" ? 1 : 0}, {"coordinatorKeys", {key, "~k"}}});
  }
}

}  // namespace fencepost::conform
