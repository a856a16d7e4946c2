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

// Its value as Kafka writes it: times may be durations (10s).
std::string topic_setting_value(const std::string& name, const std::string& value);

// Keys of the simulation, which Kafka does not have:
//   simulated.coordinator.load.ms   how long a coordinator reads its log before it answers
//   simulated.first.producer.epoch  what a new transactional.id begins with
std::vector<std::string> simulated_setting_names();

// Sets one broker key, or one of the simulation. Times are durations (10s) or, as in Kafka, a
// number of milliseconds.
Result<void> apply_setting(minibroker::ClusterSettings& settings, const std::string& name,
                           const std::string& value);

}  // namespace fencepost::scenario
