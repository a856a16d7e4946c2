// What each byte of a record batch is: the header, then record after record, of a compressed batch
// within the unpacked bytes; the record of a control batch down to what it marks.
#include <optional>

#include "protocol/annotation.h"
#include "protocol/codec.h"
#include "protocol/json.h"
#include "protocol/reader.h"
#include "protocol/records/control_records.h"
#include "protocol/records/record_batch.h"
#include "protocol/records/record_batch_layout.h"

namespace fencepost::protocol {

namespace {

// Adds a row for what has been read since the last one.
class Rows {
 public:
  Rows(Annotation& annotation, Reader& reader)
      : annotation_(annotation), reader_(reader), begin_(reader.offset()) {}

  void add(std::string name, std::string type, std::string value) {
    if (!reader_.failed())
      annotation_.add(std::move(name), std::move(type), std::move(value), begin_, reader_.offset());
    begin_ = reader_.offset();
  }
  template <class Number>
  void number(std::string name, std::string type, Number number) {
    add(std::move(name), std::move(type), std::to_string(number));
  }
  // A zig-zag length and what it is the length of, which nothing is behind a length below zero.
  void bytes(const std::string& name) {
    bytes(name, [](std::size_t, std::size_t) { return false; });
  }
  // As above; open(begin, end) may add rows for the content itself and return true.
  template <class Open>
  void bytes(const std::string& name, Open&& open) {
    const std::int32_t length = reader_.varint();
    add(name, "zigzag length", length < 0 ? "null" : std::to_string(length));
    if (length < 0) return;
    const ByteView content = reader_.view(static_cast<std::size_t>(length));
    if (!reader_.failed() && open(begin_, reader_.offset()))
      begin_ = reader_.offset();
    else
      add(name, "bytes", shown(content));
  }

 private:
  // As text where it is plain text, otherwise nothing: the bytes stand beside it.
  static std::string shown(ByteView content) {
    for (std::uint8_t byte : content)
      if (byte < 0x20 || byte > 0x7e) return "";
    std::string out;
    append_json_string(out, as_text(content));
    return out;
  }

  Annotation& annotation_;
  Reader& reader_;
  std::size_t begin_;
};

void annotate_header(Annotation& annotation, Reader& reader) {
  Rows rows(annotation, reader);
  rows.number("baseOffset", "int64", reader.int64());
  rows.number("batchLength", "int32", reader.int32());
  rows.number("partitionLeaderEpoch", "int32", reader.int32());
  rows.number("magic", "int8", reader.int8());
  rows.number("crc", "uint32", reader.uint32());
  rows.number("attributes", "int16", reader.int16());
  rows.number("lastOffsetDelta", "int32", reader.int32());
  rows.number("baseTimestamp", "int64", reader.int64());
  rows.number("maxTimestamp", "int64", reader.int64());
  rows.number("producerId", "int64", reader.int64());
  rows.number("producerEpoch", "int16", reader.int16());
  rows.number("baseSequence", "int32", reader.int32());
  rows.number("recordsCount", "int32", reader.int32());
}

std::string bracketed(std::string_view name, std::int64_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

// What could not be read, to the end.
void annotate_rest(Annotation& annotation, std::size_t begin, std::size_t end,
                   const std::string& why) {
  if (begin < end) annotation.add("?", "bytes", why, begin, end);
}

// ---- control records

void close_message(Annotation& annotation, const Reader& reader, std::size_t end) {
  annotate_rest(annotation, reader.offset(), end,
                reader.failed() ? reader.error().text : "left over");
  annotation.close(end);
}

using ControlTypeNumber = std::optional<std::int16_t>;

ControlTypeNumber annotate_control_key(Annotation& annotation, std::size_t begin, std::size_t end) {
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  annotation.open("key", "ControlRecordType", begin);
  Rows rows(annotation, reader);
  rows.number("version", "int16", reader.int16());
  const std::int16_t type = reader.int16();
  rows.number("type", "int16", type);
  close_message(annotation, reader, end);
  return reader.failed() ? std::nullopt : ControlTypeNumber(type);
}

void annotate_end_marker(Annotation& annotation, std::size_t begin, std::size_t end) {
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  annotation.open("value", "EndTxnMarker", begin);
  Rows rows(annotation, reader);
  rows.number("version", "int16", reader.int16());
  rows.number("coordinatorEpoch", "int32", reader.int32());
  close_message(annotation, reader, end);
}

// False, and no row, when it is none.
bool annotate_leader_change(Annotation& annotation, std::size_t begin, std::size_t end) {
  const SharedBytes value = annotation.buffer().slice(begin, end - begin);
  const std::int16_t version = Reader(value).int16();
  if (!LeaderChangeMessage::info.valid_versions.contains(version) ||
      !Codec<LeaderChangeMessage>::decode(value, version))
    return false;
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  annotation.open("value", "LeaderChangeMessage", begin);
  CHECK(Codec<LeaderChangeMessage>::annotate(reader, version, annotation));
  annotation.close(end);
  return true;
}

bool annotate_control_value(Annotation& annotation, const ControlTypeNumber& type,
                            std::size_t begin, std::size_t end) {
  if (type == static_cast<std::int16_t>(ControlType::leader_change))
    return annotate_leader_change(annotation, begin, end);
  if (type != static_cast<std::int16_t>(ControlType::abort) &&
      type != static_cast<std::int16_t>(ControlType::commit))
    return false;
  annotate_end_marker(annotation, begin, end);
  return true;
}

// ---- records

// Key and value of a control batch's record are messages of their own.
void annotate_control_content(Annotation& annotation, Rows& rows) {
  ControlTypeNumber type;
  rows.bytes("key", [&](std::size_t begin, std::size_t end) {
    type = annotate_control_key(annotation, begin, end);
    return true;
  });
  rows.bytes("value", [&](std::size_t begin, std::size_t end) {
    return annotate_control_value(annotation, type, begin, end);
  });
}

void annotate_record(Annotation& annotation, Reader& reader, bool is_control) {
  Rows rows(annotation, reader);
  rows.number("length", "zigzag", reader.varint());
  rows.number("attributes", "int8", reader.int8());
  rows.number("timestampDelta", "zigzag", reader.varlong());
  rows.number("offsetDelta", "zigzag", reader.varint());
  if (is_control) {
    annotate_control_content(annotation, rows);
  } else {
    rows.bytes("key");
    rows.bytes("value");
  }
  const std::int32_t header_count = reader.varint();
  rows.number("headers", "zigzag count", header_count);
  for (std::int32_t i = 0; i < header_count && !reader.failed(); ++i) {
    rows.bytes(bracketed("headers", i) + ".key");
    rows.bytes(bracketed("headers", i) + ".value");
  }
}

void annotate_records(Annotation& annotation, const RecordBatchHeader& header, std::size_t begin,
                      std::size_t end) {
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  std::size_t good = begin;
  for (std::int32_t i = 0; i < header.record_count && !reader.failed(); ++i) {
    annotation.open(bracketed("records", i), "Record", reader.offset());
    annotate_record(annotation, reader, header.is_control_batch());
    annotation.close(reader.offset());
    good = reader.offset();
  }
  annotate_rest(annotation, good, end, reader.failed() ? reader.error().text : "left over");
}

void annotate_batch(Annotation& annotation, const RecordBatchView& batch, std::size_t begin) {
  const std::size_t end = begin + batch.bytes().size();
  annotation.open("batch", "RecordBatch", begin);
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  annotate_header(annotation, reader);
  const std::optional<CompressionType> compression =
      compression_of(batch.header().compression_id());
  if (compression == CompressionType::none) {
    annotate_records(annotation, batch.header(), reader.offset(), end);
  } else if (reader.offset() < end) {
    const std::string codec = compression ? std::string(to_string(*compression)) : "unknown codec";
    annotation.add("records", codec, "", reader.offset(), end);
    Result<SharedBytes> unpacked = batch.unpacked_records();
    if (unpacked) {
      const std::size_t size = unpacked->size();
      annotation.open_unpacked("records", "unpacked from " + codec, std::move(*unpacked));
      annotate_records(annotation, batch.header(), 0, size);
      annotation.close(size);
    }
  }
  annotation.close(end);
}

}  // namespace

void annotate_batches(Annotation& annotation, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const Result<RecordBatchView> batch =
        RecordBatchView::open(annotation.buffer().slice(begin, end - begin));
    if (!batch) {
      annotate_rest(annotation, begin, end, batch.error().text);
      return;
    }
    annotate_batch(annotation, *batch, begin);
    begin += batch->bytes().size();
  }
}

}  // namespace fencepost::protocol
