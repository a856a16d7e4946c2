// The work on logs that no request asks for: retention and compaction, at the ticks at which Kafka
// looks. A tick is due only when there is something to do at it, so that an idle cluster has no
// deadline.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "minibroker/log/partition_log.h"
#include "minibroker/settings.h"
#include "minibroker/topic_partition.h"

namespace fencepost::minibroker {

class LogMaintenance {
 public:
  explicit LogMaintenance(const ClusterSettings& settings);
  // Ticks that are set stay; what comes next follows the new intervals.
  void change_settings(const ClusterSettings& settings);

  // The log has grown, or more of it is stable: when to look.
  void on_changed(const TopicPartition& partition, const PartitionLog& log, Instant now);
  // Also before on_changed(), when the log has another configuration.
  void forget(const TopicPartition& partition);
  std::optional<Instant> next_deadline() const;
  // The partitions whose tick has come; each is to be worked on and is then known no more.
  std::vector<TopicPartition> take_due(Instant now);
  // Deletes and compacts what has to be; whether the log has changed.
  static bool work_on(PartitionLog& log, Instant now);

 private:
  struct Watched {
    std::optional<Instant> tick;
    // As the cleaner last saw the log; nothing new for it until one of them changes.
    std::size_t segment_count = 0;
    std::int64_t stable_segment = 0;
  };

  Instant retention_tick(Instant due) const;
  Instant cleaner_tick(Instant due) const;
  void set_tick(const TopicPartition& partition, Watched& watched, std::optional<Instant> tick);

  Instant start_;
  Duration retention_interval_;
  Duration cleaner_interval_;
  std::map<TopicPartition, Watched> watched_;
  std::set<std::pair<Instant, TopicPartition>> ticks_;
};

}  // namespace fencepost::minibroker
