// What the files of a log have to follow besides the batches that it gains. The log notes it, its
// files take it (log_files.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "minibroker/log/producer_state.h"

namespace fencepost::minibroker {

struct LogChanges {
  // Everything from there on is gone; what the log has there now came later.
  std::optional<std::int64_t> truncated_to = {};
  // Segments that begin below have been cleaned: they hold fewer batches, and may be fewer.
  std::optional<std::int64_t> cleaned_to = {};
  // What was known of the producers where a segment begins.
  std::map<std::int64_t, ProducerEntries> rolled = {};
};

}  // namespace fencepost::minibroker
