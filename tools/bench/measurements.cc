#include "tools/bench/measurements.h"

#include <algorithm>

namespace fencepost::tools {

namespace {

using client::ProducerOutcome;
using client::Task;

// Appending asks for room once in so many records.
constexpr std::int64_t records_between_room = 256;

protocol::NewRecord record_of(std::int64_t number, const SharedBytes& value) {
  const std::string key = "key-" + std::to_string(number);
  protocol::NewRecord record;
  record.timestamp = protocol::no_timestamp;
  record.key = SharedBytes::copy_of(std::string_view(key));
  record.value = value;
  return record;
}

// Bytes that no codec makes smaller.
SharedBytes value_of(std::size_t bytes) {
  Random random(bytes, "value");
  ByteVector value(bytes);
  for (std::uint8_t& byte : value) byte = static_cast<std::uint8_t>(random.below(256));
  return SharedBytes(std::move(value));
}

std::vector<fencing::Snapshot> snapshots_of(std::int64_t count, std::size_t bytes) {
  const SharedBytes value = value_of(bytes);
  std::vector<fencing::Snapshot> snapshots;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string key = "key-" + std::to_string(i);
    snapshots.push_back({SharedBytes::copy_of(std::string_view(key)), value});
  }
  return snapshots;
}

Error failed(const std::string& text) {
  return Error{ErrorKind::stalled, text};
}

Error interrupted() {
  return failed("interrupted");
}

client::GroupMembershipOptions membership_options(const Workload& workload) {
  client::GroupMembershipOptions options;
  options.member.group_id = "group-" + workload.name;
  options.member.topics.push_back(workload.input);
  return options;
}

asio::awaitable<void> keep_running(client::GroupMembership* membership,
                                   std::shared_ptr<std::optional<Result<void>>> end) {
  end->emplace(co_await membership->run());
}

// One-record transactions until the time is over; how many, or -1 when one failed.
asio::awaitable<std::int64_t> commit_until(client::TransactionalProducer* producer,
                                           client::TopicPartition partition, client::Clock* clock,
                                           Instant end, const bool* should_stop) {
  const SharedBytes value = value_of(100);
  std::int64_t committed = 0;
  while (clock->now() < end && !*should_stop) {
    ProducerOutcome begun = co_await producer->begin();
    if (!begun.ok()) co_return -1;
    producer->append(partition, record_of(committed, value));
    ProducerOutcome outcome = co_await producer->commit();
    if (!outcome.ok()) co_return -1;
    ++committed;
  }
  co_return committed;
}

asio::awaitable<void> count_commits(client::TransactionalProducer* producer,
                                    client::TopicPartition partition, client::Clock* clock,
                                    Instant end, const bool* should_stop,
                                    std::vector<std::int64_t>* counts, client::Event* counted) {
  const std::int64_t count =
      co_await commit_until(producer, std::move(partition), clock, end, should_stop);
  counts->push_back(count);
  counted->set();
}

}  // namespace

Measurements::Measurements(ClusterCommand& command, Workload workload)
    : command_(command),
      workload_(std::move(workload)),
      output_{workload_.output, 0},
      group_cluster_(command.make_client()),
      second_cluster_(command.make_client()),
      membership_(*group_cluster_, membership_options(workload_), {}) {}

std::unique_ptr<client::TransactionalProducer> Measurements::make_producer(
    std::string transactional_id, client::ClusterClient& cluster) {
  client::TransactionalProducerOptions options;
  if (!transactional_id.empty()) options.transactional_id = std::move(transactional_id);
  return std::make_unique<client::TransactionalProducer>(command_.io().get_executor(), cluster,
                                                         std::move(options));
}

std::unique_ptr<fencing::SnapshotWriter> Measurements::make_writer(std::size_t cap) {
  fencing::SnapshotWriterOptions options;
  options.snapshots = output_;
  options.input = {workload_.input, 0};
  options.assigned_offset = offset_;
  options.cap = cap;
  options.commit_interval = Duration();
  return std::make_unique<fencing::SnapshotWriter>(
      command_.io().get_executor(), command_.clock(), *transactional_,
      [this] { return membership_.metadata(); }, std::move(options));
}

Task<void> Measurements::begin() {
  membership_end_ = std::make_shared<std::optional<Result<void>>>();
  asio::co_spawn(command_.io(), keep_running(&membership_, membership_end_), asio::detached);
  const Instant deadline = command_.clock().now() + std::chrono::seconds(30);
  while (membership_.metadata().generation < 0) {
    if (is_stopping_) co_return interrupted();
    if (membership_end_->has_value() && !(*membership_end_)->ok())
      co_return (*membership_end_)->error();
    if (command_.clock().now() > deadline) co_return failed("the group gives no assignment");
    co_await command_.clock().sleep_until(command_.clock().now() + milliseconds(10));
  }
  plain_ = make_producer("", command_.cluster());
  transactional_ = make_producer("txn-" + workload_.name, command_.cluster());
  ProducerOutcome outcome = co_await plain_->init();
  if (outcome.ok()) outcome = co_await transactional_->init();
  if (!outcome.ok()) co_return failed(outcome.text);
  co_return Result<void>();
}

Task<void> Measurements::end() {
  if (membership_end_ == nullptr) co_return Result<void>();
  membership_.stop();
  while (!membership_end_->has_value())
    co_await command_.clock().sleep_until(command_.clock().now() + milliseconds(5));
  co_return Result<void>();
}

Task<Measured> Measurements::one_at_a_time(std::int64_t records, std::size_t bytes) {
  const SharedBytes value = value_of(bytes);
  const Instant start = command_.clock().now();
  for (std::int64_t i = 0; i < records; ++i) {
    if (is_stopping_) co_return interrupted();
    plain_->append(output_, record_of(i, value));
    ProducerOutcome outcome = co_await plain_->flush();
    if (!outcome.ok()) co_return failed(outcome.text);
  }
  co_return Measured{command_.clock().now() - start, 0, records};
}

Task<Measured> Measurements::plain(std::int64_t records, std::size_t bytes) {
  const SharedBytes value = value_of(bytes);
  std::vector<protocol::NewRecord> made;
  for (std::int64_t i = 0; i < records; ++i) made.push_back(record_of(i, value));
  const Instant start = command_.clock().now();
  for (std::int64_t i = 0; i < records; ++i) {
    plain_->append(output_, std::move(made[static_cast<std::size_t>(i)]));
    if (i % records_between_room == 0) co_await plain_->wait_for_room();
  }
  ProducerOutcome outcome = co_await plain_->flush();
  if (!outcome.ok()) co_return failed(outcome.text);
  co_return Measured{command_.clock().now() - start, 0, records};
}

Task<Measured> Measurements::serial(std::int64_t records, std::size_t bytes) {
  std::vector<fencing::Snapshot> snapshots = snapshots_of(records, bytes);
  const std::unique_ptr<fencing::SnapshotWriter> writer = make_writer(1);
  const Instant start = command_.clock().now();
  for (fencing::Snapshot& snapshot : snapshots) {
    if (is_stopping_) co_return interrupted();
    writer->advance(++offset_);
    fencing::WriteOutcome outcome = co_await writer->write(std::move(snapshot));
    if (!outcome.ok()) co_return failed(outcome.text);
  }
  co_return Measured{command_.clock().now() - start, writer->counts().transactions, records};
}

Task<Measured> Measurements::group(std::size_t cap, std::int64_t records, std::size_t bytes) {
  std::vector<fencing::Snapshot> snapshots = snapshots_of(records, bytes);
  const std::unique_ptr<fencing::SnapshotWriter> writer = make_writer(cap);
  writer->advance(++offset_);
  const Instant start = command_.clock().now();
  const std::vector<fencing::WriteOutcome> outcomes =
      co_await writer->write_all(std::move(snapshots));
  const Duration time = command_.clock().now() - start;
  for (const fencing::WriteOutcome& outcome : outcomes)
    if (!outcome.ok()) co_return failed(outcome.text);
  co_return Measured{time, writer->counts().transactions, records};
}

Task<Measured> Measurements::rate(int producers, Duration duration) {
  std::vector<std::unique_ptr<client::TransactionalProducer>> all;
  for (int i = 0; i < producers; ++i) {
    all.push_back(
        make_producer("rate-" + workload_.name + "-" + std::to_string(i), command_.cluster()));
    ProducerOutcome begun = co_await all.back()->init();
    if (!begun.ok()) co_return failed(begun.text);
  }
  std::vector<std::int64_t> counts;
  client::Event counted(command_.io().get_executor());
  const Instant start = command_.clock().now();
  for (const auto& producer : all)
    asio::co_spawn(command_.io(),
                   count_commits(producer.get(), output_, &command_.clock(), start + duration,
                                 &is_stopping_, &counts, &counted),
                   asio::detached);
  while (counts.size() < all.size()) {
    counted.reset();
    co_await counted.wait();
  }
  if (is_stopping_) co_return interrupted();
  Measured measured;
  measured.time = command_.clock().now() - start;
  for (const std::int64_t count : counts) {
    if (count < 0) co_return failed("a transaction was not committed");
    measured.transactions += count;
  }
  measured.records = measured.transactions;
  co_return measured;
}

Task<Measured> Measurements::takeover(bool leaves_open) {
  const std::string id = "take-" + workload_.name + "-" + std::to_string(++takeovers_);
  const auto first = make_producer(id, command_.cluster());
  ProducerOutcome outcome = co_await first->init();
  if (outcome.ok()) outcome = co_await first->begin();
  if (!outcome.ok()) co_return failed(outcome.text);
  first->append(output_, record_of(0, value_of(100)));
  // Not as one conditional expression: GCC 12 destroys a temporary of it twice.
  if (leaves_open)
    outcome = co_await first->flush();
  else
    outcome = co_await first->commit();
  if (!outcome.ok()) co_return failed(outcome.text);
  // The markers of the closed one are not what is measured.
  if (!leaves_open)
    co_await command_.clock().sleep_until(command_.clock().now() + milliseconds(200));
  std::string key = id;
  Result<std::shared_ptr<client::Connection>> connected = co_await second_cluster_->coordinator_of(
      client::CoordinatorType::transaction, std::move(key));
  if (!connected) co_return connected.error();
  const auto second = make_producer(id, *second_cluster_);
  const Instant start = command_.clock().now();
  outcome = co_await second->init();
  if (!outcome.ok()) co_return failed(outcome.text);
  co_return Measured{command_.clock().now() - start, 0, 0};
}

Task<Latencies> Measurements::latency(std::int64_t records, std::size_t bytes) {
  const SharedBytes value = value_of(bytes);
  std::vector<Duration> times;
  for (std::int64_t i = 0; i < records; ++i) {
    if (is_stopping_) co_return interrupted();
    protocol::NewRecord record = record_of(i, value);
    const Instant start = command_.clock().now();
    plain_->append(output_, std::move(record));
    ProducerOutcome outcome = co_await plain_->flush();
    if (!outcome.ok()) co_return failed(outcome.text);
    times.push_back(command_.clock().now() - start);
  }
  if (times.empty()) co_return failed("nothing to measure");
  std::ranges::sort(times);
  co_return Latencies{times[times.size() / 2], times[times.size() * 99 / 100]};
}

}  // namespace fencepost::tools
