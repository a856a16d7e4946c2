// The tables of eras: what brokers of each release offer.
#include "minibroker/era.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

using protocol::ApiKey;

TEST_CASE("Every era is found by its name, and no other", "[minibroker][era]") {
  std::vector<std::string> names;
  for (const Era& era : eras()) {
    names.push_back(era.name);
    CHECK(find_era(era.name) == era);
  }
  CHECK(names == std::vector<std::string>{"2.8", "3.5", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4"});
  CHECK_FALSE(find_era("4").has_value());
  CHECK_FALSE(find_era("").has_value());
}

TEST_CASE("An era without anything said is the newest", "[minibroker][era]") {
  Era era;
  era.name = "4.4";
  CHECK(era == era_4_4());
}

TEST_CASE("No era loses a version or an API of the one before", "[minibroker][era]") {
  const std::vector<Era> all = eras();
  for (std::size_t i = 1; i < all.size(); ++i)
    for (const protocol::Api& api : protocol::apis()) {
      INFO(all[i].name << " " << api.name);
      const protocol::Versions before = all[i - 1].versions_of(api.key);
      if (!before.is_empty()) CHECK(all[i].versions_of(api.key).last >= before.last);
    }
}

TEST_CASE("Versions are those of the release, as far as the codec goes", "[minibroker][era]") {
  CHECK(find_era("2.8")->versions_of(ApiKey::describe_transactions).is_empty());
  CHECK(find_era("3.5")->versions_of(ApiKey::produce).last == 9);
  CHECK(find_era("3.9")->versions_of(ApiKey::end_txn).last == 4);
  CHECK(find_era("4.0")->versions_of(ApiKey::end_txn).last == 5);
  CHECK(find_era("4.1")->versions_of(ApiKey::write_txn_markers).last == 1);
  CHECK(find_era("4.2")->versions_of(ApiKey::write_txn_markers).last == 2);
  CHECK(era_4_4().versions_of(ApiKey::api_versions).last == 5);
}

TEST_CASE("Features have the levels of the release", "[minibroker][era]") {
  CHECK(find_era("2.8")->features().empty());
  const std::vector<Feature> old = era_3_9().features();
  REQUIRE(old.size() == 2);
  CHECK(old[0].name == "kraft.version");
  CHECK(old[0].level == 0);
  CHECK(old[1].name == "metadata.version");
  CHECK(old[1].level == 21);
  CHECK(era_4_4().features().size() == 4);
  CHECK(era_4_4().bumps_epoch_at_end());
  CHECK_FALSE(era_3_9().bumps_epoch_at_end());
}

TEST_CASE("A level outside the release's range is not set", "[minibroker][era]") {
  Era era = era_3_9();
  CHECK_FALSE(era.set_feature_level("transaction.version", 1));
  CHECK_FALSE(era.set_feature_level("metadata.version", 22));
  CHECK_FALSE(era.set_feature_level("nope", 0));
  CHECK(era == era_3_9());
  CHECK(era.set_feature_level("metadata.version", 20));
  CHECK(era.metadata_version == 20);
}

}  // namespace fencepost::minibroker
