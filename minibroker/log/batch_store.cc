#include "minibroker/log/batch_store.h"

#include <algorithm>

#include "minibroker/log/own_batches.h"

namespace fencepost::minibroker {

using protocol::RecordBatchView;

namespace {

// Chunks grow, so that the many partitions that hold little cost little.
constexpr std::size_t first_chunk_bytes = std::size_t{1} << 10;
constexpr std::size_t chunk_bytes_max = std::size_t{1} << 20;

}  // namespace

void BatchStore::start_chunk(std::size_t bytes_min) {
  const std::size_t last = last_chunk_ ? last_chunk_->capacity : first_chunk_bytes / 2;
  const std::size_t capacity = std::max(bytes_min, std::min(2 * last, chunk_bytes_max));
  last_chunk_ = std::make_shared<Chunk>();
  // Not cleared: a byte is written before anybody is given it.
  last_chunk_->data = std::unique_ptr<std::uint8_t[]>(new std::uint8_t[capacity]);
  last_chunk_->capacity = capacity;
  last_chunk_used_ = 0;
}

std::span<std::uint8_t> BatchStore::copy_into_chunk(ByteView batch) {
  const bool fits = last_chunk_ && last_chunk_->used == last_chunk_used_ &&
                    last_chunk_->capacity - last_chunk_used_ >= batch.size();
  if (!fits) start_chunk(batch.size());
  std::uint8_t* const data = last_chunk_->data.get() + last_chunk_used_;
  std::copy(batch.begin(), batch.end(), data);
  last_chunk_used_ += batch.size();
  last_chunk_->used = last_chunk_used_;
  return {data, batch.size()};
}

RecordBatchView BatchStore::append(ByteView batch,
                                   const std::optional<protocol::Placement>& placement) {
  const std::span<std::uint8_t> copy = copy_into_chunk(batch);
  if (placement) protocol::place(copy, *placement);
  RecordBatchView placed = open_own({last_chunk_, copy});
  adopt(placed.header(), copy, last_chunk_);
  return placed;
}

void BatchStore::adopt(const protocol::RecordBatchHeader& header, ByteView batch,
                       std::shared_ptr<const void> owner) {
  CHECK(header.size_bytes() == batch.size());
  CHECK(empty() || header.base_offset > batches_.back().header.last_offset());
  batches_.push_back({header, std::move(owner), batch.data(), end_position()});
}

std::size_t BatchStore::end_position() const {
  return empty() ? 0 : batches_.back().log_position + batches_.back().header.size_bytes();
}

const protocol::RecordBatchHeader& BatchStore::header(std::size_t index) const {
  CHECK(index < size());
  return batches_[index].header;
}

SharedBytes BatchStore::bytes(std::size_t index) const {
  CHECK(index < size());
  const Stored& stored = batches_[index];
  return {stored.owner, {stored.data, stored.header.size_bytes()}};
}

SharedBytes BatchStore::range(std::size_t first, std::size_t end) const {
  CHECK(first <= end && end <= size());
  if (first == end) return {};
  const Stored& head = batches_[first];
  const Stored& tail = batches_[end - 1];
  // Between two truncations a chunk is filled without gaps, and so is a file.
  if (head.owner == tail.owner)
    return {head.owner, {head.data, tail.data + tail.header.size_bytes()}};
  ByteVector copy;
  for (std::size_t index = first; index < end; ++index) {
    const SharedBytes batch = bytes(index);
    copy.insert(copy.end(), batch.view().begin(), batch.view().end());
  }
  return SharedBytes(std::move(copy));
}

std::size_t BatchStore::bytes_between(std::size_t first, std::size_t end) const {
  CHECK(first <= end && end <= size());
  if (first == end) return 0;
  const std::size_t end_at = end == size() ? end_position() : batches_[end].log_position;
  return end_at - batches_[first].log_position;
}

std::size_t BatchStore::end_within(std::size_t first, std::size_t bytes) const {
  CHECK(first <= size());
  if (first == size()) return first;
  const std::size_t end_at = batches_[first].log_position + bytes;
  const auto it =
      std::partition_point(batches_.begin() + static_cast<std::ptrdiff_t>(first), batches_.end(),
                           [&](const Stored& stored) { return stored.log_position < end_at; });
  return static_cast<std::size_t>(it - batches_.begin());
}

std::size_t BatchStore::find(std::int64_t offset) const {
  const auto it = std::partition_point(batches_.begin(), batches_.end(), [&](const Stored& stored) {
    return stored.header.last_offset() < offset;
  });
  return static_cast<std::size_t>(it - batches_.begin());
}

void BatchStore::drop_front(std::size_t count) {
  CHECK(count <= size());
  batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(count));
}

void BatchStore::truncate(std::size_t count) {
  CHECK(count <= size());
  if (count == size()) return;
  batches_.erase(batches_.begin() + static_cast<std::ptrdiff_t>(count), batches_.end());
  // What was cut off may still be read by others: the next batch begins a new chunk.
  last_chunk_.reset();
  last_chunk_used_ = 0;
}

void BatchStore::replace_front(std::size_t count, const std::vector<SharedBytes>& batches) {
  CHECK(count <= size());
  BatchStore replaced;
  for (const SharedBytes& batch : batches) replaced.append(batch.view());
  for (std::size_t index = count; index < size(); ++index) {
    replaced.batches_.push_back(batches_[index]);
    replaced.batches_.back().log_position = 0;
    if (const std::size_t at = replaced.size() - 1; at > 0)
      replaced.batches_[at].log_position =
          replaced.batches_[at - 1].log_position + replaced.batches_[at - 1].header.size_bytes();
  }
  // What follows is appended where it was before, or after what has replaced everything.
  if (count < size()) {
    replaced.last_chunk_ = last_chunk_;
    replaced.last_chunk_used_ = last_chunk_used_;
  }
  *this = std::move(replaced);
}

}  // namespace fencepost::minibroker
