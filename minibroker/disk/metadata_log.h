// __cluster_metadata-0 on the disk of the controller's broker: it is behind the controller by what
// the last write() has not seen, and never ahead of it.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "minibroker/disk/metadata_changes.h"
#include "minibroker/log/log_files.h"
#include "minibroker/log/storage.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker {

class MetadataLog {
 public:
  // Reads what is there; an empty log when nothing is. `notes`: what was repaired, a line each.
  // Errors: as recover_log(), and malformed for records that cannot be.
  static Result<MetadataLog> open(Storage& storage, std::int64_t recovery_point,
                                  std::vector<std::string>& notes);

  // What the records say.
  const DurableMetadata& metadata() const { return written_; }
  bool is_empty() const { return log_.log_end_offset() == 0; }
  // Of topics that there were.
  const std::set<Uuid>& deleted_topics() const { return deleted_topics_; }
  // Rises from one life of the cluster to the next.
  std::int64_t end_offset() const { return log_.log_end_offset(); }

  // Appends what makes it `now_known`, as one batch.
  void write(DurableMetadata now_known, const BrokerIdentities& identities, Instant now,
             Storage& storage);
  void close(Storage& storage);

 private:
  explicit MetadataLog(PartitionLog log) : log_(std::move(log)) {}

  PartitionLog log_;
  std::optional<LogFiles> files_;
  DurableMetadata written_;
  std::set<Uuid> deleted_topics_;
  std::int32_t epoch_ = 1;  // of the controller
};

}  // namespace fencepost::minibroker
