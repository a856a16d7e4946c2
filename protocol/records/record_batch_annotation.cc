// What each byte of a record batch is: the header, then record after record, of a compressed batch
// within the unpacked bytes.
#include <optional>

#include "protocol/annotation.h"
#include "protocol/json.h"
#include "protocol/reader.h"
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
    const std::int32_t length = reader_.varint();
    add(name, "zigzag length", length < 0 ? "null" : std::to_string(length));
    if (length < 0) return;
    const ByteView content = reader_.view(static_cast<std::size_t>(length));
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

void annotate_record(Annotation& annotation, Reader& reader) {
  Rows rows(annotation, reader);
  rows.number("length", "zigzag", reader.varint());
  rows.number("attributes", "int8", reader.int8());
  rows.number("timestampDelta", "zigzag", reader.varlong());
  rows.number("offsetDelta", "zigzag", reader.varint());
  rows.bytes("key");
  rows.bytes("value");
  const std::int32_t header_count = reader.varint();
  rows.number("headers", "zigzag count", header_count);
  for (std::int32_t i = 0; i < header_count && !reader.failed(); ++i) {
    rows.bytes(bracketed("headers", i) + ".key");
    rows.bytes(bracketed("headers", i) + ".value");
  }
}

// What could not be read, to the end.
void annotate_rest(Annotation& annotation, std::size_t begin, std::size_t end,
                   const std::string& why) {
  if (begin < end) annotation.add("?", "bytes", why, begin, end);
}

void annotate_records(Annotation& annotation, std::int32_t count, std::size_t begin,
                      std::size_t end) {
  Reader reader(annotation.buffer().slice(0, end));
  reader.skip(begin);
  std::size_t good = begin;
  for (std::int32_t i = 0; i < count && !reader.failed(); ++i) {
    annotation.open(bracketed("records", i), "Record", reader.offset());
    annotate_record(annotation, reader);
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
  const std::int32_t count = batch.header().record_count;
  if (compression == CompressionType::none) {
    annotate_records(annotation, count, reader.offset(), end);
  } else if (reader.offset() < end) {
    const std::string codec = compression ? std::string(to_string(*compression)) : "unknown codec";
    annotation.add("records", codec, "", reader.offset(), end);
    Result<SharedBytes> unpacked = batch.unpacked_records();
    if (unpacked) {
      const std::size_t size = unpacked->size();
      annotation.open_unpacked("records", "unpacked from " + codec, std::move(*unpacked));
      annotate_records(annotation, count, 0, size);
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
