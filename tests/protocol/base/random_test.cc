#include "protocol/base/random.h"

#include <set>

#include "tests/catch.h"

namespace fencepost {
namespace {

TEST_CASE("a seed gives the numbers of splitmix64 on every machine", "[protocol][random]") {
  // The sequence published with the algorithm for seed 1234567.
  Random random(1234567);
  CHECK(random.next() == 6457827717110365317U);
  CHECK(random.next() == 3203168211198807973U);
  CHECK(random.next() == 9817491932198370423U);
}

TEST_CASE("streams of different names or seeds are different", "[protocol][random]") {
  std::set<std::uint64_t> first;
  for (const char* name : {"network", "timers", "network2", ""})
    for (std::uint64_t seed : {0U, 1U, 2U}) first.insert(Random(seed, name).next());
  CHECK(first.size() == 12);
  CHECK(Random(5, "network") == Random(5, "network"));
}

TEST_CASE("numbers below a bound reach all of it and nothing else", "[protocol][random]") {
  Random random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(10));
  CHECK(seen.size() == 10);
  CHECK(*seen.rbegin() == 9);
  CHECK(random.below(1) == 0);
}

}  // namespace
}  // namespace fencepost
