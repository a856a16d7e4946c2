// Client quotas, set and described through the protocol; the answers are those of a broker
// of 4.4.0.
#include "protocol/messages/alter_client_quotas.h"

#include <limits>
#include <set>

#include "protocol/messages/describe_client_quotas.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;

const QuotaEntity alice{{"user", "alice"}};
const QuotaEntity every_user{{"user", std::nullopt}};
const QuotaEntity client{{"client-id", "c"}};
const QuotaEntity alice_at_client{{"client-id", "c"}, {"user", "alice"}};
const QuotaEntity address{{"ip", "127.0.0.1"}};

struct QuotaFixture : ClusterFixture {
  QuotaFixture() : ClusterFixture(ClusterSettings{}) {}

  static AlterClientQuotasRequest::EntryData entry(const QuotaEntity& entity,
                                                   const std::string& key, double value) {
    AlterClientQuotasRequest::EntryData entry;
    for (const auto& [type, name] : entity) entry.entity.push_back({type, name, {}});
    entry.ops.push_back({key, value, false, {}});
    return entry;
  }
  AlterClientQuotasResponse alter(AlterClientQuotasRequest::EntryData entry) {
    AlterClientQuotasRequest request;
    request.entries.push_back(std::move(entry));
    return call(1, request, 1);
  }
  // What is said to that value; empty when it is taken.
  std::string set(const QuotaEntity& entity, const std::string& key, double value) {
    const auto answer = alter(entry(entity, key, value)).entries.at(0);
    CHECK((answer.error_code == ErrorCode::none) == !answer.error_message);
    return answer.error_message.value_or("");
  }
  void remove(const QuotaEntity& entity, const std::string& key) {
    AlterClientQuotasRequest::EntryData asked = entry(entity, key, 0);
    asked.ops[0].remove = true;
    CHECK(alter(asked).entries.at(0).error_code == ErrorCode::none);
  }

  using Components = std::vector<DescribeClientQuotasRequest::ComponentData>;
  DescribeClientQuotasResponse ask(const Components& components, bool is_strict = false) {
    DescribeClientQuotasRequest request;
    request.components = components;
    request.strict = is_strict;
    return call(1, request, 0);
  }
  std::set<QuotaEntity> found(const Components& components, bool is_strict = false) {
    std::set<QuotaEntity> entities;
    const DescribeClientQuotasResponse response = ask(components, is_strict);
    for (const auto& entry : *response.entries) {
      QuotaEntity entity;
      for (const auto& [type, name, unknown] : entry.entity) entity[type] = name;
      entities.insert(std::move(entity));
    }
    return entities;
  }
};

TEST_CASE("A quota that was set is described, until it is removed", "[security][quotas]") {
  QuotaFixture fixture;
  CHECK(fixture.set(alice, "producer_byte_rate", 1024).empty());
  CHECK(fixture.set(alice, "request_percentage", 12.5).empty());
  const auto entries = *fixture.ask({}).entries;
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].entity.at(0).entity_name == "alice");
  REQUIRE(entries[0].values.size() == 2);
  CHECK(entries[0].values[0].key == "producer_byte_rate");
  CHECK(entries[0].values[1].value == 12.5);

  fixture.remove(alice, "producer_byte_rate");
  fixture.remove(alice, "never_set");
  CHECK(fixture.ask({}).entries->at(0).values.size() == 1);
  fixture.remove(alice, "request_percentage");
  CHECK(fixture.ask({}).entries->empty());
}

TEST_CASE("Quotas are found by name, default and type", "[security][quotas]") {
  QuotaFixture fixture;
  for (const QuotaEntity& entity : {alice, every_user, client, alice_at_client})
    CHECK(fixture.set(entity, "consumer_byte_rate", 7).empty());
  CHECK(fixture.set(address, "connection_creation_rate", 7).empty());
  using Found = std::set<QuotaEntity>;
  CHECK(fixture.found({}).size() == 5);
  CHECK(fixture.found({}, true).empty());
  CHECK(fixture.found({{"user", 0, "alice", {}}}) == Found{alice, alice_at_client});
  CHECK(fixture.found({{"user", 0, "alice", {}}}, true) == Found{alice});
  CHECK(fixture.found({{"user", 1, std::nullopt, {}}}) == Found{every_user});
  CHECK(fixture.found({{"user", 2, std::nullopt, {}}}, true) == Found{alice, every_user});
  CHECK(fixture.found({{"user", 2, std::nullopt, {}}, {"client-id", 0, "c", {}}}) ==
        Found{alice_at_client});
  CHECK(fixture.found({{"ip", 2, std::nullopt, {}}}) == Found{address});
  CHECK(fixture.found({{"user", 0, "nobody", {}}}).empty());
}

TEST_CASE("A filter that cannot be is refused as a whole", "[security][quotas]") {
  QuotaFixture fixture;
  const auto refusal = [&](const QuotaFixture::Components& components) {
    const auto response = fixture.ask(components);
    CHECK_FALSE(response.entries);
    CHECK(response.error_code != ErrorCode::none);
    return response.error_message.value_or("");
  };
  CHECK(refusal({{"", 0, "x", {}}}) == "Invalid empty entity type.");
  CHECK(refusal({{"colour", 0, "x", {}}}) == "Unsupported entity type colour");
  CHECK(refusal({{"user", 0, "a", {}}, {"user", 0, "b", {}}}) ==
        "Entity type user cannot appear more than once in the filter.");
  CHECK(refusal({{"user", 0, std::nullopt, {}}}) ==
        "Request specified MATCH_TYPE_EXACT, but set match string to null.");
  CHECK(refusal({{"user", 1, "x", {}}}).find("MATCH_TYPE_DEFAULT") != std::string::npos);
  CHECK(refusal({{"user", 2, "x", {}}}).find("MATCH_TYPE_SPECIFIED") != std::string::npos);
  CHECK(refusal({{"user", 3, std::nullopt, {}}}) == "Unknown match type 3");
  CHECK(refusal({{"ip", 2, std::nullopt, {}}, {"user", 2, std::nullopt, {}}})
            .starts_with("Invalid entity filter component combination."));
}

TEST_CASE("A quota that cannot be is refused by itself", "[security][quotas]") {
  QuotaFixture fixture;
  const std::string rate = "producer_byte_rate", connections = "connection_creation_rate";
  CHECK(fixture.set(alice, "speed", 1) == "Invalid configuration key speed");
  CHECK(fixture.set(address, rate, 1) == "Invalid configuration key producer_byte_rate");
  CHECK(fixture.set(alice, rate, 0) == "Quota producer_byte_rate must be greater than 0");
  CHECK(fixture.set(alice, rate, std::numeric_limits<double>::infinity()) ==
        "Quota producer_byte_rate must be a finite number");
  CHECK(fixture.set(alice, rate, 1.5) == "producer_byte_rate cannot be a fractional value.");
  CHECK(fixture.set(alice, rate, 1e19) ==
        "Proposed value for producer_byte_rate is too large for a LONG.");
  CHECK(fixture.set(address, connections, 3e9) ==
        "Proposed value for connection_creation_rate is too large for an INT.");
  CHECK(fixture.set({}, rate, 1) == "Invalid empty client quota entity");
  CHECK(fixture.set({{"user", ""}}, rate, 1) == "Empty user not supported");
  CHECK(fixture.set({{"colour", "red"}}, rate, 1) == "Unhandled client quota entity type: colour");
  CHECK(fixture.set({{"ip", "no such host."}}, connections, 1) ==
        "no such host. is not a valid IP or resolvable host.");
  CHECK(fixture.set({{"ip", "::1"}, {"user", "alice"}}, rate, 1)
            .starts_with("Invalid quota entity combination"));
  CHECK(fixture.ask({}).entries->empty());
}

TEST_CASE("What is asked for an entity a second time is not done", "[security][quotas]") {
  QuotaFixture fixture;
  AlterClientQuotasRequest request;
  request.entries = {QuotaFixture::entry(alice_at_client, "producer_byte_rate", 1),
                     QuotaFixture::entry(alice_at_client, "producer_byte_rate", 2)};
  const auto answer = fixture.call(1, request, 1);
  REQUIRE(answer.entries.size() == 1);
  CHECK(answer.entries[0].error_message ==
        "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=c, user=alice})");
  CHECK(fixture.ask({}).entries->at(0).values.at(0).value == 1);

  auto twice = QuotaFixture::entry(every_user, "producer_byte_rate", 1);
  twice.ops.push_back({"producer_byte_rate", 1, false, {}});
  CHECK(fixture.alter(twice).entries.at(0).error_message ==
        "Ignoring duplicate entity ClientQuotaEntity(entries={user=null})");
  CHECK(fixture.ask({}).entries->size() == 1);
}

TEST_CASE("A quota that is only validated is not set", "[security][quotas]") {
  QuotaFixture fixture;
  AlterClientQuotasRequest request;
  request.entries = {QuotaFixture::entry(alice, "producer_byte_rate", 1)};
  request.validate_only = true;
  CHECK(fixture.call(1, request, 1).entries.at(0).error_code == ErrorCode::none);
  CHECK(fixture.ask({}).entries->empty());
}

}  // namespace
}  // namespace fencepost::minibroker
