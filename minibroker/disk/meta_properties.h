// meta.properties: whose folder it is. Kafka's own form, so that a Kafka broker takes the folder
// for one of its own.
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

inline constexpr const char* meta_properties_file = "meta.properties";

struct MetaProperties {
  std::string cluster_id;
  int node_id = 0;
  Uuid directory_id;
  bool operator==(const MetaProperties&) const = default;
};

SharedBytes write_meta_properties(const MetaProperties& properties);
// Malformed when something is missing, or is not what it should be; keys that are not known here
// are left aside.
Result<MetaProperties> read_meta_properties(std::string_view text);

}  // namespace fencepost::minibroker
