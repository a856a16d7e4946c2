// What a reader may see of a fetch answer. The broker only bounds a read_committed answer by the
// last stable offset and lists the aborted transactions: leaving their records out is up to us.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/messages/fetch.h"
#include "protocol/records/record_batch.h"

namespace fencepost::client {

enum class IsolationLevel : std::int8_t { read_uncommitted = 0, read_committed = 1 };

struct VisibleRecords {
  std::vector<protocol::Record> records;
  // Where to read on: behind the last whole batch, visible or not.
  std::int64_t position = 0;
  std::int32_t leader_epoch = -1;  // of that batch; -1 when there is none
};

// The records from `fetch_offset` on. Control records are never among them; under read_committed
// neither are those of aborted transactions. Errors: malformed (CRC, format, or an answer that
// holds not one whole batch); nothing of the answer should be used then.
Result<VisibleRecords> visible_records(const protocol::FetchResponse::PartitionData& answer,
                                       std::int64_t fetch_offset, IsolationLevel isolation_level);

}  // namespace fencepost::client
