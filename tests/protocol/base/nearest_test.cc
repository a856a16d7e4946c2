// Mistyped words and what was meant.
#include "protocol/base/nearest.h"

#include <vector>

#include "tests/catch.h"

namespace fencepost {

TEST_CASE("The edit distance counts insertions, deletions, replacements and swaps",
          "[protocol][nearest]") {
  CHECK(edit_distance("commit", "commit") == 0);
  CHECK(edit_distance("comit", "commit") == 1);
  CHECK(edit_distance("committ", "commit") == 1);
  CHECK(edit_distance("commot", "commit") == 1);
  CHECK(edit_distance("comimt", "commit") == 1);
  CHECK(edit_distance("", "abort") == 5);
  CHECK(edit_distance("abort", "") == 5);
}

TEST_CASE("The nearest word is the one with the fewest edits", "[protocol][nearest]") {
  const std::vector<std::string_view> words = {"end_txn", "fetch", "produce"};
  CHECK(nearest("end_tnx", words) == "end_txn");
  CHECK(nearest("prodce", words) == "produce");
  CHECK(did_you_mean("fecth", words) == "; did you mean fetch");
}

TEST_CASE("A word that resembles nothing gets no guess", "[protocol][nearest]") {
  const std::vector<std::string_view> words = {"end_txn", "fetch"};
  CHECK(nearest("zebra", words).empty());
  CHECK(did_you_mean("zebra", words).empty());
  CHECK(nearest("a", {}).empty());
}

}  // namespace fencepost
