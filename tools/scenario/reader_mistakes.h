// How readers get the answer of a Fetch wrong. Each is a mistake that a client has really made, as
// a `read` of a scenario can be told to make it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "client/visible_records.h"
#include "protocol/base/result.h"
#include "protocol/messages/fetch.h"

namespace fencepost::scenario {

enum class ReaderMistake {
  // It ends when the record in front of the end has come. A marker there never comes.
  waits_for_last_record,
  // It looks at its position only after a poll that gave records.
  ignores_empty_polls,
  // It believes that the broker leaves out what is aborted.
  filters_nothing,
  // It walks the list of aborted transactions beside the batches, in the order in which it came.
  trusts_list_order,
  // It falls over at an ABORT marker of a producer that is not in the list.
  expects_every_abort,
  // Its position is behind the last record that it gave out; it does not move for what it left out.
  moves_by_records,
};

// For the verb table: "waits_for_last_record|...".
constexpr std::string_view reader_mistake_choices =
    "waits_for_last_record|ignores_empty_polls|filters_nothing|trusts_list_order|"
    "expects_every_abort|moves_by_records";
std::optional<ReaderMistake> parse_reader_mistake(std::string_view name);

// What one answer gives to a reader.
struct Poll {
  std::vector<protocol::Record> records;
  std::int64_t position = 0;
  bool has_fallen_over = false;
};

// Errors: malformed, as client::visible_records().
Result<Poll> take_poll(const protocol::FetchResponse::PartitionData& answer, std::int64_t offset,
                       client::IsolationLevel isolation, std::optional<ReaderMistake> mistake);
// Whether a reader that wants everything in front of `end` stops after this poll.
bool is_finished(const Poll& poll, std::int64_t end, std::optional<ReaderMistake> mistake);

}  // namespace fencepost::scenario
