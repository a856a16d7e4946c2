// Kafka's configuration keys as scenario files and the command line write them: which there are,
// and how a value gets into ClusterSettings.
#pragma once

#include <string>
#include <vector>

#include "minibroker/settings.h"
#include "protocol/base/result.h"

namespace fencepost::scenario {

// Topic keys that Kafka knows.
std::vector<std::string> topic_setting_names();

// Sets one broker key. Times are durations (10s) or, as in Kafka, a number of milliseconds.
Result<void> apply_setting(minibroker::ClusterSettings& settings, const std::string& name,
                           const std::string& value);

}  // namespace fencepost::scenario
