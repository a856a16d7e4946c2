// Steps of members of a consumer group (KIP-848), and of those who look at it.
#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

void Generator::consumer_step() {
  const std::size_t what = below(100);
  if (what < 70) return consumer_heartbeat(pick({"c", "c", "d", "z"}));
  if (what < 80) return offset_commit();
  if (what < 88) return offset_fetch();
  json groups = json::array({"~h"});
  if (offer_.broker_count == 1 && chance(30)) groups.push_back(pick({"~g", "~nowhere"}));
  add(ApiKey::consumer_group_describe, any_version, "", {{"groupIds", groups}});
}

// z is a static member. Only range gives the same assignment whatever ids the topics have.
void Generator::consumer_heartbeat(const std::string& member) {
  constexpr int regex_since = 1;
  const bool is_new = !initialized_.contains("consumer " + member);
  const std::string how = is_new ? "join"
                                 : mostly("beat", 60,
                                          {"join", "join", "leave", "leave for now", "stale",
                                           "future", "earlier", "no such epoch"});
  initialized_.insert("consumer " + member);
  json body = {{"groupId", mostly("~h", 96, {"~g"})},
               {"memberId", how == "join" && is_new ? "~" + member : "$member " + member}};
  if (member == "z") body["instanceId"] = chance(95) ? "~i" : "~j";
  body["memberEpoch"] = how == "join"            ? json(0)
                        : how == "leave"         ? json(-1)
                        : how == "leave for now" ? json(-2)
                        : how == "no such epoch" ? json(-3)
                        : how == "stale"         ? json("$generation " + member + " -1")
                        : how == "future"        ? json("$generation " + member + " 1")
                        : how == "earlier"       ? json("$earlier " + member)
                                                 : json("$generation " + member);
  int first = 0;
  if (how == "join" || chance(30)) {
    body["rebalanceTimeoutMs"] = chance(97) ? 30'000 : -1;
    body["serverAssignor"] = mostly("range", 97, {"bogus"});
    const std::size_t kind = below(100);
    if (kind < 60) body["subscribedTopicNames"] = {"~x"};
    if (kind >= 60 && kind < 85) body["subscribedTopicNames"] = {"~x", "~y"};
    if (kind >= 85 && kind < 92) body["subscribedTopicNames"] = {"~nowhere"};
    if (kind >= 92 && kind < 98) body["subscribedTopicRegex"] = pick({"~[xy]", "~x", "(", ""});
    if (body.contains("subscribedTopicRegex")) first = regex_since;
  }
  if (how == "join") {
    body["topicPartitions"] = json::array();
  } else if (chance(55)) {
    body["topicPartitions"] = chance(85) ? json("$owned " + member) : json::array();
  }
  add(ApiKey::consumer_group_heartbeat, protocol::since(first), member, body);
}

}  // namespace fencepost::conform
