// A topic's configuration by Kafka's names: which values it may have, and what a partition's log
// makes of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/config_keys.h"
#include "minibroker/controller.h"
#include "minibroker/log/partition_log.h"

namespace fencepost::minibroker {

// What is wrong with a key and its value, in Kafka's words; nothing when it is good.
std::optional<std::string> topic_config_problem(const std::string& name, const std::string& value);

LogSettings log_settings(const TopicImage& topic, const ClusterSettings& settings);
int min_in_sync_replicas(const TopicImage& topic, const ClusterSettings& settings);
// How many records a log may hold that are not on disk.
std::int64_t flush_messages(const TopicImage& topic, const ClusterSettings& settings);
bool allows_unclean_election(const TopicImage& topic, const ClusterSettings& settings);

}  // namespace fencepost::minibroker
