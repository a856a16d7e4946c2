// The aborted list against the batches: what read_committed shows.
#include "client/visible_records.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ControlType;

namespace {

// A fetch answer, put together batch by batch.
class AnswerBuilder {
 public:
  AnswerBuilder& data(std::int64_t producer_id, const std::vector<std::string>& values,
                      bool is_transactional = true) {
    protocol::RecordBatchOptions options;
    options.producer_id = producer_id;
    options.producer_epoch = 0;
    options.base_sequence = 0;
    options.is_transactional = is_transactional;
    std::vector<protocol::NewRecord> records;
    for (const std::string& value : values)
      records.push_back({0, std::nullopt, SharedBytes::copy_of(value)});
    return append(protocol::build_batch(options, records));
  }
  AnswerBuilder& marker(std::int64_t producer_id, ControlType type) {
    return append(protocol::build_marker({type, 0}, producer_id, 0, 0));
  }
  AnswerBuilder& aborted(std::int64_t producer_id, std::int64_t first_offset) {
    protocol::FetchResponse::AbortedTransaction entry;
    entry.producer_id = producer_id;
    entry.first_offset = first_offset;
    answer_.aborted_transactions->push_back(entry);
    return *this;
  }
  // As if the answer had been cut off so many bytes earlier.
  AnswerBuilder& cut(std::size_t bytes) {
    bytes_.resize(bytes_.size() - bytes);
    return *this;
  }
  // The answer without the batches that end before the offset, as a broker sends it.
  AnswerBuilder& from(std::int64_t offset) {
    while (true) {
      const auto view = protocol::RecordBatchView::open(SharedBytes::copy_of(bytes_)).value();
      if (view.header().last_offset() >= offset) return *this;
      bytes_.erase(bytes_.begin(),
                   bytes_.begin() + static_cast<std::ptrdiff_t>(view.header().size_bytes()));
    }
  }
  void damage_last_byte() { bytes_.back() ^= 1; }
  protocol::FetchResponse::PartitionData build() {
    answer_.records = protocol::Records{SharedBytes::copy_of(bytes_)};
    return answer_;
  }

 private:
  AnswerBuilder& append(const SharedBytes& batch) {
    const auto view = protocol::RecordBatchView::open(batch).value();
    const SharedBytes placed = protocol::with_offset(view, end_, 0);
    end_ += view.header().last_offset_delta + 1;
    bytes_.insert(bytes_.end(), placed.view().begin(), placed.view().end());
    return *this;
  }

  protocol::FetchResponse::PartitionData answer_;
  ByteVector bytes_;
  std::int64_t end_ = 0;
};

std::string values(const VisibleRecords& visible) {
  std::string text;
  for (const auto& record : visible.records) text += std::string(record.value->text()) + " ";
  return text;
}

VisibleRecords committed(AnswerBuilder& builder, std::int64_t offset = 0) {
  return visible_records(builder.build(), offset, IsolationLevel::read_committed).value();
}

}  // namespace

TEST_CASE("Aborted data is left out under read_committed and shown under read_uncommitted",
          "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).marker(1, ControlType::abort).data(2, {"b"}).marker(2, ControlType::commit);
  log.aborted(1, 0);
  CHECK(values(committed(log)) == "b ");
  CHECK(committed(log).position == 4);
  const auto all = visible_records(log.build(), 0, IsolationLevel::read_uncommitted).value();
  CHECK(values(all) == "a b ");
  CHECK(all.position == 4);
}

TEST_CASE("The aborted list is used in the order of first offsets, however it comes", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).data(2, {"b"}).marker(2, ControlType::abort).marker(1, ControlType::abort);
  log.aborted(2, 1).aborted(1, 0);
  CHECK(values(committed(log)) == "");
  CHECK(committed(log).position == 4);
}

TEST_CASE("A producer that aborts and then commits shows its committed data", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).marker(1, ControlType::abort).data(1, {"b"}).marker(1, ControlType::commit);
  log.data(1, {"c"}).marker(1, ControlType::abort);
  log.aborted(1, 0).aborted(1, 4);
  CHECK(values(committed(log)) == "b ");
}

TEST_CASE("An ABORT marker of a producer that is not listed ends nothing", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).marker(1, ControlType::abort).data(2, {"b"}).marker(2, ControlType::commit);
  log.from(1);
  CHECK(values(committed(log, 1)) == "b ");
  CHECK(committed(log, 1).position == 4);
}

TEST_CASE("Nothing but control records moves the position", "[client]") {
  AnswerBuilder log;
  log.marker(1, ControlType::commit).marker(2, ControlType::abort);
  CHECK(committed(log).records.empty());
  CHECK(committed(log).position == 2);
}

TEST_CASE("Batches of aborted transactions alone move the position", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a", "b", "c"}).aborted(1, 0);
  CHECK(committed(log).records.empty());
  CHECK(committed(log).position == 3);
}

TEST_CASE("Data that is not transactional is never aborted", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).data(1, {"plain"}, false).marker(1, ControlType::abort).aborted(1, 0);
  CHECK(values(committed(log)) == "plain ");
}

TEST_CASE("A fetch from within a batch shows only the records from there on", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a", "b", "c"}).marker(1, ControlType::commit);
  CHECK(values(committed(log, 1)) == "b c ");
  CHECK(committed(log, 1).records.front().offset == 1);
}

TEST_CASE("An empty answer leaves the position where it is", "[client]") {
  AnswerBuilder log;
  CHECK(committed(log, 17).position == 17);
}

TEST_CASE("A batch cut off at the end is left for the next fetch", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).data(1, {"b"}).cut(5);
  CHECK(values(committed(log)) == "a ");
  CHECK(committed(log).position == 1);
}

TEST_CASE("An answer that holds not one whole batch is malformed", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).cut(5);
  const auto result = visible_records(log.build(), 0, IsolationLevel::read_committed);
  CHECK(result.error().kind == ErrorKind::malformed);
}

TEST_CASE("A batch with a wrong CRC is malformed and named by its offset", "[client]") {
  AnswerBuilder log;
  log.data(1, {"a"}).data(1, {"b"}).damage_last_byte();
  const auto result = visible_records(log.build(), 0, IsolationLevel::read_uncommitted);
  CHECK(result.error().kind == ErrorKind::malformed);
  CHECK(result.error().text == "the batch at offset 1: the CRC does not match");
}
