#include "tools/conform/batch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "protocol/records/record_batch.h"
#include "tools/conform/times.h"

namespace fencepost::conform {

using nlohmann::json;

namespace {

// Offsets of the batch header's fields.
constexpr std::size_t crc_at = 17;
constexpr std::size_t record_count_at = 57;

SharedBytes damaged(const SharedBytes& batch, const std::string& damage) {
  ByteVector bytes(batch.view().begin(), batch.view().end());
  if (damage == "crc") bytes[crc_at] ^= 1;
  if (damage == "count") bytes[record_count_at + 3] ^= 8;
  if (damage == "cut") bytes.pop_back();
  return SharedBytes(std::move(bytes));
}

std::string text_of(const protocol::OptionalBytes& bytes, bool is_control) {
  if (!bytes) return "null";
  return is_control ? to_hex(bytes->view()) : std::string(as_text(bytes->view()));
}

json record_json(const protocol::Record& record, bool is_control) {
  json out = std::to_string(record.offset) + ": " + text_of(record.key, is_control) + "=" +
             text_of(record.value, is_control);
  if (!is_control) out = out.get<std::string>() + " at " + shown_time(record.timestamp);
  return out;
}

json batch_json(const protocol::RecordBatchView& batch) {
  const protocol::RecordBatchHeader& header = batch.header();
  json out = {{"baseOffset", header.base_offset},
              {"lastOffset", header.last_offset()},
              {"leaderEpoch", header.partition_leader_epoch},
              {"producerId", header.producer_id},
              {"producerEpoch", header.producer_epoch},
              {"baseSequence", header.base_sequence},
              {"attributes", header.attributes},
              {"maxTimestamp", shown_time(header.max_timestamp)}};
  json& records = out["records"] = json::array();
  const Result<std::vector<protocol::Record>> all = batch.records();
  if (!all) records.push_back("unreadable: " + all.error().text);
  if (all)
    for (const protocol::Record& record : *all)
      records.push_back(record_json(record, header.is_control_batch()));
  if (!batch.is_crc_valid()) out["crc"] = "wrong";
  return out;
}

}  // namespace

SharedBytes build(const BatchPlan& plan) {
  protocol::RecordBatchOptions options;
  options.compression =
      protocol::parse_compression(plan.codec).value_or(protocol::CompressionType::none);
  options.producer_id = plan.producer_id;
  const bool is_idempotent = plan.producer_id >= 0;
  if (is_idempotent) {
    options.producer_epoch = plan.producer_epoch;
    options.base_sequence = plan.base_sequence;
    options.is_transactional = plan.is_transactional;
  }
  std::vector<protocol::NewRecord> records;
  for (int i = 0; i < std::max(1, plan.record_count); ++i) {
    protocol::NewRecord record;
    record.timestamp = plan.timestamp + i;
    record.key = SharedBytes::copy_of("k" + std::to_string(i));
    record.value = SharedBytes::copy_of(plan.value + "/" +
                                        std::to_string(std::max(0, plan.base_sequence) + i));
    records.push_back(std::move(record));
  }
  const SharedBytes batch = protocol::build_batch(options, records);
  return plan.damage.empty() ? batch : damaged(batch, plan.damage);
}

json batches_json(const SharedBytes& bytes) {
  json out = json::array();
  const auto batches = protocol::open_batches(bytes);
  if (!batches) return json("unreadable: " + batches.error().text);
  for (const protocol::RecordBatchView& batch : *batches) out.push_back(batch_json(batch));
  return out;
}

}  // namespace fencepost::conform
