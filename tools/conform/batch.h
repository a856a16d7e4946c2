// Record batches as a program writes them into Produce, and as an answer to Fetch shows them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "protocol/base/bytes.h"

namespace fencepost::conform {

// One batch; records k0, k1, ... with what the producer and the sequence say.
struct BatchPlan {
  std::int64_t producer_id = -1;  // -1: no idempotence
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
  bool is_transactional = false;
  int record_count = 1;
  std::string codec = "none";
  // "crc": a checksum that does not fit; "cut": the last byte is missing; "count": more records are
  // announced than there are. Empty: none.
  std::string damage;
  std::string value;  // of each record, followed by its sequence
  std::int64_t timestamp = 1000;
};

SharedBytes build(const BatchPlan& plan);

// Header fields and records of every batch; what cannot be read is said. A time of today reads
// "now". `producer_ids` stay numbers.
nlohmann::json batches_json(const SharedBytes& bytes);

}  // namespace fencepost::conform
