// The operations that are allowed on a resource, as one bit for each of Kafka's operation numbers:
// what a client that may do everything is told.
#pragma once

#include <cstdint>

namespace fencepost::minibroker {

constexpr std::int32_t bit(int operation) {
  return std::int32_t{1} << operation;
}

constexpr int op_read = 3, op_write = 4, op_create = 5, op_delete = 6, op_alter = 7,
              op_describe = 8, op_cluster_action = 9, op_describe_configs = 10,
              op_alter_configs = 11, op_idempotent_write = 12;

constexpr std::int32_t all_cluster_operations = bit(op_create) | bit(op_alter) | bit(op_describe) |
                                                bit(op_cluster_action) | bit(op_describe_configs) |
                                                bit(op_alter_configs) | bit(op_idempotent_write);
constexpr std::int32_t all_topic_operations = bit(op_read) | bit(op_write) | bit(op_create) |
                                              bit(op_delete) | bit(op_alter) | bit(op_describe) |
                                              bit(op_describe_configs) | bit(op_alter_configs);
constexpr std::int32_t all_group_operations = bit(op_read) | bit(op_delete) | bit(op_describe) |
                                              bit(op_describe_configs) | bit(op_alter_configs);

}  // namespace fencepost::minibroker
