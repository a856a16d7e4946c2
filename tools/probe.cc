// `fencepost probe`: what fences a group and a transactional.id right now, in one table: group
// state and epochs, transaction state and epoch, and on the snapshot partition the last stable
// offset against the high watermark with whoever holds it back.
#include "tools/probe.h"

#include <fmt/format.h>

#include <memory>

#include "client/explained.h"
#include "client/reader.h"
#include "client/retry.h"
#include "client/transaction_admin.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/describe_groups.h"
#include "tools/cluster_command.h"
#include "tools/exit_code.h"
#include "tools/scenario/values.h"
#include "tools/table.h"
#include "tools/topics.h"

namespace fencepost::tools {

namespace {

using client::ClusterClient;
using client::Task;
using protocol::ErrorCode;

struct ProbeOptions {
  ClusterOptions cluster;
  std::string group;
  std::string transactional_id;
  std::string partition;
  bool is_json = false;
};

struct Probe {
  Table table{{"Subject", "Fact", "Value"}, {}};
  void add(const std::string& subject, const std::string& fact, std::string value) {
    table.rows.push_back({subject, fact, std::move(value)});
  }
};

std::string or_none(const std::optional<std::string>& text) {
  return text.value_or("-");
}

// Asks the group's coordinator, again while it moves or loads.
template <class Request>
Task<typename Request::Response> ask_coordinator(ClusterClient& cluster, std::string group,
                                                 Request request) {
  client::RetryPolicy policy;
  policy.time_max = cluster.options().connection.request_timeout;
  policy.repeat_unknown_outcome = true;
  client::Backoff backoff(policy, cluster.clock().now(), 0);
  while (true) {
    client::CallOptions call;
    call.fresh_lookup = backoff.needs_fresh_lookup();
    Request copy = request;
    Result<typename Request::Response> answer = co_await cluster.call_coordinator(
        client::CoordinatorType::group, group, std::move(copy), call);
    if (!answer || answer->groups.empty()) co_return answer;
    const std::optional<Instant> again =
        backoff.after(answer->groups.front().error_code, cluster.clock().now());
    if (!again.has_value()) co_return answer;
    co_await cluster.clock().sleep_until(*again);
  }
}

// Brokers before 4.0, and classic groups, answer neither; that is not an error here.
Task<bool> probe_consumer_group(ClusterClient& cluster, std::string group, Probe* probe) {
  protocol::ConsumerGroupDescribeRequest request;
  request.group_ids.push_back(group);
  Result<protocol::ConsumerGroupDescribeResponse> answer =
      co_await ask_coordinator(cluster, group, std::move(request));
  if (!answer && answer.error().kind == ErrorKind::unsupported_version) co_return false;
  if (!answer) co_return answer.error();
  if (answer->groups.empty() || answer->groups.front().error_code != ErrorCode::none)
    co_return false;
  const auto& described = answer->groups.front();
  const std::string subject = "group " + group;
  probe->add(subject, "protocol", "consumer");
  probe->add(subject, "state", described.group_state);
  probe->add(subject, "group epoch", std::to_string(described.group_epoch));
  probe->add(subject, "assignment epoch", std::to_string(described.assignment_epoch));
  for (const auto& member : described.members)
    probe->add(subject, "member " + member.member_id,
               "epoch " + std::to_string(member.member_epoch) + ", instance " +
                   or_none(member.instance_id) + ", client " + member.client_id + " at " +
                   member.client_host);
  co_return true;
}

Task<bool> probe_classic_group(ClusterClient& cluster, std::string group, Probe* probe) {
  protocol::DescribeGroupsRequest request;
  request.groups.push_back(group);
  Result<protocol::DescribeGroupsResponse> answer =
      co_await ask_coordinator(cluster, group, std::move(request));
  if (!answer) co_return answer.error();
  const std::string subject = "group " + group;
  if (answer->groups.empty()) co_return Error{ErrorKind::malformed, "the answer lacks " + group};
  const auto& described = answer->groups.front();
  if (described.error_code != ErrorCode::none) {
    probe->add(subject, "error", client::explained(described.error_code));
    co_return false;
  }
  probe->add(subject, "protocol",
             described.protocol_data.empty() ? "classic" : "classic, " + described.protocol_data);
  probe->add(subject, "state", described.group_state);
  // No request tells the generation of a classic group.
  probe->add(subject, "generation", "told to its members only");
  for (const auto& member : described.members)
    probe->add(subject, "member " + member.member_id,
               "instance " + or_none(member.group_instance_id) + ", client " + member.client_id +
                   " at " + member.client_host);
  co_return described.group_state != "Dead";
}

Task<bool> probe_transaction(ClusterClient& cluster, std::string transactional_id, Probe* probe) {
  Result<client::DescribedTransaction> described =
      co_await client::describe_transaction(cluster, transactional_id);
  if (!described) co_return described.error();
  const std::string subject = "transactional.id " + transactional_id;
  const auto& state = described->state;
  if (state.error_code != ErrorCode::none) {
    probe->add(subject, "error", client::explained(state.error_code));
    co_return false;
  }
  probe->add(subject, "coordinator", std::to_string(described->coordinator_id));
  probe->add(subject, "state", state.transaction_state);
  probe->add(subject, "producer id", std::to_string(state.producer_id));
  probe->add(subject, "producer epoch", std::to_string(state.producer_epoch));
  probe->add(subject, "timeout", std::to_string(state.transaction_timeout_ms) + " ms");
  // The start of the last transaction stays after its end.
  const bool is_open =
      state.transaction_state == "Ongoing" || state.transaction_state.starts_with("Prepare");
  if (is_open && state.transaction_start_time_ms >= 0)
    probe->add(
        subject, "open for",
        std::to_string(to_timestamp(cluster.clock().now()) - state.transaction_start_time_ms) +
            " ms");
  for (const auto& topic : state.topics)
    for (const std::int32_t partition : topic.partitions)
      probe->add(subject, "partition", topic.topic + "-" + std::to_string(partition));
  co_return true;
}

Task<std::int64_t> end_of(ClusterClient& cluster, client::TopicPartition partition,
                          client::IsolationLevel isolation_level) {
  Result<client::ListedOffset> listed =
      co_await client::list_offset(cluster, partition, client::latest_timestamp, isolation_level);
  if (!listed) co_return listed.error();
  if (listed->error_code != ErrorCode::none)
    co_return Error{ErrorKind::stalled,
                    to_string(partition) + ": " + to_string(listed->error_code)};
  co_return listed->offset;
}

Task<bool> probe_partition(ClusterClient& cluster, client::TopicPartition partition, Probe* probe) {
  Result<std::int64_t> stable =
      co_await end_of(cluster, partition, client::IsolationLevel::read_committed);
  if (!stable) co_return stable.error();
  Result<std::int64_t> end =
      co_await end_of(cluster, partition, client::IsolationLevel::read_uncommitted);
  if (!end) co_return end.error();
  const std::string subject = to_string(partition);
  probe->add(subject, "high watermark", std::to_string(*end));
  probe->add(subject, "last stable offset", std::to_string(*stable));
  std::vector<client::TopicPartition> partitions(1, partition);
  Result<std::vector<client::PartitionProducers>> producers =
      co_await client::describe_producers(cluster, std::move(partitions));
  if (!producers) co_return producers.error();
  for (const client::PartitionProducers& it : *producers)
    for (const client::ActiveProducer& producer : it.producers)
      probe->add(
          subject, "producer " + std::to_string(producer.producer_id),
          "epoch " + std::to_string(producer.producer_epoch) +
              (producer.current_txn_start_offset >= 0
                   ? ", open since offset " + std::to_string(producer.current_txn_start_offset)
                   : ", nothing open"));
  co_return *stable >= *end;
}

Task<bool> probe_all(ClusterClient& cluster, const ProbeOptions* options, Probe* probe) {
  bool is_clear = true;
  if (!options->group.empty()) {
    Result<bool> is_consumer = co_await probe_consumer_group(cluster, options->group, probe);
    if (!is_consumer) co_return is_consumer.error();
    if (!*is_consumer) {
      Result<bool> is_known = co_await probe_classic_group(cluster, options->group, probe);
      if (!is_known) co_return is_known.error();
      is_clear = *is_known;
    }
  }
  if (!options->transactional_id.empty()) {
    Result<bool> is_known = co_await probe_transaction(cluster, options->transactional_id, probe);
    if (!is_known) co_return is_known.error();
    is_clear = is_clear && *is_known;
  }
  if (const auto partition = scenario::parse_partition(options->partition)) {
    const client::TopicPartition probed{partition->topic, partition->partition};
    Result<void> exists = co_await require_partition(cluster, probed);
    if (!exists) co_return exists.error();
    Result<bool> is_stable = co_await probe_partition(cluster, probed, probe);
    if (!is_stable) co_return is_stable.error();
    is_clear = is_clear && *is_stable;
  }
  co_return is_clear;
}

int run(const ProbeOptions& options) {
  const bool is_partition_wrong =
      !options.partition.empty() && !scenario::parse_partition(options.partition);
  if (is_partition_wrong)
    return report_error("probe", Error{ErrorKind::invalid_argument,
                                       "'" + options.partition + "' is not TOPIC-PARTITION"});
  if (options.group.empty() && options.transactional_id.empty() && options.partition.empty())
    return report_error("probe", Error{ErrorKind::invalid_argument,
                                       "give --group, --transactional-id or --partition"});
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("probe", command.error());
  Probe probe;
  std::optional<Result<bool>> is_clear =
      (*command)->run(probe_all((*command)->cluster(), &options, &probe));
  if (!probe.table.rows.empty())
    fmt::print("{}", options.is_json ? to_json_lines(probe.table) : to_text(probe.table));
  if (!is_clear) return exit_unreachable;
  if (!is_clear->ok()) return report_error("probe", is_clear->error());
  return **is_clear ? exit_held : exit_not_held;
}

}  // namespace

void add_probe(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ProbeOptions>();
  CLI::App* probe = app.add_subcommand(
      "probe",
      "What fences a group and a transactional.id right now; exit code 1 when something is open "
      "or unknown");
  options->cluster.add_to(*probe);
  probe->add_option("--group", options->group, "Consumer group");
  probe->add_option("--transactional-id", options->transactional_id, "Of the producer");
  probe->add_option("--partition", options->partition, "Snapshot partition, as state-0");
  probe->add_flag("--json", options->is_json, "One JSON object a line");
  probe->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace fencepost::tools
