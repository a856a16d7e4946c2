// Record batches, compressed ones too: they are refused at an offset, or their records are the same
// in a batch that is built of them.
#include "protocol/base/check.h"
#include "protocol/records/record_batch.h"
#include "tests/protocol/damage.h"

namespace fencepost::protocol {
namespace {

void check_placed(const RecordBatchView& batch) {
  const SharedBytes placed = with_offset(batch, 5, 6);
  CHECK(RecordBatchView::open(placed)->header().crc == batch.header().crc);
}

}  // namespace
}  // namespace fencepost::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fencepost;
  const SharedBytes bytes = SharedBytes::copy_of(ByteView(data, size));
  CHECK(protocol::complaint_about_batches(bytes) == "");
  const auto batches = protocol::open_batches(bytes);
  if (!batches) return 0;
  for (const protocol::RecordBatchView& batch : *batches) protocol::check_placed(batch);
  return 0;
}
