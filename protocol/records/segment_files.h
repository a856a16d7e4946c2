// The files beside a log segment, as Kafka writes them: offset index, time index, index of aborted
// transactions, and the snapshot of the producers. All are named after an offset in 20 digits; that
// of an index is its segment's base offset, which its entries count from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"
#include "protocol/records/control_records.h"
#include "protocol/writer.h"

namespace fencepost::protocol {

// ---- .index

struct OffsetIndexEntry {
  std::int64_t offset = 0;    // last offset of a batch; within 2^31 of the base offset
  std::int32_t position = 0;  // byte of the segment where that batch begins
  bool operator==(const OffsetIndexEntry&) const = default;
};
constexpr std::size_t offset_index_entry_bytes = 8;

void write_entry(Writer& writer, std::int64_t base_offset, const OffsetIndexEntry& entry);
// The entries of a whole file. Kafka allocates the index of an active segment in advance: zeros at
// the end are no entries. Malformed, with the byte, when the size is no multiple of an entry's, or
// an entry does not lie behind the one before it.
Result<std::vector<OffsetIndexEntry>> read_offset_index(ByteView file, std::int64_t base_offset);

// ---- .timeindex

struct TimeIndexEntry {
  std::int64_t timestamp = 0;  // milliseconds; no record up to `offset` has a later one
  std::int64_t offset = 0;     // of the record with that timestamp
  bool operator==(const TimeIndexEntry&) const = default;
};
constexpr std::size_t time_index_entry_bytes = 12;

void write_entry(Writer& writer, std::int64_t base_offset, const TimeIndexEntry& entry);
// As read_offset_index(). A single entry of timestamp 0 at the base offset reads as unused space.
Result<std::vector<TimeIndexEntry>> read_time_index(ByteView file, std::int64_t base_offset);

// ---- .txnindex

constexpr std::size_t aborted_txn_bytes = 34;

void write_entry(Writer& writer, const AbortedTxn& entry);
// The entries in the order of their abort markers. Malformed when one is cut off, has another
// version than 0, or ends at or before the one in front of it, as Kafka checks it.
Result<std::vector<AbortedTxn>> read_transaction_index(ByteView file);

// ---- .snapshot

// The whole file, with its version in front and its CRC-32C over everything behind the CRC.
ByteVector write_producer_snapshot(std::vector<ProducerSnapshot::ProducerEntry> entries);
// Malformed when it is cut off, has another version than 1 or does not match its CRC.
Result<ProducerSnapshot> read_producer_snapshot(ByteView file);

}  // namespace fencepost::protocol
