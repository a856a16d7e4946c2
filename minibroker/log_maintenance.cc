#include "minibroker/log_maintenance.h"

#include <algorithm>

#include "minibroker/log/cleaner.h"

namespace fencepost::minibroker {

namespace {

// log.initial.task.delay.ms
constexpr Duration first_retention_tick = std::chrono::seconds(30);

// The first of the ticks at or after `due`.
Instant round_up(Instant first, Duration interval, Instant due) {
  if (due <= first) return first;
  const std::int64_t ticks = (due - first + interval - Duration(1)) / interval;
  return first + ticks * interval;
}

}  // namespace

LogMaintenance::LogMaintenance(const ClusterSettings& settings)
    : start_(settings.start),
      retention_interval_(settings.log_retention_check_interval),
      cleaner_interval_(settings.log_cleaner_backoff) {}

void LogMaintenance::change_settings(const ClusterSettings& settings) {
  retention_interval_ = settings.log_retention_check_interval;
  cleaner_interval_ = settings.log_cleaner_backoff;
}

Instant LogMaintenance::retention_tick(Instant due) const {
  return round_up(start_ + first_retention_tick, retention_interval_, due);
}

Instant LogMaintenance::cleaner_tick(Instant due) const {
  return round_up(start_, cleaner_interval_, due);
}

void LogMaintenance::set_tick(const TopicPartition& partition, Watched& watched,
                              std::optional<Instant> tick) {
  // One that comes too early costs a look; one that comes later is set again then.
  if (!tick || (watched.tick && *watched.tick <= *tick)) return;
  if (watched.tick) ticks_.erase({*watched.tick, partition});
  watched.tick = tick;
  ticks_.emplace(*tick, partition);
}

void LogMaintenance::on_changed(const TopicPartition& partition, const PartitionLog& log,
                                Instant now) {
  const CleanupRules& rules = log.settings().cleanup;
  Watched& watched = watched_[partition];
  if (rules.deletes)
    if (const auto due = log.deletion_due(now))
      // With both policies it is the cleaner that deletes.
      set_tick(partition, watched, rules.compacts ? cleaner_tick(*due) : retention_tick(*due));
  if (!rules.compacts || log.segments().all().size() < 2) return;
  const std::size_t segment_count = log.segments().all().size();
  const std::int64_t stable_segment = log.segments().base_of(log.last_stable_offset());
  if (watched.segment_count == segment_count && watched.stable_segment == stable_segment) return;
  watched.segment_count = segment_count;
  watched.stable_segment = stable_segment;
  if (const auto due = cleaning_due(log, now)) set_tick(partition, watched, cleaner_tick(*due));
}

void LogMaintenance::forget(const TopicPartition& partition) {
  const auto found = watched_.find(partition);
  if (found == watched_.end()) return;
  if (found->second.tick) ticks_.erase({*found->second.tick, partition});
  watched_.erase(found);
}

std::optional<Instant> LogMaintenance::next_deadline() const {
  if (ticks_.empty()) return std::nullopt;
  return ticks_.begin()->first;
}

std::vector<TopicPartition> LogMaintenance::take_due(Instant now) {
  std::vector<TopicPartition> due;
  while (!ticks_.empty() && ticks_.begin()->first <= now) {
    due.push_back(ticks_.begin()->second);
    forget(due.back());
  }
  return due;
}

bool LogMaintenance::work_on(PartitionLog& log, Instant now) {
  bool has_changed = log.delete_old_segments(now);
  const Cleanable cleanable = find_cleanable(log, now);
  if (has_to_be_cleaned(cleanable, log.settings().cleanup)) {
    clean(log, cleanable, now);
    has_changed = true;
  }
  return has_changed;
}

}  // namespace fencepost::minibroker
