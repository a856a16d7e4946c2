// What is left of a cluster whose processes have all ended: what its disks tell, for the next one
// to begin with.
#pragma once

#include <map>

#include "minibroker/log/partition_log.h"
#include "minibroker/metadata_image.h"

namespace fencepost::minibroker {

struct SurvivingReplica {
  Uuid topic_id;
  PartitionLog log;
};
using SurvivingReplicas = std::map<TopicPartition, SurvivingReplica>;

struct SurvivingCluster {
  MetadataImage metadata;  // cluster id, topics and configuration
  std::int64_t next_producer_id = 0;
  std::map<int, SurvivingReplicas> replicas;  // by broker
};

}  // namespace fencepost::minibroker
