#include "protocol/records/record_iterator.h"

#include <algorithm>

#include "tests/golden.h"

#include "tests/catch.h"

namespace fencepost::protocol {
namespace {

bool are_equal(const OptionalBytes& whole, const std::optional<ByteView>& view) {
  return whole.has_value() == view.has_value() &&
         (!view || std::ranges::equal(whole->view(), *view));
}

// Goes through the batch both ways; both find the same records and the same error.
void check_both_ways(const RecordBatchView& batch) {
  const Result<std::vector<Record>> records = batch.records();
  Result<RecordIterator> iterator = RecordIterator::over(batch);
  if (!iterator) {
    REQUIRE(!records.ok());
    REQUIRE(iterator.error() == records.error());
    return;
  }
  std::size_t count = 0;
  while (const RecordView* view = iterator->next()) {
    ++count;
    if (!records) continue;
    const Record& record = records->at(count - 1);
    REQUIRE(view->offset == record.offset);
    REQUIRE(view->timestamp == record.timestamp);
    REQUIRE(are_equal(record.key, view->key));
    REQUIRE(are_equal(record.value, view->value));
    REQUIRE(static_cast<std::size_t>(view->header_count) == record.headers.size());
  }
  REQUIRE(iterator->error().has_value() == !records.ok());
  if (records)
    REQUIRE(count == records->size());
  else
    REQUIRE(*iterator->error() == records.error());
  REQUIRE(iterator->next() == nullptr);
}

TEST_CASE("the iterator finds what records() finds, in good batches and bad ones",
          "[protocol][record_iterator]") {
  std::size_t batches_seen = 0;
  for (const char* file : {"record-batches.tsv.gz", "bad-batches.tsv.gz"})
    for (const golden::Row& row : golden::rows(file)) {
      INFO(row[0]);
      const Result<std::vector<RecordBatchView>> batches = open_batches(golden::from_hex(row[1]));
      if (!batches) continue;
      for (const RecordBatchView& batch : *batches) check_both_ways(batch);
      batches_seen += batches->size();
    }
  CHECK(batches_seen > 150);
}

TEST_CASE("the iterator finds what records() finds when any byte is another",
          "[protocol][record_iterator]") {
  const SharedBytes whole =
      build_batch({}, {{5, SharedBytes::copy_of("key"), SharedBytes::copy_of("value")},
                       {6, std::nullopt, std::nullopt, {{"h", SharedBytes::copy_of("x")}}}});
  for (std::size_t at = 17; at < whole.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      ByteVector damaged(whole.view().begin(), whole.view().end());
      damaged[at] = static_cast<std::uint8_t>(value);
      INFO(at << " is " << value);
      check_both_ways(*RecordBatchView::open(SharedBytes(std::move(damaged))));
    }
}

TEST_CASE("the iterator reads an uncompressed batch in place", "[protocol][record_iterator]") {
  const RecordBatchView batch =
      *RecordBatchView::open(build_batch({}, {{0, std::nullopt, SharedBytes::copy_of("value")}}));
  Result<RecordIterator> iterator = RecordIterator::over(batch);
  REQUIRE(iterator.ok());
  CHECK(iterator->next()->value->data() == batch.records()->front().value->data());
}

TEST_CASE("the iterator refuses what unpacks to more than allowed", "[protocol][record_iterator]") {
  RecordBatchOptions options;
  options.compression = CompressionType::gzip;
  const RecordBatchView batch = *RecordBatchView::open(
      build_batch(options, {{0, std::nullopt, SharedBytes(ByteVector(100000, 'a'))}}));
  CHECK(RecordIterator::over(batch).ok());
  CHECK(!RecordIterator::over(batch, 100000).ok());
}

}  // namespace
}  // namespace fencepost::protocol
