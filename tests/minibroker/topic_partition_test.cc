#include "minibroker/topic_partition.h"

#include "tests/catch.h"

namespace fencepost::minibroker {

TEST_CASE("A group belongs to the offsets partition that Java's hash names", "[minibroker]") {
  CHECK(coordinator_partition("", 50) == 0);
  CHECK(coordinator_partition("a", 50) == 97 % 50);
  CHECK(coordinator_partition("ab", 50) == (97 * 31 + 98) % 50);
}

TEST_CASE("Letters outside the basic plane are hashed as their two surrogates", "[minibroker]") {
  CHECK(coordinator_partition("\xF0\x9F\x98\x80", 1000) == (0xD83D * 31 + 0xDE00) % 1000);
}

TEST_CASE("A negative hash counts by its absolute value", "[minibroker]") {
  CHECK(coordinator_partition("Hello, World!", 50) == 1498789909 % 50);
  CHECK(coordinator_partition("polygenelubricants", 50) == 0);  // -2147483648
  CHECK(coordinator_partition("orders", 50) == 1008770331 % 50);
}

}  // namespace fencepost::minibroker
