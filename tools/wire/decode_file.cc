// The files of a partition, by their names.
#include <fmt/format.h>

#include <charconv>

#include "protocol/codec.h"
#include "protocol/reader.h"
#include "protocol/records/segment_files.h"
#include "tools/wire/batch_json.h"
#include "tools/wire/decode_bytes.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

struct FileName {
  std::string_view folder;     // "__consumer_offsets-3"
  std::string_view extension;  // ".log"
  std::optional<std::int64_t> base_offset;
};

FileName parse_name(std::string_view path) {
  FileName out;
  const std::size_t slash = path.rfind('/');
  std::string_view name = path;
  if (slash != std::string_view::npos) {
    name = path.substr(slash + 1);
    out.folder = path.substr(0, slash);
    out.folder.remove_prefix(out.folder.rfind('/') + 1);
  }
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return out;
  out.extension = name.substr(dot);
  std::int64_t offset = 0;
  const char* end = name.data() + dot;
  if (std::from_chars(name.data(), end, offset).ptr == end && dot > 0) out.base_offset = offset;
  return out;
}

std::optional<InternalTopic> topic_of(std::string_view folder) {
  return parse_internal_topic(folder.substr(0, folder.rfind('-')));
}

Error malformed(std::string text, std::size_t offset, std::string field) {
  return Error{ErrorKind::malformed, std::move(text), offset, std::move(field)};
}

Failure decode_log(Printer& printer, std::optional<InternalTopic> topic, const SharedBytes& bytes) {
  if (printer.is_annotated()) {
    Annotation annotation(bytes);
    annotate_batches(annotation, 0, bytes.size());
    printer.annotation(annotation);
  }
  Failure failure;
  for (std::size_t at = 0; at < bytes.size();) {
    const Result<RecordBatchView> batch = RecordBatchView::open(bytes.slice(at, bytes.size() - at));
    const Result<std::string> json = batch ? batch_json(*batch, topic) : batch.error();
    if (!json) {
      Error error = json.error();
      error.offset += at;
      return error;
    }
    if (!printer.is_annotated())
      printer.json(fmt::format("{{\"position\":{},{}", at, json->substr(1)));
    if (!failure && !batch->is_crc_valid())
      failure = malformed("a CRC that does not match the content", at + 17, "crc");
    at += batch->bytes().size();
  }
  return failure;
}

Failure decode_offset_index(Printer& printer, std::int64_t base_offset, const SharedBytes& bytes) {
  const auto entries = read_offset_index(bytes.view(), base_offset);
  if (!entries) return entries.error();
  Annotation annotation(bytes);
  std::size_t at = 0;
  for (const OffsetIndexEntry& entry : *entries) {
    annotation.add("relativeOffset", "int32", std::to_string(entry.offset - base_offset), at,
                   at + 4);
    annotation.add("position", "int32", std::to_string(entry.position), at + 4, at + 8);
    at += offset_index_entry_bytes;
    if (!printer.is_annotated())
      printer.json(fmt::format(R"({{"offset":{},"position":{}}})", entry.offset, entry.position));
  }
  if (printer.is_annotated()) printer.annotation(annotation);
  return std::nullopt;
}

Failure decode_time_index(Printer& printer, std::int64_t base_offset, const SharedBytes& bytes) {
  const auto entries = read_time_index(bytes.view(), base_offset);
  if (!entries) return entries.error();
  Annotation annotation(bytes);
  std::size_t at = 0;
  for (const TimeIndexEntry& entry : *entries) {
    annotation.add("timestamp", "int64", std::to_string(entry.timestamp), at, at + 8);
    annotation.add("relativeOffset", "int32", std::to_string(entry.offset - base_offset), at + 8,
                   at + 12);
    at += time_index_entry_bytes;
    if (!printer.is_annotated())
      printer.json(fmt::format(R"({{"timestamp":{},"offset":{}}})", entry.timestamp, entry.offset));
  }
  if (printer.is_annotated()) printer.annotation(annotation);
  return std::nullopt;
}

// Messages one after another, each behind its version.
Failure annotate_versioned(Printer& printer, std::string_view name, const SharedBytes& bytes) {
  const MessageType& type = *find_message_type(name);
  Annotation annotation(bytes);
  Reader reader(bytes);
  while (reader.remaining() > 0 && !reader.failed()) {
    const std::size_t begin = reader.offset();
    annotation.open(std::string(name), "", begin);
    const std::int16_t version = reader.int16();
    if (!reader.failed())
      annotation.add("version", "int16", std::to_string(version), begin, reader.offset());
    if (!reader.failed()) type.annotate(reader, version, annotation);
    annotation.close_all(reader.offset());
  }
  printer.annotation(annotation);
  return std::nullopt;
}

Failure decode_transaction_index(Printer& printer, const SharedBytes& bytes) {
  const auto entries = read_transaction_index(bytes.view());
  if (printer.is_annotated()) {
    annotate_versioned(printer, "AbortedTxn", bytes);
  } else if (entries) {
    for (const AbortedTxn& entry : *entries) printer.json(Codec<AbortedTxn>::to_json(entry, 0));
  }
  if (entries) return std::nullopt;
  return entries.error();
}

Failure decode_snapshot(Printer& printer, const SharedBytes& bytes) {
  const auto snapshot = read_producer_snapshot(bytes.view());
  if (printer.is_annotated())
    annotate_versioned(printer, "ProducerSnapshot", bytes);
  else if (snapshot)
    printer.json(Codec<ProducerSnapshot>::to_json(*snapshot, 1));
  if (snapshot) return std::nullopt;
  return snapshot.error();
}

}  // namespace

Failure decode_file(Printer& printer, std::string_view path, const SharedBytes& bytes) {
  const FileName name = parse_name(path);
  if (name.extension == ".log") return decode_log(printer, topic_of(name.folder), bytes);
  if (name.extension == ".txnindex") return decode_transaction_index(printer, bytes);
  if (name.extension == ".snapshot") return decode_snapshot(printer, bytes);
  const bool is_offset_index = name.extension == ".index";
  if (!is_offset_index && name.extension != ".timeindex")
    return Error{ErrorKind::invalid_argument,
                 "its name ends in none of .log, .index, .timeindex, .txnindex and .snapshot",
                 0,
                 {}};
  if (!name.base_offset)
    return Error{ErrorKind::invalid_argument,
                 "an index has to be named after its base offset, as 00000000000000000000.index",
                 0,
                 {}};
  return is_offset_index ? decode_offset_index(printer, *name.base_offset, bytes)
                         : decode_time_index(printer, *name.base_offset, bytes);
}

}  // namespace fencepost::tools::wire
