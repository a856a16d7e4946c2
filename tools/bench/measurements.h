// What `fencepost bench` measures: the same few workloads for its tables and for whoever compares
// clients. A clock covers what is between the first request and the last acknowledgement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/group_membership.h"
#include "fencing/snapshot_writer.h"
#include "tools/cluster_command.h"

namespace fencepost::tools {

struct Measured {
  Duration time{};
  std::int64_t transactions = 0;
  std::int64_t records = 0;
};

struct Latencies {
  Duration median{};
  Duration percentile_99{};
};

struct Workload {
  std::string input;   // one partition; only offsets of it are committed
  std::string output;  // one partition
  std::string name;    // tells this run's group and transactional ids from others'
};

// A member of group "group-NAME" with a real generation, an idempotent producer and one with
// transactional.id "txn-NAME". All run on the command's io_context, one measurement at a time.
// Errors: whatever was not committed.
class Measurements {
 public:
  Measurements(ClusterCommand& command, Workload workload);

  // Joins, and makes the producers. Errors also: stalled when the group gives nothing in 30 s.
  client::Task<void> begin();
  // Leaves the group, if begin() has joined it.
  client::Task<void> end();
  // A measurement under way ends soon, with an error and no transaction open; so does each later
  // one.
  void stop() { is_stopping_ = true; }
  bool is_stopping() const { return is_stopping_; }

  // Where the next measurements write.
  void set_output(std::string topic) { output_.topic = std::move(topic); }
  // Records one at a time through the idempotent producer, without transactions.
  client::Task<Measured> one_at_a_time(std::int64_t records, std::size_t bytes);
  // All records at once through the idempotent producer.
  client::Task<Measured> plain(std::int64_t records, std::size_t bytes);
  // One transaction with an offset for each, one at a time.
  client::Task<Measured> serial(std::int64_t records, std::size_t bytes);
  // All at once through group commit; cap 0: none.
  client::Task<Measured> group(std::size_t cap, std::int64_t records, std::size_t bytes);
  // So many producers, each committing one-record transactions without offsets.
  client::Task<Measured> rate(int producers, Duration duration);
  // The init of a second producer of that id: behind an open transaction, or behind none.
  client::Task<Measured> takeover(bool leaves_open);
  client::Task<Latencies> latency(std::int64_t records, std::size_t bytes);

 private:
  std::unique_ptr<client::TransactionalProducer> make_producer(std::string transactional_id,
                                                               client::ClusterClient& cluster);
  std::unique_ptr<fencing::SnapshotWriter> make_writer(std::size_t cap);

  ClusterCommand& command_;
  Workload workload_;
  client::TopicPartition output_;
  std::unique_ptr<client::ClusterClient> group_cluster_;  // a join round holds up nobody else
  std::unique_ptr<client::ClusterClient> second_cluster_;
  client::GroupMembership membership_;
  std::shared_ptr<std::optional<Result<void>>> membership_end_;
  std::unique_ptr<client::TransactionalProducer> plain_;
  std::unique_ptr<client::TransactionalProducer> transactional_;
  std::int64_t offset_ = 0;
  int takeovers_ = 0;
  bool is_stopping_ = false;
};

}  // namespace fencepost::tools
