#include "fencing/example/partition_service.h"

namespace fencepost::fencing::example {

namespace {

constexpr Duration fetch_wait = milliseconds(100);
constexpr Duration pause_after_refusal = milliseconds(100);
// How long whoever the group refuses waits for the membership to notice.
constexpr Duration patience_with_group = std::chrono::seconds(5);

client::FetchOptions reading() {
  client::FetchOptions options;
  options.max_wait = fetch_wait;
  options.call.own_connection = true;
  return options;
}

}  // namespace

PartitionService::PartitionService(asio::any_io_executor executor, client::ClusterClient& cluster,
                                   client::TopicPartition input, GenerationFence::LiveMetadata live,
                                   MakeStore make_store, Notice notice)
    : cluster_(cluster),
      input_(std::move(input)),
      live_(std::move(live)),
      make_store_(std::move(make_store)),
      notice_(std::move(notice)),
      reader_(cluster_, input_, reading()),
      stopping_(executor),
      ended_(executor) {}

asio::awaitable<void> PartitionService::run() {
  while (!is_stopping_) {
    const bool is_ours = co_await take_over();
    if (is_ours)
      co_await serve();
    else
      co_await pause();
  }
  co_await give_up();
  ended_.set();
}

asio::awaitable<void> PartitionService::stop(bool is_lost) {
  is_lost_ = is_lost;
  is_stopping_ = true;
  stopping_.set();
  if (!ended_.is_set()) co_await ended_.wait();
}

asio::awaitable<void> PartitionService::pause() {
  const Instant until = cluster_.clock().now() + pause_after_refusal;
  co_await client::wait_until(stopping_, cluster_.clock(), until);
}

// A stale owner that went on trying would fence the valid one, be fenced by its takeover, take over
// itself, and so on until its next heartbeat.
asio::awaitable<void> PartitionService::wait_for_group(client::GroupMetadata shown) {
  const Instant deadline = cluster_.clock().now() + patience_with_group;
  while (!is_stopping_ && live_() == shown && cluster_.clock().now() < deadline) co_await pause();
}

asio::awaitable<bool> PartitionService::take_over() {
  store_ = make_store_();
  Result<TakenOver> taken = co_await store_->take_over();
  if (!taken) {
    store_.reset();
    if (!is_stopping_) notice_(to_string(input_) + ": " + taken.error().text);
    co_return false;
  }
  state_.clear();
  changed_.clear();
  for (const auto& [key, value] : taken->recovery.snapshots) {
    const std::optional<Tally> tally = parse_tally(value.text());
    if (tally.has_value()) state_[key] = *tally;
  }
  reader_.seek(taken->offset);
  notice_(to_string(input_) + ": taken over at offset " + std::to_string(taken->offset) + " with " +
          std::to_string(state_.size()) + " keys");
  co_return true;
}

asio::awaitable<void> PartitionService::serve() {
  while (!is_stopping_) {
    client::GroupMetadata shown = live_();
    const Step step = co_await read_and_write();
    if (step == Step::take_over) co_return;
    if (step == Step::pause) co_await pause();
    if (step == Step::wait_for_group) co_await wait_for_group(std::move(shown));
  }
}

// One fetch, and the snapshots of what it changed. A snapshot may be ahead of the offset from which
// the input is read again: fold() knows what is in it already.
asio::awaitable<PartitionService::Step> PartitionService::read_and_write() {
  Result<client::Fetched> fetched = co_await reader_.poll();
  if (fetched.ok() && fetched->error_code == protocol::ErrorCode::offset_out_of_range)
    co_return co_await find_position(fetched->truncation);
  if (!fetched || fetched->error_code != protocol::ErrorCode::none) co_return Step::pause;
  for (const protocol::Record& record : fetched->records) {
    const std::string key(record.key.has_value() ? record.key->text() : std::string_view());
    const std::string_view value =
        record.value.has_value() ? record.value->text() : std::string_view();
    const Tally folded = fold(state_[key], record.offset, value);
    if (folded == state_[key]) continue;
    state_[key] = folded;
    changed_[key] = folded;
  }
  co_return co_await write_changes();
}

// The events at the position are gone. What the state holds of them stays in it: an application for
// which that is wrong would have to fold again from older snapshots.
asio::awaitable<PartitionService::Step> PartitionService::find_position(
    std::optional<client::Truncation> truncation) {
  if (truncation.has_value())
    notice_(to_string(input_) + " was truncated: " + to_string(*truncation));
  if (truncation.has_value() && truncation->end_offset.has_value()) {
    reader_.seek(*truncation->end_offset, truncation->end_epoch);
    co_return Step::go_on;
  }
  Result<client::ListedOffset> start = co_await client::list_offset(
      cluster_, input_, client::earliest_timestamp, client::IsolationLevel::read_uncommitted);
  if (!start || start->error_code != protocol::ErrorCode::none) co_return Step::pause;
  notice_(to_string(input_) + ": offset " + std::to_string(reader_.position()) +
          " is gone, reading goes on at the log's start, " + std::to_string(start->offset));
  reader_.seek(start->offset);
  co_return Step::go_on;
}

asio::awaitable<PartitionService::Step> PartitionService::write_changes() {
  std::vector<Snapshot> snapshots;
  std::vector<std::string> keys;
  for (const auto& [key, tally] : changed_) {
    const std::string value = to_string(tally);
    Snapshot& snapshot = snapshots.emplace_back();
    snapshot.key = SharedBytes::copy_of(std::string_view(key));
    snapshot.value = SharedBytes::copy_of(std::string_view(value));
    keys.push_back(key);
  }
  if (!snapshots.empty()) {
    const std::vector<WriteOutcome> outcomes = co_await store_->write_all(std::move(snapshots));
    Step worst = Step::go_on;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (outcomes[i].ok()) changed_.erase(keys[i]);
      const Step step = step_after(outcomes[i]);
      if (step > worst) worst = step;
    }
    if (worst != Step::go_on) co_return worst;
  }
  // Every event below the position is in a snapshot that is committed.
  store_->advance(reader_.position());
  const WriteOutcome committed = co_await store_->commit_when_due();
  co_return step_after(committed);
}

PartitionService::Step PartitionService::step_after(const WriteOutcome& outcome) {
  switch (outcome.status) {
    case WriteStatus::committed:
      return Step::go_on;
    // The membership says soon whether the partition is still ours.
    case WriteStatus::aborted:
    case WriteStatus::unknown_generation:
    case WriteStatus::closed:
      return Step::pause;
    case WriteStatus::fenced: {
      const bool is_by_group = verdict_of(outcome.error_code).outcome == FenceOutcome::fenced;
      return is_by_group ? Step::wait_for_group : Step::take_over;
    }
    case WriteStatus::unknown_outcome:
    case WriteStatus::failed:
      notice_(to_string(input_) + ": " + std::string(to_string(outcome.status)) + ": " +
              outcome.text);
      return Step::take_over;
  }
  return Step::take_over;
}

asio::awaitable<void> PartitionService::give_up() {
  co_await reader_.close();
  if (store_ == nullptr) co_return;
  if (is_lost_) {
    co_await store_->abandon();
    notice_(to_string(input_) + ": lost");
    co_return;
  }
  const WriteOutcome outcome = co_await store_->release();
  notice_(to_string(input_) + ": given up, " + std::string(to_string(outcome.status)) +
          (outcome.text.empty() ? "" : ": " + outcome.text));
}

}  // namespace fencepost::fencing::example
