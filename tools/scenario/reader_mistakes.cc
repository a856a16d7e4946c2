// Most mistakes are a right answer used wrongly; only who misreads the list of aborted transactions
// has to walk the batches for himself.
#include "tools/scenario/reader_mistakes.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "protocol/records/record_batch.h"

namespace fencepost::scenario {

namespace {

using client::IsolationLevel;
using protocol::RecordBatchView;
using PartitionData = protocol::FetchResponse::PartitionData;

constexpr std::array<std::pair<std::string_view, ReaderMistake>, 6> names{{
    {"waits_for_last_record", ReaderMistake::waits_for_last_record},
    {"ignores_empty_polls", ReaderMistake::ignores_empty_polls},
    {"filters_nothing", ReaderMistake::filters_nothing},
    {"trusts_list_order", ReaderMistake::trusts_list_order},
    {"expects_every_abort", ReaderMistake::expects_every_abort},
    {"moves_by_records", ReaderMistake::moves_by_records},
}};

bool is_abort_marker(const RecordBatchView& batch) {
  const auto marker = protocol::read_marker(batch);
  return marker && marker->has_value() && (*marker)->type == protocol::ControlType::abort;
}

// The producers whose aborted transaction is open at the current batch, when the list is a queue.
class ListInOrder {
 public:
  explicit ListInOrder(const PartitionData& answer) {
    if (answer.aborted_transactions) listed_ = *answer.aborted_transactions;
  }
  void advance_to(std::int64_t offset) {
    for (; next_ < listed_.size() && listed_[next_].first_offset <= offset; ++next_)
      open_.insert(listed_[next_].producer_id);
  }
  // False when that producer was not among them.
  bool end(std::int64_t producer_id) { return open_.erase(producer_id) != 0; }
  bool contains(std::int64_t producer_id) const { return open_.count(producer_id) != 0; }

 private:
  std::vector<protocol::FetchResponse::AbortedTransaction> listed_;
  std::size_t next_ = 0;
  std::set<std::int64_t> open_;
};

// The records among `visible`, all of the answer, that a reader gives out who trusts the order.
Result<void> walk_the_list(const PartitionData& answer, bool falls_over, Poll& poll) {
  const auto batches = protocol::open_batches(answer.records.value_or(protocol::Records{}).bytes);
  if (!batches) return batches.error();
  ListInOrder aborted(answer);
  const std::vector<protocol::Record> all = std::exchange(poll.records, {});
  for (const RecordBatchView& batch : *batches) {
    const protocol::RecordBatchHeader& header = batch.header();
    aborted.advance_to(header.last_offset());
    if (header.is_control_batch()) {
      const bool is_known = aborted.end(header.producer_id);
      if (falls_over && is_abort_marker(batch) && !is_known) poll.has_fallen_over = true;
    } else if (!header.is_transactional() || !aborted.contains(header.producer_id)) {
      for (const protocol::Record& record : all)
        if (record.offset >= header.base_offset && record.offset <= header.last_offset())
          poll.records.push_back(record);
    }
  }
  return {};
}

}  // namespace

std::optional<ReaderMistake> parse_reader_mistake(std::string_view name) {
  for (const auto& [known, mistake] : names)
    if (known == name) return mistake;
  return std::nullopt;
}

Result<Poll> take_poll(const PartitionData& answer, std::int64_t offset, IsolationLevel isolation,
                       std::optional<ReaderMistake> mistake) {
  const bool walks =
      mistake == ReaderMistake::trusts_list_order || mistake == ReaderMistake::expects_every_abort;
  const bool sees_all = walks || mistake == ReaderMistake::filters_nothing;
  auto visible = client::visible_records(answer, offset,
                                         sees_all ? IsolationLevel::read_uncommitted : isolation);
  if (!visible) return visible.error();
  Poll poll{std::move(visible->records), visible->position, false};
  if (walks) {
    const Result<void> walked =
        walk_the_list(answer, mistake == ReaderMistake::expects_every_abort, poll);
    if (!walked) return walked.error();
  }
  if (mistake == ReaderMistake::moves_by_records)
    poll.position = poll.records.empty() ? offset : poll.records.back().offset + 1;
  return poll;
}

bool is_finished(const Poll& poll, std::int64_t end, std::optional<ReaderMistake> mistake) {
  if (mistake == ReaderMistake::waits_for_last_record)
    return !poll.records.empty() && poll.records.back().offset + 1 >= end;
  if (mistake == ReaderMistake::ignores_empty_polls && poll.records.empty()) return false;
  return poll.position >= end;
}

}  // namespace fencepost::scenario
