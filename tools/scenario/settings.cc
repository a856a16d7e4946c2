// Broker keys are the minibroker's own table; only the spelling of times is more generous here.
#include "tools/scenario/settings.h"

#include <array>
#include <string_view>

#include "minibroker/configuration.h"
#include "tools/scenario/values.h"

namespace fencepost::scenario {

namespace {

constexpr std::array<std::string_view, 18> topic_settings{
    "cleanup.policy",
    "compression.type",
    "delete.retention.ms",
    "file.delete.delay.ms",
    "flush.messages",
    "flush.ms",
    "index.interval.bytes",
    "max.compaction.lag.ms",
    "max.message.bytes",
    "message.timestamp.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "min.insync.replicas",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "segment.ms",
    "unclean.leader.election.enable",
};

}  // namespace

std::vector<std::string> topic_setting_names() {
  return {topic_settings.begin(), topic_settings.end()};
}

Result<void> apply_setting(minibroker::ClusterSettings& settings, const std::string& name,
                           const std::string& value) {
  const bool is_time = name.size() > 3 && name.substr(name.size() - 3) == ".ms";
  const Result<Duration> duration = parse_duration(value);
  if (!is_time || !duration) return minibroker::configure(settings, name, value);
  return minibroker::configure(settings, name, std::to_string(to_milliseconds(*duration)));
}

}  // namespace fencepost::scenario
