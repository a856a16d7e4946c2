// Kafka's broker configuration keys, as a person types them.
#include "minibroker/configuration.h"

#include <algorithm>
#include <array>

#include "minibroker/config_keys.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

TEST_CASE("A configuration key sets the setting of its name", "[minibroker][configuration]") {
  ClusterSettings settings;
  CHECK(configure(settings, "num.partitions=12").ok());
  CHECK(configure(settings, "auto.create.topics.enable", "false").ok());
  CHECK(configure(settings, "transaction.max.timeout.ms", "60000").ok());
  CHECK(settings.num_partitions == 12);
  CHECK_FALSE(settings.auto_create_topics_enable);
  CHECK(settings.transaction_max_timeout == std::chrono::minutes(1));
}

TEST_CASE("Texts are checked as Kafka checks them", "[configuration]") {
  ClusterSettings settings;
  CHECK(configure(settings, "group.consumer.migration.policy=Upgrade").ok());
  CHECK(configure(settings, "group.consumer.migration.policy=never").error().text ==
        "group.consumer.migration.policy has to be bidirectional, upgrade, downgrade or disabled, "
        "not 'never'");
  CHECK(configure(settings, "group.consumer.assignors=range").ok());
  CHECK_FALSE(configure(settings, "group.consumer.assignors=sticky").ok());
}

TEST_CASE("Every configuration key takes back its own default and is listed by name",
          "[minibroker][configuration]") {
  const ClusterSettings defaults;
  ClusterSettings settings;
  std::string_view previous;
  for (const ConfigurationKey& key : configuration_keys()) {
    INFO(key.name);
    CHECK(previous < key.name);
    previous = key.name;
    CHECK(configure(settings, key.name, value_of(key, defaults)).ok());
    CHECK(value_of(key, settings) == value_of(key, defaults));
  }
}

TEST_CASE("Switching verification off switches both kinds off, and an era without it stays without",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  REQUIRE(configure(settings, "transaction.partition.verification.enable=false").ok());
  CHECK_FALSE(settings.era.verifies_partitions);
  CHECK_FALSE(settings.era.verifies_offset_commits);
  REQUIRE(configure(settings, "transaction.partition.verification.enable=true").ok());
  CHECK(settings.era.verifies_partitions);
  settings.era = era_3_5();
  REQUIRE(configure(settings, "transaction.partition.verification.enable=true").ok());
  CHECK_FALSE(settings.era.verifies_partitions);
}

TEST_CASE("A feature level below 2 turns the epoch bump of a newer era off",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  CHECK(settings.era.bumps_epoch_at_end());
  CHECK(set_feature(settings, "transaction.version=1").ok());
  CHECK_FALSE(settings.era.bumps_epoch_at_end());
  CHECK(set_feature(settings, "transaction.version=2").ok());
  CHECK(settings.era.bumps_epoch_at_end());
  CHECK(set_feature(settings, "group.version=0").ok());
  CHECK(settings.era.group_version == 0);
  CHECK(set_feature(settings, "metadata.version=7").ok());
  CHECK(settings.era.metadata_version == 7);
}

TEST_CASE("A key of Kafka's that has no effect here is kept, if its value is good",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  CHECK_FALSE(takes_effect("num.io.threads"));
  CHECK(configure(settings, "num.io.threads=16").ok());
  CHECK(settings.broker_config.at("num.io.threads") == "16");
  CHECK(configure(settings, "num.io.threads=0").error().text ==
        "num.io.threads has to be an integer of at least 1, not '0'");
}

TEST_CASE("Every key that takes effect is one of Kafka's, with Kafka's default",
          "[minibroker][configuration]") {
  for (const ConfigurationKey& key : configuration_keys()) {
    INFO(key.name);
    // Internal, or of the authorizer: they can be set, and DescribeConfigs does not list them.
    constexpr std::array<std::string_view, 3> unlisted{"allow.everyone.if.no.acl.found",
                                                       "group.consumer.regex.refresh.interval.ms",
                                                       "super.users"};
    if (std::ranges::find(unlisted, key.name) != unlisted.end()) continue;
    // Kafka's is GSSAPI, which there is not here.
    if (key.name == "sasl.enabled.mechanisms") continue;
    const ConfigKey* known = find_config_key(broker_config_keys(), key.name);
    REQUIRE(known != nullptr);
    if (known->default_value != nullptr)
      CHECK(value_of(key, ClusterSettings{}) == known->default_value);
  }
}

// ---- what is refused

TEST_CASE("An unknown configuration key is refused with the nearest known one",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  const Result<void> result = configure(settings, "num.partition=3");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().kind == ErrorKind::invalid_argument);
  CHECK(result.error().text ==
        "unknown broker configuration key 'num.partition'; did you mean num.partitions");
}

TEST_CASE("A key that resembles none is refused without a guess", "[minibroker][configuration]") {
  ClusterSettings settings;
  const Result<void> result = configure(settings, "zzz=3");
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().text == "unknown broker configuration key 'zzz'");
}

TEST_CASE("A wrong value is refused with what would be right, and sets nothing",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  const char* wrong[] = {"0", "-1", "many", "3x", "", "99999999999"};
  for (const char* value : wrong) {
    INFO(value);
    const Result<void> result = configure(settings, "num.partitions", value);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().text == "num.partitions has to be an integer from 1 to 2147483647, not '" +
                                     std::string(value) + "'");
  }
  CHECK(settings.num_partitions == 1);
  CHECK(configure(settings, "auto.create.topics.enable", "yes").error().text ==
        "auto.create.topics.enable has to be true or false, not 'yes'");
}

TEST_CASE("An assignment without an equals sign is refused", "[minibroker][configuration]") {
  ClusterSettings settings;
  CHECK(configure(settings, "num.partitions").error().text ==
        "'num.partitions' is not of the form key=value");
}

TEST_CASE("A feature or level that the era does not have is refused",
          "[minibroker][configuration]") {
  ClusterSettings settings;
  const char* wrong[] = {"transaction.version=3", "transaction.version=-1", "transaction.version=x",
                         "transaction.version", "metadata.version=6"};
  for (const char* assignment : wrong) {
    INFO(assignment);
    CHECK_FALSE(set_feature(settings, assignment).ok());
  }
  CHECK(settings.era == era_4_4());
  CHECK(set_feature(settings, "metadata.version=40").error().text ==
        "metadata.version of a 4.4 cluster can be 7 to 33, not '40'");
  settings.era = era_3_9();
  CHECK(set_feature(settings, "transaction.version=2").error().text ==
        "a 3.9 cluster has no feature 'transaction.version'; it has kraft.version, "
        "metadata.version");
}

}  // namespace fencepost::minibroker
