// Scalars of scenario files.
#include "tools/scenario/values.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::scenario;

TEST_CASE("A duration is a number with its unit", "[tools][scenario]") {
  CHECK(*parse_duration("500ms") == milliseconds(500));
  CHECK(*parse_duration("60s") == milliseconds(60000));
  CHECK(*parse_duration("2m") == milliseconds(120000));
  CHECK(*parse_duration("0s") == Duration{});
  for (const char* text : {"", "60", "s", "1.5s", "-1s", "1 s", "60S", "99999999999999999d"}) {
    INFO(text);
    CHECK_FALSE(parse_duration(text).ok());
  }
}

TEST_CASE("The last dash of a partition separates topic and index", "[tools][scenario]") {
  CHECK(parse_partition("a-b-3") == TopicPartition{"a-b", 3});
  for (const char* text : {"", "a", "-1", "a-", "a-x", "a-99999999999", "a-1x"}) {
    INFO(text);
    CHECK_FALSE(parse_partition(text).has_value());
  }
}

TEST_CASE("A record is key=value, and a key alone is a tombstone", "[tools][scenario]") {
  CHECK(parse_record("k=a=b") == KeyValue{"k", "a=b"});
  CHECK(parse_record("k") == KeyValue{"k", std::nullopt});
}
