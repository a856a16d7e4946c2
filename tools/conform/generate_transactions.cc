// Steps of transactional and idempotent producers.
#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

namespace {

// The version from which the brokers add partitions and offsets themselves (KIP-890).
constexpr int produce_adds_since = 12;
constexpr int commit_adds_since = 5;
constexpr int end_bumps_since = 5;
constexpr int add_by_brokers_since = 4;
constexpr std::int64_t nobodys_producer_id = 987654321;

}  // namespace

void Generator::transaction_step() {
  const std::string id = transactional_id();
  if (!initialized_.contains(id)) return init_producer_id(id);
  const std::size_t what = below(100);
  if (what < 9) return init_producer_id(id);
  if (what < 20) return add_partitions(id);
  if (what < 52) return produce(id);
  if (what < 58) return add_offsets(id);
  if (what < 70) return txn_offset_commit(id);
  if (what < 87) return end_txn(id);
  if (what < 90) return write_markers(id);
  if (what < 94) return idempotent_producer();
  describe_transaction_state();
}

void Generator::init_producer_id(const std::string& id) {
  const bool is_first = !initialized_.contains(id);
  const std::string how = is_first
                              ? "fresh"
                              : mostly("fresh", 55,
                                       {"current", "current", "lower", "higher", "former", "wrong",
                                        "half", "bad timeout", "empty id", "two phases"});
  json body = {{"transactionalId", how == "empty id" ? "" : "~" + id},
               {"transactionTimeoutMs", how == "bad timeout" ? 100'000'000 : 600'000}};
  if (how == "current" || how == "lower" || how == "higher") {
    body["producerId"] = "$producer " + id;
    body["producerEpoch"] = "$epoch " + id + (how == "lower" ? " -1" : how == "higher" ? " 1" : "");
  }
  if (how == "former")
    body.update({{"producerId", "$former " + id}, {"producerEpoch", "$epoch " + id}});
  if (how == "wrong") body.update({{"producerId", nobodys_producer_id}, {"producerEpoch", 0}});
  if (how == "half") body.update({{"producerId", "$producer " + id}, {"producerEpoch", -1}});
  if (how == "two phases") body["enable2Pc"] = true;
  const bool has_identity = body.contains("producerId");
  if (add(ApiKey::init_producer_id, protocol::since(has_identity ? 3 : 0),
          how == "empty id" ? "" : id, body))
    initialized_.insert(id);
}

// Batches with sequences, and no transaction.
void Generator::idempotent_producer() {
  if (!initialized_.contains("i") || chance(15)) {
    add(ApiKey::init_producer_id, any_version, "i",
        {{"transactionalId", nullptr}, {"transactionTimeoutMs", 60'000}});
    initialized_.insert("i");
    return;
  }
  const json topics = produce_topics("i", false);
  add(ApiKey::produce, protocol::since(3), "i",
      {{"transactionalId", nullptr}, {"acks", -1}, {"timeoutMs", 10000}, {"topicData", topics}});
}

void Generator::add_partitions(const std::string& id) {
  const std::string producer = chance(93)   ? "$producer " + id
                               : chance(50) ? "$former " + id
                                            : "$producer nobody";
  const std::string epoch = "$epoch " + id + mostly("", 85, {" -1", " 1"});
  json partitions = json::array({partition()});
  if (chance(15)) partitions = {0, 1};
  if (chance(4)) partitions.push_back(77);
  json topics = json::array({{{"name", "~" + topic()}, {"partitions", partitions}}});
  if (chance(15) && topics[0]["name"] == "~x")
    topics.push_back({{"name", "~y"}, {"partitions", {0}}});
  if (chance(2)) topics.push_back({{"name", "__consumer_offsets"}, {"partitions", {0}}});
  if (chance(2)) topics.push_back({{"name", "~nowhere"}, {"partitions", {0}}});
  if (chance(88)) {
    add(ApiKey::add_partitions_to_txn, protocol::between(0, add_by_brokers_since - 1), id,
        {{"v3AndBelowTransactionalId", "~" + id},
         {"v3AndBelowProducerId", producer},
         {"v3AndBelowProducerEpoch", epoch},
         {"v3AndBelowTopics", topics}});
    return;
  }
  json transactions = json::array({{{"transactionalId", "~" + id},
                                    {"producerId", producer},
                                    {"producerEpoch", epoch},
                                    {"verifyOnly", chance(50)},
                                    {"topics", topics}}});
  const std::string other = transactional_id();
  if (offer_.broker_count == 1 && other != id && initialized_.contains(other) && chance(30))
    transactions.push_back({{"transactionalId", "~" + other},
                            {"producerId", "$producer " + other},
                            {"producerEpoch", "$epoch " + other},
                            {"verifyOnly", chance(50)},
                            {"topics", topics}});
  add(ApiKey::add_partitions_to_txn, protocol::since(add_by_brokers_since), id,
      {{"transactions", transactions}});
}

Generator::json Generator::produce_topics(const std::string& id, bool is_transactional) {
  const auto batch = [&] {
    json plan = {{"producer", id}, {"transactional", is_transactional}};
    plan["records"] = 1 + below(3);
    plan["sequence"] = mostly("next", 85, {"repeat", "repeat", "overlap", "gap", "zero"});
    if (!chance(90)) plan["epoch"] = chance(50) ? -1 : 1;
    if (chance(35)) plan["codec"] = pick({"gzip", "lz4", "zstd", "snappy"});
    if (chance(3)) plan["damage"] = pick({"crc", "cut", "count"});
    if (chance(10)) plan["timestamp"] = 5000;
    return json{{"$batch", plan}};
  };
  const json index = chance(97) ? partition() : json(55);
  json partitions = json::array({{{"index", index}, {"records", batch()}}});
  if (chance(10)) partitions.push_back({{"index", index == 0 ? 1 : 0}, {"records", batch()}});
  const std::string name = mostly(topic().c_str(), 97, {"nowhere"});
  json topics = json::array(
      {{{"name", "~" + name}, {"topicId", "$topic " + name}, {"partitionData", partitions}}});
  if (chance(8) && name != "y")
    topics.push_back(
        {{"name", "~y"},
         {"topicId", "$topic y"},
         {"partitionData", json::array({{{"index", partition()}, {"records", batch()}}})}});
  return topics;
}

void Generator::produce(const std::string& id) {
  const bool is_transactional = chance(93);
  const bool has_id = is_transactional && chance(97);
  const json transactional_id = has_id ? json("~" + id) : json();
  const json topics = produce_topics(id, is_transactional);
  const int acks = chance(90) ? -1 : chance(80) ? 1 : 2;
  const bool adds_itself = chance(50);
  std::optional<int> chosen =
      version(ApiKey::produce, protocol::between(3, produce_adds_since - 1));
  if (adds_itself)
    if (const auto newer = version(ApiKey::produce, protocol::since(produce_adds_since)))
      chosen = newer;
  add(ApiKey::produce, chosen, id,
      {{"transactionalId", transactional_id},
       {"acks", acks},
       {"timeoutMs", 10000},
       {"topicData", topics}});
}

void Generator::add_offsets(const std::string& id) {
  add(ApiKey::add_offsets_to_txn, any_version, id,
      {{"transactionalId", "~" + id},
       {"producerId", chance(93) ? "$producer " + id : "$former " + id},
       {"producerEpoch", "$epoch " + id + mostly("", 85, {" -1", " 1"})},
       {"groupId", "~" + mostly("g", 70, {"h", "k"})}});
}

void Generator::txn_offset_commit(const std::string& id) {
  const std::string group = mostly("g", 70, {"h", "k"});
  if (chance(60))
    add(ApiKey::add_offsets_to_txn, any_version, id,
        {{"transactionalId", "~" + id},
         {"producerId", "$producer " + id},
         {"producerEpoch", "$epoch " + id},
         {"groupId", "~" + group}});
  const std::string member = group == "h" ? pick({"c", "d"}) : pick({"m", "n"});
  json body = {{"transactionalId", "~" + id},
               {"groupId", "~" + group},
               {"producerId", "$producer " + id},
               {"producerEpoch", "$epoch " + id + mostly("", 90, {" -1", " 1"})}};
  const std::string who =
      mostly("live", 55, {"none", "none", "stale", "future", "unknown", "mute"});
  if (who != "none") {
    body["memberId"] = who == "unknown" ? "nobody" : "$member " + member;
    body["generationIdOrMemberEpoch"] = who == "mute" ? json(-1)
                                                      : json("$generation " + member +
                                                             (who == "stale"    ? " -1"
                                                              : who == "future" ? " 5"
                                                                                : ""));
  }
  const std::string name = mostly("x", 75, {"y", "y", "nowhere"});
  const auto offset_of = [&](int index) {
    const std::string offset = std::to_string(below(1000));
    return json{{"partitionIndex", index},
                {"committedOffset", std::stoll(offset)},
                {"committedMetadata", "m" + offset}};
  };
  json partitions = json::array({offset_of(0)});
  if (chance(20)) partitions.push_back(offset_of(1));
  if (chance(2)) partitions[0]["committedMetadata"] = std::string(5000, 'm');
  body["topics"] = json::array(
      {{{"name", "~" + name}, {"topicId", "$topic " + name}, {"partitions", partitions}}});
  std::optional<int> chosen =
      version(ApiKey::txn_offset_commit, protocol::between(0, commit_adds_since - 1));
  if (chance(50))
    if (const auto newer = version(ApiKey::txn_offset_commit, protocol::since(commit_adds_since)))
      chosen = newer;
  add(ApiKey::txn_offset_commit, chosen, id, body);
}

void Generator::end_txn(const std::string& id) {
  std::optional<int> chosen = version(ApiKey::end_txn, protocol::between(0, end_bumps_since - 1));
  if (chance(50))
    if (const auto newer = version(ApiKey::end_txn, protocol::since(end_bumps_since)))
      chosen = newer;
  add(ApiKey::end_txn, chosen, id,
      {{"transactionalId", "~" + id},
       {"producerId", chance(95) ? "$producer " + id : "$former " + id},
       {"producerEpoch", "$epoch " + id + mostly("", 85, {" -1", " 1"})},
       {"committed", chance(50)}});
}

// What an operator's abort of a hanging transaction sends.
void Generator::write_markers(const std::string& id) {
  const json partitions = chance(80) ? json::array({partition()}) : json::array({0, 1});
  add(ApiKey::write_txn_markers, any_version, id,
      {{"markers",
        {{{"producerId", "$producer " + id},
          {"producerEpoch", "$epoch " + id + mostly("", 70, {" -1", " 1"})},
          {"transactionResult", chance(33)},
          {"coordinatorEpoch", below(2)},
          {"topics", {{{"name", "~" + topic()}, {"partitionIndexes", partitions}}}}}}}});
}

void Generator::describe_transaction_state() {
  const std::string id = transactional_id();
  if (chance(60)) {
    json ids = json::array({"~" + id});
    if (offer_.broker_count == 1) ids.push_back("~nobody");
    add(ApiKey::describe_transactions, any_version, "", {{"transactionalIds", ids}});
    return;
  }
  if (offer_.broker_count > 1) return;
  json body = {{"producerIdFilters", {"$producer " + id}}};
  if (chance(50)) body["stateFilters"] = {pick({"Ongoing", "CompleteCommit", "Empty", "NoState"})};
  if (chance(20)) body["durationFilter"] = 3'600'000;
  add(ApiKey::list_transactions, any_version, "", body);
}

}  // namespace fencepost::conform
