// Broker keys are the minibroker's own table; only the spelling of times is more generous here. A
// few more, which Kafka does not have, are of the simulation.
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

constexpr std::string_view load_time_name = "simulated.coordinator.load.ms";
constexpr std::string_view first_epoch_name = "simulated.first.producer.epoch";

bool is_time(const std::string& name) {
  return name.size() > 3 && name.substr(name.size() - 3) == ".ms";
}

Result<void> apply_load_time(minibroker::ClusterSettings& settings, const std::string& value) {
  const Result<Duration> duration = parse_duration(value);
  if (!duration) return duration.error();
  settings.coordinator_load_time = *duration;
  return {};
}

Result<void> apply_first_epoch(minibroker::ClusterSettings& settings, const std::string& value) {
  constexpr std::int64_t epoch_max = 32766;  // the last one that is handed out
  const auto epoch = parse_integer(value);
  if (!epoch || *epoch < 0 || *epoch > epoch_max)
    return Error{ErrorKind::invalid_argument,
                 std::string(first_epoch_name) + " has to be an integer from 0 to " +
                     std::to_string(epoch_max) + ", not '" + value + "'"};
  settings.first_producer_epoch = static_cast<int>(*epoch);
  return {};
}

}  // namespace

std::vector<std::string> simulated_setting_names() {
  return {std::string(load_time_name), std::string(first_epoch_name)};
}

std::vector<std::string> topic_setting_names() {
  return {topic_settings.begin(), topic_settings.end()};
}

std::string topic_setting_value(const std::string& name, const std::string& value) {
  const Result<Duration> duration = parse_duration(value);
  return is_time(name) && duration ? std::to_string(to_milliseconds(*duration)) : value;
}

Result<void> apply_setting(minibroker::ClusterSettings& settings, const std::string& name,
                           const std::string& value) {
  if (name == load_time_name) return apply_load_time(settings, value);
  if (name == first_epoch_name) return apply_first_epoch(settings, value);
  const Result<Duration> duration = parse_duration(value);
  if (!is_time(name) || !duration) return minibroker::configure(settings, name, value);
  return minibroker::configure(settings, name, std::to_string(to_milliseconds(*duration)));
}

}  // namespace fencepost::scenario
