#include "protocol/records/segment_files.h"

#include <algorithm>
#include <limits>

#include "protocol/base/check.h"
#include "protocol/codec.h"
#include "protocol/reader.h"
#include "protocol/records/compression.h"

namespace fencepost::protocol {

namespace {

constexpr std::int16_t aborted_txn_version = 0;
constexpr std::int16_t producer_snapshot_version = 1;
constexpr std::size_t snapshot_crc_at = 2;
constexpr std::size_t snapshot_entries_at = 6;

Error malformed(std::string text, std::size_t offset, std::string field) {
  return Error{ErrorKind::malformed, std::move(text), offset, std::move(field)};
}

std::int32_t relative(std::int64_t offset, std::int64_t base_offset) {
  CHECK(offset >= base_offset);
  CHECK(offset - base_offset <= std::numeric_limits<std::int32_t>::max());
  return static_cast<std::int32_t>(offset - base_offset);
}

std::int64_t absolute(std::int64_t base_offset, std::int32_t relative_offset) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(base_offset) +
                                   static_cast<std::uint64_t>(std::int64_t{relative_offset}));
}

OffsetIndexEntry read_one(Reader& reader, std::int64_t base_offset, OffsetIndexEntry entry) {
  entry.offset = absolute(base_offset, reader.int32());
  entry.position = reader.int32();
  return entry;
}
TimeIndexEntry read_one(Reader& reader, std::int64_t base_offset, TimeIndexEntry entry) {
  entry.timestamp = reader.int64();
  entry.offset = absolute(base_offset, reader.int32());
  return entry;
}

bool is_behind(const OffsetIndexEntry& entry, const OffsetIndexEntry& before) {
  return entry.offset > before.offset && entry.position > before.position;
}
bool is_behind(const TimeIndexEntry& entry, const TimeIndexEntry& before) {
  return entry.timestamp > before.timestamp && entry.offset >= before.offset;
}

// Bytes of the file up to the last entry that is not all zeros.
std::size_t used_bytes(ByteView file, std::size_t entry_bytes) {
  const auto last = std::find_if(file.rbegin(), file.rend(), [](auto byte) { return byte != 0; });
  const auto used = static_cast<std::size_t>(file.rend() - last);
  return (used + entry_bytes - 1) / entry_bytes * entry_bytes;
}

template <class Entry>
Result<std::vector<Entry>> read_index(ByteView file, std::int64_t base_offset,
                                      std::size_t entry_bytes) {
  if (file.size() % entry_bytes != 0)
    return malformed("a size of " + std::to_string(file.size()) + " bytes, not a multiple of " +
                         std::to_string(entry_bytes),
                     file.size() / entry_bytes * entry_bytes, {});
  Reader reader(file.first(used_bytes(file, entry_bytes)));
  std::vector<Entry> entries;
  while (reader.remaining() > 0) {
    const std::size_t at = reader.offset();
    const std::string name = "[" + std::to_string(entries.size()) + "]";
    const Entry entry = read_one(reader, base_offset, Entry{});
    if (entry.offset < base_offset) return malformed("an offset below the base offset", at, name);
    if (!entries.empty() && !is_behind(entry, entries.back()))
      return malformed("an entry that does not lie behind the one before it", at, name);
    entries.push_back(entry);
  }
  return entries;
}

bool expect_version(Reader& reader, std::int16_t expected) {
  const std::int16_t version = reader.int16();
  if (!reader.failed() && version != expected) {
    reader.fail("version " + std::to_string(version) + ", only " + std::to_string(expected) +
                " is known");
    reader.prefix_field("version");
  }
  return !reader.failed();
}

}  // namespace

void write_entry(Writer& writer, std::int64_t base_offset, const OffsetIndexEntry& entry) {
  writer.int32(relative(entry.offset, base_offset));
  writer.int32(entry.position);
}

Result<std::vector<OffsetIndexEntry>> read_offset_index(ByteView file, std::int64_t base_offset) {
  return read_index<OffsetIndexEntry>(file, base_offset, offset_index_entry_bytes);
}

void write_entry(Writer& writer, std::int64_t base_offset, const TimeIndexEntry& entry) {
  writer.int64(entry.timestamp);
  writer.int32(relative(entry.offset, base_offset));
}

Result<std::vector<TimeIndexEntry>> read_time_index(ByteView file, std::int64_t base_offset) {
  return read_index<TimeIndexEntry>(file, base_offset, time_index_entry_bytes);
}

void write_entry(Writer& writer, const AbortedTxn& entry) {
  writer.int16(aborted_txn_version);
  const Result<void> done = Codec<AbortedTxn>::encode(writer, entry, aborted_txn_version);
  CHECK(done.ok());
}

Result<std::vector<AbortedTxn>> read_transaction_index(ByteView file) {
  Reader reader(file);
  std::vector<AbortedTxn> entries;
  while (reader.remaining() > 0) {
    const std::size_t at = reader.offset();
    AbortedTxn entry;
    if (expect_version(reader, aborted_txn_version) &&
        Codec<AbortedTxn>::decode(reader, aborted_txn_version, entry) && !entries.empty() &&
        entry.last_offset <= entries.back().last_offset)
      return malformed("an abort that does not lie behind the one before it", at,
                       "[" + std::to_string(entries.size()) + "]");
    reader.prefix_field("[" + std::to_string(entries.size()) + "]");
    if (reader.failed()) return reader.error();
    entries.push_back(entry);
  }
  return entries;
}

ByteVector write_producer_snapshot(std::vector<ProducerSnapshot::ProducerEntry> entries) {
  ProducerSnapshot snapshot;
  snapshot.producer_entries = std::move(entries);
  Writer writer;
  writer.int16(producer_snapshot_version);
  const Result<void> done =
      Codec<ProducerSnapshot>::encode(writer, snapshot, producer_snapshot_version);
  CHECK(done.ok());
  const SharedBytes written = writer.finish().flatten();
  ByteVector file(written.view().begin(), written.view().end());
  const std::uint32_t crc = crc32c(written.view().subspan(snapshot_entries_at));
  for (std::size_t i = 0; i < sizeof crc; ++i)
    file[snapshot_crc_at + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  return file;
}

Result<ProducerSnapshot> read_producer_snapshot(ByteView file) {
  Reader reader(file);
  ProducerSnapshot snapshot;
  if (!expect_version(reader, producer_snapshot_version) ||
      !Codec<ProducerSnapshot>::decode(reader, producer_snapshot_version, snapshot))
    return reader.error();
  if (const std::uint32_t crc = crc32c(file.subspan(snapshot_entries_at)); crc != snapshot.crc)
    return malformed(
        "a CRC of " + std::to_string(snapshot.crc) + ", the content has " + std::to_string(crc),
        snapshot_crc_at, "crc");
  if (reader.remaining() > 0)
    return malformed(std::to_string(reader.remaining()) + " bytes after the last entry",
                     reader.offset(), {});
  return snapshot;
}

}  // namespace fencepost::protocol
