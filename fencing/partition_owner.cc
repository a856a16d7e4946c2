// The order of the takeover is the point: read first and take the id afterwards, and the old owner
// could still commit in between.
#include "fencing/partition_owner.h"

#include "client/explained.h"
#include "client/reader.h"
#include "client/retry.h"

namespace fencepost::fencing {

namespace {

using client::Task;
using protocol::ErrorCode;

client::TransactionalProducerOptions producer_options(const PartitionOwnerOptions& options) {
  client::TransactionalProducerOptions producer;
  producer.transactional_id = transactional_id_of(options);
  producer.transaction_timeout = options.transaction_timeout;
  producer.pipeline = options.pipeline;
  return producer;
}

Task<protocol::OffsetFetchResponse> fetch_once(client::GroupMember* group,
                                               client::TopicPartition partition, bool fresh) {
  client::MemberOverrides overrides;
  overrides.call.fresh_lookup = fresh;
  std::vector<client::TopicPartition> partitions(1, std::move(partition));
  co_return co_await group->offset_fetch(std::move(partitions), true, overrides);
}

}  // namespace

std::string transactional_id_of(const PartitionOwnerOptions& options) {
  return options.transactional_id_prefix + "-" + to_string(options.snapshots);
}

PartitionOwner::PartitionOwner(asio::any_io_executor executor, client::ClusterClient& cluster,
                               GenerationFence::LiveMetadata live, PartitionOwnerOptions options)
    : executor_(executor),
      cluster_(cluster),
      live_(std::move(live)),
      options_(std::move(options)),
      producer_(std::move(executor), cluster, producer_options(options_)) {}

Task<std::int64_t> committed_offset(client::ClusterClient& cluster,
                                    const PartitionOwnerOptions& options) {
  // Topic ids are known only to who has looked the topic up.
  Result<std::shared_ptr<client::Connection>> leader = co_await cluster.leader_of(options.input);
  if (!leader) co_return leader.error();
  client::GroupMemberOptions group_options;
  group_options.group_id = options.group_id;
  client::GroupMember group(cluster, std::move(group_options));
  client::RetryPolicy policy;
  policy.time_max = options.recovery.stall_timeout;
  policy.backoff_first = milliseconds(5);
  policy.repeat_unknown_outcome = true;
  client::Attempt<protocol::OffsetFetchResponse> attempt = [&group, &options](bool fresh) {
    return fetch_once(&group, options.input, fresh);
  };
  Result<protocol::OffsetFetchResponse> fetched =
      co_await client::run_with_retries(cluster.clock(), policy, options.pipeline.seed, attempt);
  if (!fetched) co_return fetched.error();
  const ErrorCode code = client::first_error(*fetched);
  if (code != ErrorCode::none)
    co_return Error{ErrorKind::stalled, "the offset of group " + options.group_id + " on " +
                                            to_string(options.input) +
                                            " is not given: " + client::explained(code)};
  for (const client::FetchedOffset& it : client::fetched_offsets(*fetched))
    if (it.partition == options.input && it.offset >= 0) co_return it.offset;
  co_return co_await client::list_offset_within(cluster, options.input, client::earliest_timestamp,
                                                client::IsolationLevel::read_uncommitted,
                                                options.recovery.stall_timeout);
}

Task<TakenOver> PartitionOwner::take_over() {
  client::ProducerOutcome taken = co_await producer_.init();
  if (!taken.ok())
    co_return Error{ErrorKind::stalled,
                    to_string(options_.snapshots) + " cannot be taken over: " + taken.text};
  Result<std::int64_t> offset = co_await committed_offset(cluster_, options_);
  if (!offset) co_return offset.error();
  Result<Recovery> recovery =
      co_await recover_snapshots(cluster_, options_.snapshots, options_.recovery);
  if (!recovery) co_return recovery.error();
  SnapshotWriterOptions writer;
  writer.snapshots = options_.snapshots;
  writer.input = options_.input;
  writer.assigned_offset = offset.value();
  writer.cap = options_.cap;
  writer.commit_interval = options_.commit_interval;
  writer_ = std::make_unique<SnapshotWriter>(executor_, cluster_.clock(), producer_, live_,
                                             std::move(writer));
  co_return TakenOver{std::move(recovery).value(), offset.value()};
}

SnapshotWriter& PartitionOwner::writer() {
  CHECK(writer_ != nullptr);
  return *writer_;
}

asio::awaitable<WriteOutcome> PartitionOwner::release() {
  if (writer_ == nullptr) co_return WriteOutcome();
  writer_->close();
  WriteOutcome outcome = co_await writer_->commit_offset();
  co_await writer_->wait_until_idle();
  co_return outcome;
}

asio::awaitable<void> PartitionOwner::abandon() {
  if (writer_ == nullptr) co_return;
  writer_->close();
  co_await writer_->wait_until_idle();
}

}  // namespace fencepost::fencing
