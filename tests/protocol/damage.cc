#include "tests/protocol/damage.h"

#include <algorithm>

#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace fencepost::protocol {

namespace {

constexpr std::size_t unpacked_bytes_max = std::size_t{1} << 20;

std::string complaint_about_refusal(const Error& error, const SharedBytes& bytes) {
  if (error.kind != ErrorKind::malformed) return "refused for another reason: " + error.text;
  if (error.offset > bytes.size()) return "refused at an offset outside the bytes";
  // Only what follows the last field is in no field.
  if (error.field.empty() && !error.text.ends_with("left over"))
    return "refused without a field: " + error.text;
  return "";
}

// Whether the builder takes them: it was given them by no stranger and insists on that.
bool are_in_order(const std::vector<Record>& records, const RecordBatchHeader& header) {
  return std::ranges::all_of(records, [&](const Record& record) {
    // Offsets near the ends of int64 wrap around.
    const auto delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(record.offset) -
                                                 static_cast<std::uint64_t>(header.base_offset));
    return delta >= 0 && delta <= header.last_offset_delta;
  });
}

std::string complaint_about_rebuilt(const RecordBatchView& batch,
                                    const std::vector<Record>& records) {
  if (!are_in_order(records, batch.header())) return "";
  const Result<RecordBatchView> again = RecordBatchView::open(compacted_batch(batch, records));
  if (!again || !again->is_crc_valid()) return "built again it is no batch";
  const Result<std::vector<Record>> records_again = again->records();
  if (!records_again || *records_again != records) return "built again it holds other records";
  if (again->header().last_offset() != batch.header().last_offset())
    return "built again it ends at another offset";
  return "";
}

// The two ways through the records find the same.
std::string complaint_about_iterator(const RecordBatchView& batch,
                                     const Result<std::vector<Record>>& records) {
  Result<RecordIterator> iterator = RecordIterator::over(batch, unpacked_bytes_max);
  if (!iterator)
    return !records && iterator.error() == records.error() ? "" : "the iterator says another error";
  std::size_t count = 0;
  while (iterator->next() != nullptr) ++count;
  if (records) return !iterator->error() && count == records->size() ? "" : "the iterator stops";
  return iterator->error() == records.error() ? "" : "the iterator ends with another error";
}

std::string complaint_about_batch(const RecordBatchView& batch) {
  const Result<std::vector<Record>> records = batch.records(unpacked_bytes_max);
  const Result<std::int32_t> count = batch.count_records(unpacked_bytes_max);
  if (records.ok() != count.ok()) return "counting records finds something else";
  if (std::string complaint = complaint_about_iterator(batch, records); !complaint.empty())
    return complaint;
  if (!records) {
    if (records.error() != count.error()) return "counting records says another error";
    return records.error().field.empty() ? "refused without a field" : "";
  }
  if (static_cast<std::size_t>(*count) != records->size()) return "counted wrongly";
  if (batch.header().is_control_batch()) (void)read_marker(batch);
  return complaint_about_rebuilt(batch, *records);
}

}  // namespace

std::string complaint_about_message(const MessageType& type, int version,
                                    const SharedBytes& bytes) {
  const Result<Frame> again = type.recode(bytes, version);
  if (!again) return complaint_about_refusal(again.error(), bytes);
  const SharedBytes canonical = again->flatten();
  if (canonical == bytes) return "";
  // A long varint, a boolean above 1, a default written out: shorter bytes of the same meaning.
  if (canonical.size() > bytes.size()) return "grew";
  if (*type.to_json(canonical, version) != *type.to_json(bytes, version))
    return "says something else when written again";
  return type.recode(canonical, version)->flatten() == canonical
             ? ""
             : "changes each time it is written";
}

std::string complaint_about_batches(const SharedBytes& bytes) {
  const Result<std::vector<RecordBatchView>> batches = open_batches(bytes);
  if (!batches) return complaint_about_refusal(batches.error(), bytes);
  for (const RecordBatchView& batch : *batches)
    if (std::string complaint = complaint_about_batch(batch); !complaint.empty()) return complaint;
  return "";
}

}  // namespace fencepost::protocol
