// The batches of a log, in append-only chunks that copies of the store share. A chunk is appended
// to in place only while nobody else has done so: a copy never sees what another one wrote.
// Batches that were read from a file stay where they were read to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/records/record_batch.h"

namespace fencepost::minibroker {

class BatchStore {
 public:
  // Copies one whole batch, whose offsets are above all others, and writes `placement` into the
  // copy. Returns it as it lies in the store.
  protocol::RecordBatchView append(ByteView batch,
                                   const std::optional<protocol::Placement>& placement = {});
  // As append(), without copying it: `owner` keeps the bytes alive, and those of all batches that
  // come with the same one lie side by side.
  void adopt(const protocol::RecordBatchHeader& header, ByteView batch,
             std::shared_ptr<const void> owner);

  std::size_t size() const { return batches_.size(); }
  bool empty() const { return batches_.empty(); }
  const protocol::RecordBatchHeader& header(std::size_t index) const;
  // The bytes of the batch, not copied.
  SharedBytes bytes(std::size_t index) const;
  // The bytes of [first, end), copied only when they lie in more than one chunk.
  SharedBytes range(std::size_t first, std::size_t end) const;
  // How many bytes there are between the beginnings of two batches; `end` may be size().
  std::size_t bytes_between(std::size_t first, std::size_t end) const;
  // The end of the batches from `first` on that `bytes` reach into.
  std::size_t end_within(std::size_t first, std::size_t bytes) const;
  // The index of the first batch that ends at or after `offset`; size() when there is none.
  std::size_t find(std::int64_t offset) const;

  void drop_front(std::size_t count);
  // Keeps the first `count` batches.
  void truncate(std::size_t count);
  // `batches`, each whole and in order, take the place of the first `count`, in memory of their
  // own: that of those that they replace is given back.
  void replace_front(std::size_t count, const std::vector<SharedBytes>& batches);

 private:
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> data;
    std::size_t capacity = 0;
    std::size_t used = 0;
  };
  struct Stored {
    protocol::RecordBatchHeader header;
    std::shared_ptr<const void> owner;  // of the buffer that the batch lies in
    const std::uint8_t* data = nullptr;
    std::size_t log_position = 0;  // bytes of all batches before it
  };

  std::size_t end_position() const;
  std::span<std::uint8_t> copy_into_chunk(ByteView batch);
  void start_chunk(std::size_t bytes_min);

  std::vector<Stored> batches_;
  std::shared_ptr<Chunk> last_chunk_;
  std::size_t last_chunk_used_ = 0;  // as this store knows it
};

}  // namespace fencepost::minibroker
