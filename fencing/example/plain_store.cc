// The plain design: the same steps without a transaction around them.
#include "client/response_error.h"
#include "fencing/example/state_store.h"
#include "protocol/messages/offset_commit.h"

namespace fencepost::fencing::example {

namespace {

client::TransactionalProducerOptions plain_producer(const PartitionOwnerOptions& options) {
  client::TransactionalProducerOptions producer;
  producer.pipeline = options.pipeline;
  return producer;
}

client::GroupMemberOptions group_of(const PartitionOwnerOptions& options) {
  client::GroupMemberOptions group;
  group.group_id = options.group_id;
  return group;
}

class PlainStore : public StateStore {
 public:
  PlainStore(asio::any_io_executor executor, client::ClusterClient& cluster,
             GenerationFence::LiveMetadata live, PartitionOwnerOptions options)
      : cluster_(cluster),
        live_(std::move(live)),
        options_(std::move(options)),
        producer_(std::move(executor), cluster, plain_producer(options_)),
        group_(cluster, group_of(options_)) {}

  client::Task<TakenOver> take_over() override {
    client::ProducerOutcome begun = co_await producer_.init();
    if (!begun.ok()) co_return Error{ErrorKind::stalled, begun.text};
    Result<std::int64_t> offset = co_await committed_offset(cluster_, options_);
    if (!offset) co_return offset.error();
    Result<Recovery> recovery =
        co_await recover_snapshots(cluster_, options_.snapshots, options_.recovery);
    if (!recovery) co_return recovery.error();
    offset_ = committed_ = *offset;
    moved_at_ = cluster_.clock().now();
    co_return TakenOver{std::move(recovery).value(), *offset};
  }

  asio::awaitable<std::vector<WriteOutcome>> write_all(std::vector<Snapshot> snapshots) override {
    for (const Snapshot& snapshot : snapshots) {
      protocol::NewRecord record;
      record.timestamp = protocol::no_timestamp;
      record.key = snapshot.key;
      record.value = snapshot.value;
      producer_.append(options_.snapshots, std::move(record));
    }
    client::ProducerOutcome flushed = co_await producer_.flush();
    WriteOutcome outcome;
    if (!flushed.ok()) outcome.status = WriteStatus::unknown_outcome;
    outcome.text = flushed.text;
    co_return std::vector<WriteOutcome>(snapshots.size(), outcome);
  }

  void advance(std::int64_t offset) override { offset_ = offset; }

  asio::awaitable<WriteOutcome> commit_when_due() override {
    const Instant now = cluster_.clock().now();
    if (offset_ == committed_ || now < moved_at_ + options_.commit_interval)
      co_return WriteOutcome();
    co_return co_await release();
  }

  asio::awaitable<WriteOutcome> release() override {
    std::vector<client::CommittedOffset> offsets(1);
    offsets.front().partition = options_.input;
    offsets.front().offset = offset_;
    const client::GroupMetadata shown = live_();
    client::MemberOverrides as_shown;
    as_shown.generation = shown.generation;
    as_shown.member_id = shown.member_id;
    Result<protocol::OffsetCommitResponse> answer =
        co_await group_.offset_commit(std::move(offsets), as_shown);
    WriteOutcome outcome;
    if (!answer) {
      outcome.status = WriteStatus::unknown_outcome;
      outcome.text = answer.error().text;
    } else if (client::first_error(*answer) != protocol::ErrorCode::none) {
      outcome.status = WriteStatus::fenced;
      outcome.error_code = client::first_error(*answer);
    } else {
      committed_ = offset_;
      moved_at_ = cluster_.clock().now();
    }
    co_return outcome;
  }

  asio::awaitable<void> abandon() override { co_return; }

 private:
  client::ClusterClient& cluster_;
  GenerationFence::LiveMetadata live_;
  PartitionOwnerOptions options_;
  client::TransactionalProducer producer_;
  client::GroupMember group_;
  std::int64_t offset_ = 0;
  std::int64_t committed_ = 0;
  Instant moved_at_{};
};

}  // namespace

std::unique_ptr<StateStore> make_plain_store(asio::any_io_executor executor,
                                             client::ClusterClient& cluster,
                                             GenerationFence::LiveMetadata live,
                                             PartitionOwnerOptions options) {
  return std::make_unique<PlainStore>(std::move(executor), cluster, std::move(live),
                                      std::move(options));
}

}  // namespace fencepost::fencing::example
