// Facts of Kafka 4.4.0: the configuration keys of topics and of groups; and what was otherwise for
// topics in 3.9.2. Of a key that stands here twice the newer one comes first.
#include "minibroker/config_keys.h"

namespace fencepost::minibroker {

namespace {

using enum ConfigType;
using enum ConfigUpdate;

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
// Columns of the tables in era.cc.
constexpr std::size_t release_3_9 = 2;
constexpr std::size_t release_4_0 = 3;
constexpr std::size_t release_4_4 = 7;

// clang-format off
constexpr ConfigKey topic_keys[] = {
    {"cleanup.policy", list, "delete", cluster, "log.cleanup.policy"},
    {"compression.gzip.level", integer, "-1", cluster, "compression.gzip.level", 1, 9},
    {"compression.lz4.level", integer, "9", cluster, "compression.lz4.level", 1, 17},
    {"compression.type", string, "producer", cluster, "compression.type"},
    {"compression.zstd.level", integer, "3", cluster, "compression.zstd.level", -131072, 22},
    {"delete.retention.ms", long_integer, "86400000", cluster, "log.cleaner.delete.retention.ms", 0},
    {"errors.deadletterqueue.group.enable", boolean, "false", cluster, {}, any, none, release_4_4},
    {"file.delete.delay.ms", long_integer, "60000", cluster, "log.segment.delete.delay.ms", 0},
    {"flush.messages", long_integer, "9223372036854775807", cluster, "log.flush.interval.messages", 1},
    {"flush.ms", long_integer, "9223372036854775807", cluster, "log.flush.interval.ms", 0},
    {"follower.replication.throttled.replicas", list, "", cluster},
    {"index.interval.bytes", integer, "4096", cluster, "log.index.interval.bytes", 0},
    {"leader.replication.throttled.replicas", list, "", cluster},
    {"local.retention.bytes", long_integer, "-2", cluster, "log.local.retention.bytes", -2},
    {"local.retention.ms", long_integer, "-2", cluster, "log.local.retention.ms", -2},
    {"max.compaction.lag.ms", long_integer, "9223372036854775807", cluster, "log.cleaner.max.compaction.lag.ms", 1},
    {"max.decompressed.message.bytes", integer, "2147483639", cluster, "max.decompressed.message.bytes", 1, 2147483639, release_4_4},
    {"max.message.bytes", integer, "1048588", cluster, "message.max.bytes", 0},
    {"message.downconversion.enable", boolean, "true", cluster, {}, any, none, 0, release_3_9},
    {"message.format.version", string, "3.0-IV1", cluster, {}, any, none, 0, release_3_9},
    {"message.timestamp.after.max.ms", long_integer, "3600000", cluster, "log.message.timestamp.after.max.ms", 0, none, release_4_0},
    {"message.timestamp.after.max.ms", long_integer, "9223372036854775807", cluster, {}, 0, none, 0, release_3_9},
    {"message.timestamp.before.max.ms", long_integer, "9223372036854775807", cluster, "log.message.timestamp.before.max.ms", 0},
    {"message.timestamp.difference.max.ms", long_integer, "9223372036854775807", cluster, {}, 0, none, 0, release_3_9},
    {"message.timestamp.type", string, "CreateTime", cluster, "log.message.timestamp.type"},
    {"min.cleanable.dirty.ratio", floating, "0.5", cluster, "log.cleaner.min.cleanable.ratio", 0, 1},
    {"min.compaction.lag.ms", long_integer, "0", cluster, "log.cleaner.min.compaction.lag.ms", 0},
    {"min.insync.replicas", integer, "1", cluster, "min.insync.replicas", 1},
    {"preallocate", boolean, "false", cluster, "log.preallocate"},
    {"remote.copy.lag.bytes", long_integer, "-1", cluster, "log.remote.copy.lag.bytes", -1, none, release_4_4},
    {"remote.copy.lag.ms", long_integer, "0", cluster, "log.remote.copy.lag.ms", -1, none, release_4_4},
    {"remote.log.copy.disable", boolean, "false", cluster},
    {"remote.log.delete.on.disable", boolean, "false", cluster},
    {"remote.storage.enable", boolean, "false", cluster},
    {"retention.bytes", long_integer, "-1", cluster, "log.retention.bytes"},
    {"retention.ms", long_integer, "604800000", cluster, "log.retention.ms", -1},
    {"segment.bytes", integer, "1073741824", cluster, "log.segment.bytes", 1048576},
    {"segment.index.bytes", integer, "10485760", cluster, "log.index.size.max.bytes", 4},
    {"segment.jitter.ms", long_integer, "0", cluster, "log.roll.jitter.ms", 0},
    {"segment.ms", long_integer, "604800000", cluster, "log.roll.ms", 1},
    {"unclean.leader.election.enable", boolean, "false", cluster, "unclean.leader.election.enable"},
};

constexpr ConfigKey group_keys[] = {
    {"consumer.assignment.interval.ms", integer, "1000"},
    {"consumer.heartbeat.interval.ms", integer, "5000"},
    {"consumer.session.timeout.ms", integer, "45000"},
    {"errors.deadletterqueue.copy.record.enable", boolean, "false"},
    {"errors.deadletterqueue.topic.name", string, ""},
    {"share.assignment.interval.ms", integer, "1000"},
    {"share.auto.offset.reset", string, "latest"},
    {"share.delivery.count.limit", integer, "5"},
    {"share.heartbeat.interval.ms", integer, "5000"},
    {"share.isolation.level", string, "read_uncommitted"},
    {"share.partition.max.record.locks", integer, "2000"},
    {"share.record.lock.duration.ms", integer, "30000"},
    {"share.renew.acknowledge.enable", boolean, "true"},
    {"share.session.timeout.ms", integer, "45000"},
    {"streams.assignment.interval.ms", integer, "1000"},
    {"streams.assignor.name", string, "sticky"},
    {"streams.heartbeat.interval.ms", integer, "5000"},
    {"streams.initial.rebalance.delay.ms", integer, "3000"},
    {"streams.num.standby.replicas", integer, "0"},
    {"streams.rack.aware.assignment.tags", list, ""},
    {"streams.session.timeout.ms", integer, "45000"},
};
// clang-format on

}  // namespace

std::span<const ConfigKey> topic_config_keys() {
  return topic_keys;
}

std::span<const ConfigKey> group_config_keys() {
  return group_keys;
}

}  // namespace fencepost::minibroker
