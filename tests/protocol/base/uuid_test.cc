#include "protocol/base/uuid.h"

#include "tests/catch.h"

namespace fencepost {
namespace {

TEST_CASE("a uuid is printed as Kafka prints it", "[protocol][uuid]") {
  Uuid uuid;
  CHECK(to_string(uuid) == "AAAAAAAAAAAAAAAAAAAAAA");
  CHECK(uuid.is_zero());
  uuid.bytes.fill(0xff);
  CHECK(to_string(uuid) == "_____________________w");
  CHECK(!uuid.is_zero());
}

TEST_CASE("a uuid is read from what it was printed as", "[protocol][uuid]") {
  for (int seed = 0; seed < 256; ++seed) {
    Uuid uuid;
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i)
      uuid.bytes[i] = static_cast<std::uint8_t>(static_cast<std::size_t>(seed) * (i + 7));
    REQUIRE(parse_uuid(to_string(uuid)) == uuid);
  }
}

TEST_CASE("other lengths, letters and stray bits are not a uuid", "[protocol][uuid]") {
  for (const char* text :
       {"", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAA=", "+AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB"}) {
    INFO(text);
    CHECK(!parse_uuid(text).has_value());
  }
}

}  // namespace
}  // namespace fencepost
