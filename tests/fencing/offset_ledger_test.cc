// Which offset may be committed when some of the writes below it failed, wait or are under way.
#include "fencing/offset_ledger.h"

#include "tests/catch.h"

using fencepost::fencing::OffsetLedger;

TEST_CASE("Without progress the assigned offset is the one to commit", "[fencing]") {
  OffsetLedger ledger(42);
  CHECK(ledger.committable() == 42);
  ledger.include(ledger.begin_write(), "a");
  CHECK(ledger.committable() == 42);
}

TEST_CASE("An offset is committable with the last write below it", "[fencing]") {
  OffsetLedger ledger(0);
  const auto first = ledger.begin_write();
  ledger.advance(3);
  const auto second = ledger.begin_write();
  ledger.advance(5);
  ledger.include(first, "a");
  CHECK(ledger.committable() == 3);
  ledger.commit(3);
  ledger.include(second, "b");
  CHECK(ledger.committable() == 5);
  ledger.commit(5);
  CHECK(ledger.committed() == 5);
}

TEST_CASE("An offset without a write between is committable at once", "[fencing]") {
  OffsetLedger ledger(0);
  ledger.advance(3);
  ledger.advance(4);
  CHECK(ledger.committable() == 4);
}

TEST_CASE("An offset never moves back", "[fencing]") {
  OffsetLedger ledger(0);
  ledger.advance(9);
  ledger.commit(9);
  ledger.advance(4);
  CHECK(ledger.committable() == 9);
}

TEST_CASE("A failed write holds back what covers it and not what is below it", "[fencing]") {
  OffsetLedger ledger(0);
  ledger.include(ledger.begin_write(), "a");
  ledger.advance(3);
  ledger.commit(3);
  ledger.advance(4);
  ledger.include(ledger.begin_write(), "b");
  ledger.advance(6);
  ledger.abort();
  CHECK(ledger.committable() == 4);
  ledger.include(ledger.begin_write(), "a");
  ledger.advance(8);
  CHECK(ledger.committable() == 4);
  ledger.commit(4);
  ledger.include(ledger.begin_write(), "b");
  CHECK(ledger.committable() == 8);
}
