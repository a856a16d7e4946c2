// What the codec costs: a Produce request and a Fetch response of 1 MiB decoded and encoded, beside
// the checksum of the same bytes; and the records of one uncompressed batch, one after another.
// usage: codec_bench [FILE]   also writes that batch to FILE, for RecordIteration.java
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/produce.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_iterator.h"

namespace fencepost::protocol {
namespace {

constexpr std::size_t message_bytes = std::size_t{1} << 20;
constexpr int rounds = 300;

// The least time of many rounds: what the machine's other work does not add to.
template <class Work>
double least_microseconds(Work&& work) {
  using Clock = std::chrono::steady_clock;
  double least = 1e12;
  for (int i = 0; i < rounds; ++i) {
    const Clock::time_point began = Clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = Clock::now() - began;
    least = std::min(least, took.count());
  }
  return least;
}

// Records with a key of 16 bytes and a value of 100, in one batch of about that size.
SharedBytes batch_of(std::size_t bytes) {
  std::vector<NewRecord> records;
  for (std::size_t i = 0; i < bytes / 126; ++i) {
    const std::string number = std::to_string(1000000000000000 + i);
    records.push_back({static_cast<std::int64_t>(1764460800000 + i), SharedBytes::copy_of(number),
                       SharedBytes(ByteVector(100, static_cast<std::uint8_t>(i)))});
  }
  return build_batch({}, records);
}

ProduceRequest produce_request(std::size_t partitions) {
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30000;
  request.topic_data.emplace_back();
  const SharedBytes batch = batch_of(message_bytes / partitions);
  for (std::size_t i = 0; i < partitions; ++i) {
    auto& partition = request.topic_data[0].partition_data.emplace_back();
    partition.index = static_cast<std::int32_t>(i);
    partition.records = Records{batch};
  }
  return request;
}

FetchResponse fetch_response(std::size_t partitions) {
  FetchResponse response;
  response.responses.emplace_back();
  const SharedBytes batch = batch_of(message_bytes / partitions);
  for (std::size_t i = 0; i < partitions; ++i) {
    auto& partition = response.responses[0].partitions.emplace_back();
    partition.partition_index = static_cast<std::int32_t>(i);
    partition.records = Records{batch};
  }
  return response;
}

template <class Message>
void recode(const SharedBytes& bytes, int version) {
  const Result<Message> message = Codec<Message>::decode(bytes, version);
  const Result<Frame> frame = Codec<Message>::encode(*message, version);
  CHECK(frame->size() == bytes.size());
}

void row(const char* name, double microseconds, double checksum_microseconds) {
  std::printf("%-52s %10.1f us %8.2f of the checksum\n", name, microseconds,
              microseconds / checksum_microseconds);
}

template <class Message>
void measure_message(const char* name, const Message& message) {
  const int version = Message::info.valid_versions.last;
  const SharedBytes bytes = Codec<Message>::encode(message, version)->flatten();
  volatile std::uint32_t sink = 0;
  const double checksum = least_microseconds([&] { sink = crc32c(bytes.view()); });
  const double codec = least_microseconds([&] { recode<Message>(bytes, version); });
  row("CRC-32C of 1 MiB", checksum, checksum);
  row(name, codec, checksum);
}

std::size_t go_through(const RecordBatchView& batch) {
  Result<RecordIterator> records = RecordIterator::over(batch);
  std::size_t seen = 0;
  while (const RecordView* record = records->next())
    seen +=
        static_cast<std::size_t>(record->offset & 1) + record->key->size() + record->value->size();
  return seen;
}

void measure_records(const char* file) {
  const SharedBytes bytes = batch_of(message_bytes);
  if (file != nullptr)
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  const Result<RecordBatchView> batch = RecordBatchView::open(bytes);
  const auto count = static_cast<double>(batch->header().record_count);
  volatile std::size_t sink = 0;
  const double in_place = least_microseconds([&] { sink = go_through(*batch); });
  const double built = least_microseconds([&] { sink = batch->records()->size(); });
  std::printf("%-52s %10.1f ns a record\n", "RecordIterator", 1000 * in_place / count);
  std::printf("%-52s %10.1f ns a record\n", "RecordBatchView::records()", 1000 * built / count);
}

}  // namespace
}  // namespace fencepost::protocol

int main(int argument_count, char** arguments) {
  using namespace fencepost::protocol;
  measure_message("Produce request, 64 partitions: decode and encode", produce_request(64));
  measure_message("Fetch response, 64 partitions: decode and encode", fetch_response(64));
  measure_records(argument_count > 1 ? arguments[1] : nullptr);
}
