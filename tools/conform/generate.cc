// The frame of a program: topics, steps of families by weight, and a last look at everything.
#include <array>

#include "tools/conform/generator.h"

namespace fencepost::conform {

using protocol::ApiKey;

Program generate(std::uint64_t seed, int step_count, const Offer& offer) {
  return Generator(seed, offer).draw(step_count);
}

std::optional<int> Generator::version(ApiKey api, protocol::Versions wanted) {
  int last = wanted.last;
  // Without the feature no client sends these, and Kafka keeps a transaction busy for ever when
  // one does.
  if (offer_.transaction_version < 2) {
    if (api == ApiKey::produce) last = std::min(last, 11);
    if (api == ApiKey::txn_offset_commit || api == ApiKey::end_txn) last = std::min(last, 4);
  }
  const protocol::Versions offered = offer_.versions_of(api);
  const int low = std::max(wanted.first, offered.first);
  const int high = std::min(last, offered.last);
  if (offered.is_empty() || low > high) return std::nullopt;
  if (chance(35)) return high;
  return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
}

bool Generator::add(ApiKey api, protocol::Versions wanted, std::string actor, const json& body) {
  return add(api, version(api, wanted), std::move(actor), body);
}

bool Generator::add(ApiKey api, std::optional<int> version, std::string actor, const json& body) {
  if (!version) return false;
  program_.steps.push_back({api, *version, body.dump(), std::move(actor)});
  return true;
}

// The records are stamped 1970: no retention by time. All partitions on one broker, which every
// request of the program goes to.
void Generator::create_topics() {
  json topics = json::array();
  for (const char* name : {"~x", "~y"})
    topics.push_back({{"name", name},
                      {"numPartitions", -1},
                      {"replicationFactor", -1},
                      {"assignments",
                       {{{"partitionIndex", 0}, {"brokerIds", {"$broker"}}},
                        {{"partitionIndex", 1}, {"brokerIds", {"$broker"}}}}},
                      {"configs", {{{"name", "retention.ms"}, {"value", "-1"}}}}});
  add(ApiKey::create_topics, protocol::since(2), "", {{"topics", topics}, {"timeoutMs", 10000}});
}

void Generator::read_everything() {
  for (const char* id : {"t", "u", "v"})
    if (initialized_.contains(id))
      add(ApiKey::describe_transactions, any_version, "",
          {{"transactionalIds", {std::string("~") + id}}});
  for (const char* name : {"x", "y"})
    for (const int isolation : {0, 1}) {
      json partitions = json::array();
      for (const int index : {0, 1})
        partitions.push_back({{"partition", index}, {"partitionMaxBytes", 1 << 20}});
      add(ApiKey::fetch, any_version, "",
          {{"maxBytes", 1 << 20},
           {"isolationLevel", isolation},
           {"topics",
            {{{"topic", std::string("~") + name},
              {"topicId", std::string("$topic ") + name},
              {"partitions", partitions}}}}});
    }
  offset_fetch();
}

Program Generator::draw(int step_count) {
  constexpr std::array<Family, 5> families{&Generator::transaction_step, &Generator::read_step,
                                           &Generator::group_step, &Generator::consumer_step,
                                           &Generator::admin_step};
  // Of a hundred programs: how many have the family at all.
  constexpr std::array<std::size_t, families.size()> presence{85, 85, 60, 30, 40};
  std::array<std::size_t, families.size()> weights{};
  std::size_t sum = 0;
  for (std::size_t i = 0; i < families.size(); ++i) {
    weights[i] = chance(presence[i]) ? std::size_t{1} << below(4) : 0;
    if (i == 0) weights[i] *= 2;
    sum += weights[i];
  }
  if (sum == 0) sum = weights[0] = 1;
  create_topics();
  const auto wanted = static_cast<std::size_t>(step_count);
  for (std::size_t tries = 0; program_.steps.size() < wanted && tries < 10 * wanted; ++tries) {
    std::size_t at = below(sum);
    std::size_t family = 0;
    while (at >= weights[family]) at -= weights[family++];
    (this->*families[family])();
  }
  read_everything();
  return std::move(program_);
}

}  // namespace fencepost::conform
