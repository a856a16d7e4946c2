// Where the fields of a batch of magic 2 stand, for those who write them in place.
#pragma once

#include <cstdint>

#include "protocol/base/bytes.h"
#include "protocol/records/compression.h"

namespace fencepost::protocol::batch_layout {

constexpr std::size_t base_offset_at = 0;
constexpr std::size_t batch_length_at = 8;
constexpr std::size_t partition_leader_epoch_at = 12;
constexpr std::size_t magic_at = 16;
constexpr std::size_t crc_at = 17;
constexpr std::size_t attributes_at = 21;
constexpr std::size_t last_offset_delta_at = 23;
constexpr std::size_t base_timestamp_at = 27;
constexpr std::size_t max_timestamp_at = 35;
constexpr std::size_t producer_id_at = 43;
constexpr std::size_t producer_epoch_at = 51;
constexpr std::size_t base_sequence_at = 53;
constexpr std::size_t record_count_at = 57;
constexpr std::size_t records_at = 61;

// Base offset and batch length, which the batch length does not count.
constexpr std::size_t log_overhead_bytes = 12;

constexpr std::int16_t compression_mask = 0x07;
constexpr std::int16_t log_append_time_flag = 0x08;
constexpr std::int16_t transactional_flag = 0x10;
constexpr std::int16_t control_flag = 0x20;
constexpr std::int16_t delete_horizon_flag = 0x40;

template <class Number>
void put(std::span<std::uint8_t> batch, std::size_t at, Number value) {
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    batch[at + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >>
                                              (8 * (sizeof(Number) - 1 - i)));
}

// A record's offset or time of its batch's and its own delta; bytes from anybody may overflow it.
inline std::int64_t wrapping_sum(std::int64_t base, std::int64_t delta) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base) +
                                   static_cast<std::uint64_t>(delta));
}

inline std::uint32_t crc_of(ByteView batch) {
  return crc32c(batch.subspan(attributes_at));
}

}  // namespace fencepost::protocol::batch_layout
