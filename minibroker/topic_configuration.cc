#include "minibroker/topic_configuration.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace fencepost::minibroker {

namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string_view> value_of(const TopicImage& topic, const std::string& name) {
  const auto found = topic.config.find(name);
  if (found == topic.config.end()) return std::nullopt;
  return found->second;
}

std::int64_t integer_of(const TopicImage& topic, const std::string& name, std::int64_t otherwise) {
  const std::optional<std::string_view> value = value_of(topic, name);
  return value ? parse_integer(*value).value_or(otherwise) : otherwise;
}

// A limit in milliseconds; Kafka's largest number stands for none.
std::optional<Duration> limit_of(const TopicImage& topic, const std::string& name,
                                 std::int64_t otherwise) {
  const std::int64_t limit_ms = integer_of(topic, name, otherwise);
  constexpr std::int64_t longest_ms = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  if (limit_ms >= longest_ms) return std::nullopt;
  return milliseconds(limit_ms);
}

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> good) {
  return std::ranges::find(good, value) != good.end();
}

bool is_good_value(const TopicConfig& config, std::string_view value) {
  if (config.name == "message.timestamp.type")
    return is_one_of(value, {"CreateTime", "LogAppendTime"});
  if (config.name == "compression.type")
    return is_one_of(value, {"uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"});
  if (config.name == "cleanup.policy")
    return is_one_of(value, {"delete", "compact", "compact,delete", "delete,compact", ""});
  switch (config.type) {
    case ConfigType::boolean:
      return is_one_of(value, {"true", "false"});
    case ConfigType::short_integer:
    case ConfigType::integer:
    case ConfigType::long_integer:
      return parse_integer(value).has_value();
    case ConfigType::floating: {
      const std::string text(value);
      char* end = nullptr;
      std::strtod(text.c_str(), &end);
      return !text.empty() && *end == '\0';
    }
    case ConfigType::string:
    case ConfigType::list:
    case ConfigType::class_name:
    case ConfigType::password:
      return true;
  }
  return true;
}

}  // namespace

const std::vector<TopicConfig>& topic_configs() {
  using enum ConfigType;
  static const std::vector<TopicConfig> configs{
      {"cleanup.policy", list, "delete"},
      {"compression.gzip.level", integer, "-1"},
      {"compression.lz4.level", integer, "9"},
      {"compression.type", string, "producer"},
      {"compression.zstd.level", integer, "3"},
      {"delete.retention.ms", long_integer, "86400000"},
      {"file.delete.delay.ms", long_integer, "60000"},
      {"flush.messages", long_integer, "9223372036854775807"},
      {"flush.ms", long_integer, "9223372036854775807"},
      {"follower.replication.throttled.replicas", list, ""},
      {"index.interval.bytes", integer, "4096"},
      {"leader.replication.throttled.replicas", list, ""},
      {"local.retention.bytes", long_integer, "-2"},
      {"local.retention.ms", long_integer, "-2"},
      {"max.compaction.lag.ms", long_integer, "9223372036854775807"},
      {"max.message.bytes", integer, "1048588"},
      {"message.timestamp.after.max.ms", long_integer, "3600000"},
      {"message.timestamp.before.max.ms", long_integer, "9223372036854775807"},
      {"message.timestamp.type", string, "CreateTime"},
      {"min.cleanable.dirty.ratio", floating, "0.5"},
      {"min.compaction.lag.ms", long_integer, "0"},
      {"min.insync.replicas", integer, "1"},
      {"preallocate", boolean, "false"},
      {"remote.storage.enable", boolean, "false"},
      {"retention.bytes", long_integer, "-1"},
      {"retention.ms", long_integer, "604800000"},
      {"segment.bytes", integer, "1073741824"},
      {"segment.index.bytes", integer, "10485760"},
      {"segment.jitter.ms", long_integer, "0"},
      {"segment.ms", long_integer, "604800000"},
      {"unclean.leader.election.enable", boolean, "false"},
  };
  return configs;
}

std::optional<std::string> topic_config_problem(const std::string& name, const std::string& value) {
  const auto found = std::ranges::find(topic_configs(), name, &TopicConfig::name);
  if (found == topic_configs().end()) return "Unknown topic config name: " + name;
  if (is_good_value(*found, value)) return std::nullopt;
  return "Invalid value " + value + " for configuration " + name;
}

namespace {

double ratio_of(const TopicImage& topic, const std::string& name, double otherwise) {
  const std::optional<std::string_view> value = value_of(topic, name);
  return value ? std::strtod(std::string(*value).c_str(), nullptr) : otherwise;
}

CleanupRules cleanup_rules(const TopicImage& topic) {
  const CleanupRules usual;
  CleanupRules out;
  const std::string_view policy = value_of(topic, "cleanup.policy").value_or("delete");
  out.deletes = policy.find("delete") != std::string_view::npos;
  out.compacts = policy.find("compact") != std::string_view::npos;
  out.retention_ms = integer_of(topic, "retention.ms", usual.retention_ms);
  out.retention_bytes = integer_of(topic, "retention.bytes", usual.retention_bytes);
  out.min_cleanable_dirty_ratio =
      ratio_of(topic, "min.cleanable.dirty.ratio", usual.min_cleanable_dirty_ratio);
  out.min_compaction_lag_ms =
      integer_of(topic, "min.compaction.lag.ms", usual.min_compaction_lag_ms);
  out.max_compaction_lag_ms =
      integer_of(topic, "max.compaction.lag.ms", usual.max_compaction_lag_ms);
  out.delete_retention_ms = integer_of(topic, "delete.retention.ms", usual.delete_retention_ms);
  return out;
}

std::optional<protocol::CompressionType> compression_of(const TopicImage& topic) {
  using enum protocol::CompressionType;
  const std::string_view name = value_of(topic, "compression.type").value_or("producer");
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
  out.rules.max_message_bytes =
      static_cast<std::int32_t>(integer_of(topic, "max.message.bytes", settings.message_max_bytes));
  out.rules.timestamp_type = value_of(topic, "message.timestamp.type") == "LogAppendTime"
                                 ? protocol::TimestampType::log_append_time
                                 : protocol::TimestampType::create_time;
  out.cleanup = cleanup_rules(topic);
  out.rules.is_compacted = out.cleanup.compacts;
  out.rules.compression = compression_of(topic);
  out.rules.timestamp_before_max =
      limit_of(topic, "message.timestamp.before.max.ms", std::numeric_limits<std::int64_t>::max());
  out.rules.timestamp_after_max = limit_of(topic, "message.timestamp.after.max.ms", 3'600'000);
  const SegmentRules usual;
  out.segments.roll_after_ms = integer_of(topic, "segment.ms", usual.roll_after_ms);
  // A record that waits for compaction does not wait for its segment to fill.
  if (out.cleanup.compacts && out.cleanup.max_compaction_lag_ms > 0)
    out.segments.roll_after_ms =
        std::min(out.segments.roll_after_ms, out.cleanup.max_compaction_lag_ms);
  out.segments.index_interval_bytes =
      integer_of(topic, "index.interval.bytes", usual.index_interval_bytes);
  out.segments.bytes_max = integer_of(topic, "segment.bytes", usual.bytes_max);
  out.verifies_transactions = topic.name == consumer_offsets_topic
                                  ? settings.era.verifies_offset_commits
                                  : settings.era.verifies_partitions;
  out.looks_at_epoch_before_guard = settings.era.looks_at_epoch_before_guard;
  out.holds_back_before_marker = settings.era.holds_back_before_marker;
  out.demands_newer_marker_epoch = settings.era.demands_newer_marker_epoch;
  return out;
}

int min_in_sync_replicas(const TopicImage& topic, const ClusterSettings& settings) {
  return static_cast<int>(integer_of(topic, "min.insync.replicas", settings.min_insync_replicas));
}

std::int64_t flush_messages(const TopicImage& topic) {
  return integer_of(topic, "flush.messages", std::numeric_limits<std::int64_t>::max());
}

bool allows_unclean_election(const TopicImage& topic, const ClusterSettings& settings) {
  const auto value = value_of(topic, "unclean.leader.election.enable");
  return value ? *value == "true" : settings.unclean_leader_election_enable;
}

}  // namespace fencepost::minibroker
