// Steps of readers, and of those who look at logs.
#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

void Generator::read_step() {
  const std::size_t what = below(100);
  if (what < 25) return list_offsets();
  if (what < 55) return fetch();
  if (what < 75) return fetch_in_session();
  if (what < 83) return leader_epoch();
  if (what < 89) return delete_records();
  describe_producers();
}

void Generator::list_offsets() {
  json partitions = json::array();
  const std::size_t count = chance(70) ? 1 : 2;
  int version_min = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string at =
        mostly("-1", 55, {"-2", "-2", "1001", "5000", "-3", "-4", "-5", "9999999999999", "-7"});
    if (at == "-3") version_min = std::max(version_min, 7);
    if (at == "-4") version_min = std::max(version_min, 8);
    if (at == "-5") version_min = std::max(version_min, 9);
    json one = {{"partitionIndex", chance(96) ? json(i) : json(33)}, {"timestamp", std::stoll(at)}};
    if (chance(10)) one["currentLeaderEpoch"] = below(3);
    partitions.push_back(one);
  }
  json topics = json::array(
      {{{"name", "~" + mostly(topic().c_str(), 97, {"nowhere"})}, {"partitions", partitions}}});
  if (chance(10) && topics[0]["name"] == "~x")
    topics.push_back(
        {{"name", "~y"}, {"partitions", {{{"partitionIndex", 0}, {"timestamp", -1}}}}});
  add(ApiKey::list_offsets, protocol::since(version_min), "",
      {{"replicaId", -1}, {"isolationLevel", below(2)}, {"topics", topics}});
}

void Generator::fetch() {
  const std::string name = mostly(topic().c_str(), 97, {"nowhere"});
  json partitions = json::array();
  const std::size_t count = chance(70) ? 1 : 2;
  for (std::size_t i = 0; i < count; ++i) {
    json one = {{"partition", chance(97) ? json(i) : json(33)},
                {"fetchOffset", chance(60) ? 0 : below(8)},
                {"partitionMaxBytes", chance(90) ? 1 << 20 : 1}};
    if (chance(3)) one["fetchOffset"] = 1000;
    if (chance(10)) one["currentLeaderEpoch"] = below(3);
    if (chance(8)) one["lastFetchedEpoch"] = below(2);
    partitions.push_back(one);
  }
  add(ApiKey::fetch, any_version, "",
      {{"maxBytes", 1 << 20},
       {"isolationLevel", below(2)},
       {"topics",
        {{{"topic", "~" + name}, {"topicId", "$topic " + name}, {"partitions", partitions}}}}});
}

// KIP-227: what has changed since the last answer.
void Generator::fetch_in_session() {
  constexpr int sessions_since = 7;
  const std::string reader = pick({"f", "f", "e"});
  const std::string name = topic();
  json body = {{"maxBytes", 1 << 20}, {"isolationLevel", below(2)}};
  const std::string how =
      initialized_.contains(reader)
          ? mostly("next", 65, {"full", "full", "old epoch", "new epoch", "unknown", "close"})
          : "full";
  initialized_.insert(reader);
  body["sessionId"] = how == "unknown" ? json(12345) : json("$session " + reader);
  body["sessionEpoch"] = "$session_epoch " + reader +
                         (how == "old epoch"   ? " -1"
                          : how == "new epoch" ? " 2"
                                               : "");
  if (how == "full") body.update({{"sessionId", 0}, {"sessionEpoch", 0}});
  if (how == "close") body["sessionEpoch"] = -1;
  json topics = json::array();
  if (how == "full" || chance(50))
    topics.push_back({{"topic", "~" + name},
                      {"topicId", "$topic " + name},
                      {"partitions",
                       {{{"partition", partition()},
                         {"fetchOffset", chance(70) ? 0 : below(8)},
                         {"partitionMaxBytes", 1 << 20}}}}});
  body["topics"] = topics;
  if (how == "next" && chance(20))
    body["forgottenTopicsData"] = json::array(
        {{{"topic", "~x"}, {"topicId", "$topic x"}, {"partitions", json::array({partition()})}}});
  add(ApiKey::fetch, protocol::since(sessions_since), reader, body);
}

void Generator::leader_epoch() {
  json one = {{"partition", partition()}, {"leaderEpoch", below(3)}};
  if (chance(20)) one["currentLeaderEpoch"] = below(3);
  add(ApiKey::offset_for_leader_epoch, protocol::since(3), "",
      {{"replicaId", -1},
       {"topics", {{{"topic", "~" + topic()}, {"partitions", json::array({one})}}}}});
}

void Generator::delete_records() {
  const json offset = chance(80) ? json(below(6)) : json(-1);
  add(ApiKey::delete_records, any_version, "",
      {{"timeoutMs", 5000},
       {"topics",
        {{{"name", "~" + topic()},
          {"partitions", {{{"partitionIndex", partition()}, {"offset", offset}}}}}}}});
}

void Generator::describe_producers() {
  json partitions = {0, 1};
  if (chance(5)) partitions.push_back(9);
  add(ApiKey::describe_producers, any_version, "",
      {{"topics",
        {{{"name", "~" + mostly(topic().c_str(), 95, {"nowhere"})},
          {"partitionIndexes", partitions}}}}});
}

}  // namespace fencepost::conform
