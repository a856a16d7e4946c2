// One record of a batch after another, without building or counting references to any: for those
// who go through many and keep few. RecordBatchView::records() is for those who keep them.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/record_batch.h"

namespace fencepost::protocol {

// A record where it stands; valid as long as its iterator. Nothing stands for null.
struct RecordView {
  std::int64_t offset = 0;
  std::int64_t timestamp = no_timestamp;  // milliseconds
  std::optional<ByteView> key;
  std::optional<ByteView> value;
  std::int32_t header_count = 0;
  ByteView headers;  // as they are in the batch, behind their count
};

class RecordIterator {
 public:
  // Before the first record. An uncompressed batch is read in place. The same errors as
  // RecordBatchView::records(), as far as they are not in a record.
  static Result<RecordIterator> over(const RecordBatchView& batch,
                                     std::size_t unpacked_bytes_max = default_unpacked_bytes_max);

  // The next record; null behind the last one and at one that is wrong, see error().
  const RecordView* next();
  // The error of RecordBatchView::records(), once next() has come to it.
  const std::optional<Error>& error() const { return error_; }

 private:
  RecordIterator(const RecordBatchView& batch, SharedBytes content, std::size_t unpacked_bytes_max);
  bool read_record();

  RecordBatchView batch_;
  SharedBytes content_;
  std::size_t unpacked_bytes_max_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::int32_t records_left_;
  RecordView record_;
  std::optional<Error> error_;
};

}  // namespace fencepost::protocol
