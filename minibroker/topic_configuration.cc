#include "minibroker/topic_configuration.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace fencepost::minibroker {

namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What was set for the topic, or for the broker under the key that gives the topic's default.
std::optional<std::string_view> value_of(const TopicImage& topic, const ClusterSettings& settings,
                                         const std::string& name) {
  const auto found = topic.config.find(name);
  if (found != topic.config.end()) return found->second;
  const ConfigKey* key = find_config_key(topic_config_keys(), name);
  if (key == nullptr) return std::nullopt;
  const auto of_broker = settings.broker_config.find(std::string(key->broker_key));
  if (of_broker == settings.broker_config.end()) return std::nullopt;
  return of_broker->second;
}

// Broker keys that say the same in a coarser unit; the finer one holds.
struct CoarseKey {
  std::string_view topic_key;
  const char* broker_key;
  std::int64_t unit_ms;
};
constexpr CoarseKey coarse_keys[] = {
    {"retention.ms", "log.retention.minutes", 60'000},
    {"retention.ms", "log.retention.hours", 3'600'000},
    {"segment.ms", "log.roll.hours", 3'600'000},
    {"segment.jitter.ms", "log.roll.jitter.hours", 3'600'000},
};

std::int64_t integer_of(const TopicImage& topic, const ClusterSettings& settings,
                        const std::string& name, std::int64_t otherwise) {
  if (const std::optional<std::string_view> value = value_of(topic, settings, name))
    return parse_integer(*value).value_or(otherwise);
  for (const CoarseKey& key : coarse_keys) {
    const auto given = settings.broker_config.find(key.broker_key);
    if (key.topic_key != name || given == settings.broker_config.end()) continue;
    const std::optional<std::int64_t> number = parse_integer(given->second);
    if (number) return *number < 0 ? *number : *number * key.unit_ms;
  }
  return otherwise;
}

// What the release has when nothing is set.
std::int64_t default_of(const Era& era, std::string_view name) {
  const std::span<const ConfigKey> keys = topic_config_keys();
  const auto key = std::ranges::find_if(
      keys, [&](const ConfigKey& it) { return it.name == name && it.is_of(era); });
  return key == keys.end() ? 0 : parse_integer(key->default_value).value_or(0);
}

// A limit in milliseconds; Kafka's largest number stands for none.
std::optional<Duration> limit_of(const TopicImage& topic, const ClusterSettings& settings,
                                 const std::string& name, std::int64_t otherwise) {
  const std::int64_t limit_ms = integer_of(topic, settings, name, otherwise);
  constexpr std::int64_t longest_ms = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  if (limit_ms >= longest_ms) return std::nullopt;
  return milliseconds(limit_ms);
}

}  // namespace

std::optional<std::string> topic_config_problem(const std::string& name, const std::string& value) {
  const ConfigKey* key = find_config_key(topic_config_keys(), name);
  if (key == nullptr) return "Unknown topic config name: " + name;
  if (name == "remote.storage.enable" && value == "true")
    return "Tiered Storage functionality is disabled in the broker. Topic cannot be configured "
           "with remote log storage.";
  return config_value_problem(*key, value);
}

namespace {

double ratio_of(const TopicImage& topic, const ClusterSettings& settings, const std::string& name,
                double otherwise) {
  const std::optional<std::string_view> value = value_of(topic, settings, name);
  return value ? std::strtod(std::string(*value).c_str(), nullptr) : otherwise;
}

CleanupRules cleanup_rules(const TopicImage& topic, const ClusterSettings& settings) {
  const CleanupRules usual;
  CleanupRules out;
  const std::string_view policy = value_of(topic, settings, "cleanup.policy").value_or("delete");
  out.deletes = policy.find("delete") != std::string_view::npos;
  out.compacts = policy.find("compact") != std::string_view::npos;
  out.retention_ms = integer_of(topic, settings, "retention.ms", usual.retention_ms);
  out.retention_bytes = integer_of(topic, settings, "retention.bytes", usual.retention_bytes);
  out.min_cleanable_dirty_ratio =
      ratio_of(topic, settings, "min.cleanable.dirty.ratio", usual.min_cleanable_dirty_ratio);
  out.min_compaction_lag_ms =
      integer_of(topic, settings, "min.compaction.lag.ms", usual.min_compaction_lag_ms);
  out.max_compaction_lag_ms =
      integer_of(topic, settings, "max.compaction.lag.ms", usual.max_compaction_lag_ms);
  out.delete_retention_ms =
      integer_of(topic, settings, "delete.retention.ms", usual.delete_retention_ms);
  return out;
}

std::optional<protocol::CompressionType> compression_of(const TopicImage& topic,
                                                        const ClusterSettings& settings) {
  using enum protocol::CompressionType;
  const std::string_view name = value_of(topic, settings, "compression.type").value_or("producer");
  if (name == "uncompressed") return none;
  if (name == "gzip") return gzip;
  if (name == "snappy") return snappy;
  if (name == "lz4") return lz4;
  if (name == "zstd") return zstd;
  return std::nullopt;
}

}  // namespace

LogSettings log_settings(const TopicImage& topic, const ClusterSettings& settings) {
  LogSettings out;
  out.rules.max_message_bytes = static_cast<std::int32_t>(
      integer_of(topic, settings, "max.message.bytes", settings.message_max_bytes));
  out.rules.timestamp_type = value_of(topic, settings, "message.timestamp.type") == "LogAppendTime"
                                 ? protocol::TimestampType::log_append_time
                                 : protocol::TimestampType::create_time;
  out.cleanup = cleanup_rules(topic, settings);
  out.rules.is_compacted = out.cleanup.compacts;
  out.rules.compression = compression_of(topic, settings);
  out.rules.timestamp_before_max = limit_of(topic, settings, "message.timestamp.before.max.ms",
                                            std::numeric_limits<std::int64_t>::max());
  out.rules.timestamp_after_max =
      limit_of(topic, settings, "message.timestamp.after.max.ms",
               default_of(settings.era, "message.timestamp.after.max.ms"));
  const SegmentRules usual;
  out.segments.roll_after_ms = integer_of(topic, settings, "segment.ms", usual.roll_after_ms);
  // A record that waits for compaction does not wait for its segment to fill.
  if (out.cleanup.compacts && out.cleanup.max_compaction_lag_ms > 0)
    out.segments.roll_after_ms =
        std::min(out.segments.roll_after_ms, out.cleanup.max_compaction_lag_ms);
  out.segments.index_interval_bytes =
      integer_of(topic, settings, "index.interval.bytes", usual.index_interval_bytes);
  out.segments.bytes_max = integer_of(topic, settings, "segment.bytes", usual.bytes_max);
  out.verifies_transactions = topic.name == consumer_offsets_topic
                                  ? settings.era.verifies_offset_commits
                                  : settings.era.verifies_partitions;
  if (settings.era.has(Defect::verification_off)) out.verifies_transactions = false;
  out.looks_at_epoch_before_guard =
      settings.era.looks_at_epoch_before_guard && !settings.era.has(Defect::guard_before_epoch);
  out.holds_back_before_marker = settings.era.holds_back_before_marker;
  out.demands_newer_marker_epoch = settings.era.demands_newer_marker_epoch;
  out.stable_offset_is_of_batch = settings.era.stable_offset_is_of_batch;
  out.defect = settings.era.defect;
  return out;
}

int min_in_sync_replicas(const TopicImage& topic, const ClusterSettings& settings) {
  return static_cast<int>(
      integer_of(topic, settings, "min.insync.replicas", settings.min_insync_replicas));
}

std::int64_t flush_messages(const TopicImage& topic, const ClusterSettings& settings) {
  return integer_of(topic, settings, "flush.messages", std::numeric_limits<std::int64_t>::max());
}

bool allows_unclean_election(const TopicImage& topic, const ClusterSettings& settings) {
  const auto value = value_of(topic, settings, "unclean.leader.election.enable");
  return value ? *value == "true" : settings.unclean_leader_election_enable;
}

}  // namespace fencepost::minibroker
