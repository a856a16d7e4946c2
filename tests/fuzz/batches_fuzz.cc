// Record batches, compressed ones too: they are refused at an offset, or their records are the same
// in a batch that is built of them.
#include <algorithm>

#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace fencepost::protocol {
namespace {

constexpr std::size_t unpacked_bytes_max = std::size_t{1} << 20;

// Whether the builder takes them: it was given them by no stranger and insists on that.
bool are_in_order(const std::vector<Record>& records, const RecordBatchHeader& header) {
  return std::ranges::all_of(records, [&](const Record& record) {
    return record.offset >= header.base_offset && record.offset <= header.last_offset();
  });
}

void check_rebuilt(const RecordBatchView& batch, const std::vector<Record>& records) {
  if (!are_in_order(records, batch.header())) return;
  const Result<RecordBatchView> again = RecordBatchView::open(compacted_batch(batch, records));
  CHECK(again->is_crc_valid());
  CHECK(*again->records() == records);
  CHECK(again->header().last_offset() == batch.header().last_offset());
}

void check_iterator(const RecordBatchView& batch, const Result<std::vector<Record>>& records) {
  Result<RecordIterator> iterator = RecordIterator::over(batch, unpacked_bytes_max);
  if (!iterator) {
    CHECK(iterator.error() == records.error());
    return;
  }
  std::size_t count = 0;
  while (iterator->next() != nullptr) ++count;
  CHECK(iterator->error().has_value() == !records.ok());
  CHECK(!records || count == records->size());
}

void check_batch(const RecordBatchView& batch) {
  (void)batch.is_crc_valid();
  const Result<std::vector<Record>> records = batch.records(unpacked_bytes_max);
  const Result<std::int32_t> count = batch.count_records(unpacked_bytes_max);
  CHECK(records.ok() == count.ok());
  check_iterator(batch, records);
  if (!records) {
    CHECK(records.error() == count.error());
    CHECK(!records.error().field.empty());
    return;
  }
  CHECK(static_cast<std::size_t>(*count) == records->size());
  if (batch.header().is_control_batch()) (void)read_marker(batch);
  check_rebuilt(batch, *records);
  const SharedBytes placed = with_offset(batch, 5, 6);
  CHECK(RecordBatchView::open(placed)->header().crc == batch.header().crc);
}

}  // namespace
}  // namespace fencepost::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fencepost;
  const SharedBytes bytes = SharedBytes::copy_of(ByteView(data, size));
  const auto batches = protocol::open_batches(bytes);
  if (!batches) {
    CHECK(batches.error().offset <= bytes.size());
    return 0;
  }
  for (const protocol::RecordBatchView& batch : *batches) protocol::check_batch(batch);
  return 0;
}
