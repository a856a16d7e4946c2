// Record batches, and what the coordinators keep in records, as JSON on one line.
#pragma once

#include <optional>
#include <string>

#include "protocol/catalog.h"
#include "protocol/records/record_batch.h"

namespace fencepost::tools::wire {

// Header fields by their names in lower case, then the records with absolute offset, timestamp and
// sequence; key and value as base64. The record of a control batch says what it marks. For a
// batch of a coordinator's topic each record also has its `content`, or the `error` that it has
// none.
Result<std::string> batch_json(const protocol::RecordBatchView& batch,
                               std::optional<protocol::InternalTopic> topic);

// {"key": {"type": ..., "data": {...}}, "value": {"version": ..., "data": {...}} or null}.
Result<std::string> internal_record_json(protocol::InternalTopic topic, const SharedBytes& key,
                                         const protocol::OptionalBytes& value);

}  // namespace fencepost::tools::wire
