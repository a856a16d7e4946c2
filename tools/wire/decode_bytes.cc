#include "tools/wire/decode_bytes.h"

#include <fmt/format.h>

#include "protocol/codec.h"
#include "protocol/messages/headers.h"
#include "protocol/reader.h"
#include "tools/wire/batch_json.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

constexpr std::size_t size_bytes = 4;

Error shifted(Error error, std::size_t offset) {
  error.offset += offset;
  return error;
}

Error malformed(std::string text, std::size_t offset, std::string field) {
  return Error{ErrorKind::malformed, std::move(text), offset, std::move(field)};
}

// The bytes of one frame within all that was given.
struct FrameRange {
  std::size_t begin;  // behind the size
  std::size_t end;
  bool has_size;
};

// Whether sizes lead from frame to frame, and from the last one to the end.
bool is_chain_of_sizes(const SharedBytes& bytes) {
  Reader reader(bytes);
  while (reader.remaining() > 0 && !reader.failed()) {
    const std::int32_t size = reader.int32();
    if (size <= 0) return false;
    reader.skip(static_cast<std::size_t>(size));
  }
  return !reader.failed();
}

bool is_request_at(const SharedBytes& bytes, std::size_t begin) {
  Reader reader(bytes);
  reader.skip(begin);
  const Api* api = find_api(static_cast<ApiKey>(reader.int16()));
  const std::int16_t version = reader.int16();
  return !reader.failed() && api != nullptr && api->versions().contains(version);
}

bool is_whole_request(const SharedBytes& bytes) {
  if (!is_request_at(bytes, 0)) return false;
  Reader reader(bytes);
  const Api& api = *find_api(static_cast<ApiKey>(reader.int16()));
  const std::int16_t version = reader.int16();
  Reader whole(bytes);
  RequestHeader header;
  if (!Codec<RequestHeader>::decode(whole, request_header_version(api, version), header))
    return false;
  return api.request.recode(whole.shared(whole.remaining()), version).ok();
}

// What reads as one request has none in front, though key and version of a Produce request would do
// for a small size. Requests that are cut off after the first have sizes nonetheless.
bool have_requests_sizes(const SharedBytes& bytes) {
  if (is_whole_request(bytes)) return false;
  if (is_chain_of_sizes(bytes)) return true;
  const std::int32_t size = Reader(bytes).int32();
  return !is_request_at(bytes, 0) && is_request_at(bytes, size_bytes) &&
         static_cast<std::size_t>(size) <= bytes.size() - size_bytes;
}

bool is_whole_response(const Api& api, int version, const SharedBytes& bytes) {
  Reader reader(bytes);
  ResponseHeader header;
  return Codec<ResponseHeader>::decode(reader, response_header_version(api, version), header) &&
         api.response.recode(reader.shared(reader.remaining()), version).ok();
}

// A correlation id may happen to be the size of what follows it.
bool have_responses_sizes(const Api& api, int version, const SharedBytes& bytes) {
  if (!is_chain_of_sizes(bytes) || bytes.empty()) return false;
  const auto size = static_cast<std::size_t>(Reader(bytes).int32());
  return is_whole_response(api, version, bytes.slice(size_bytes, size)) ||
         !is_whole_response(api, version, bytes);
}

Result<FrameRange> next_frame(const SharedBytes& bytes, std::size_t begin, bool have_sizes) {
  if (!have_sizes) return FrameRange{begin, bytes.size(), false};
  Reader reader(bytes);
  reader.skip(begin);
  const std::int32_t size = reader.int32();
  if (reader.failed() || size <= 0 || static_cast<std::size_t>(size) > reader.remaining())
    return malformed("a frame that is cut off", begin, "size");
  return FrameRange{reader.offset(), reader.offset() + static_cast<std::size_t>(size), true};
}

// What a frame is made of, once its header is known.
struct Parts {
  const MessageType* header;
  int header_version;
  const MessageType* body;
  int version;
};

Failure annotate_frame(Printer& printer, const SharedBytes& bytes, const FrameRange& range,
                       const Parts& parts) {
  const SharedBytes whole = bytes.slice(0, range.end);
  Annotation annotation(whole);
  Reader reader(whole);
  reader.skip(range.begin);
  if (range.has_size)
    annotation.add("size", "int32", std::to_string(range.end - range.begin),
                   range.begin - size_bytes, range.begin);
  const auto part = [&](const MessageType& type, int version) {
    annotation.open(std::string(type.info->name), fmt::format("version {}", version),
                    reader.offset());
    const bool is_read = type.annotate(reader, version, annotation);
    annotation.close_all(reader.offset());
    return is_read;
  };
  const bool is_read =
      part(*parts.header, parts.header_version) && part(*parts.body, parts.version);
  if (is_read && reader.remaining() > 0)
    reader.fail(std::to_string(reader.remaining()) + " bytes left over");
  printer.annotation(annotation);
  if (reader.failed()) return reader.error();
  return std::nullopt;
}

Result<std::string> body_json(const SharedBytes& bytes, const Reader& header_reader,
                              std::size_t end, const Parts& parts) {
  const std::size_t at = header_reader.offset();
  Result<std::string> json = parts.body->to_json(bytes.slice(at, end - at), parts.version);
  if (json) return json;
  return shifted(json.error(), at);
}

Failure decode_request_frame(Printer& printer, const SharedBytes& bytes, const FrameRange& range) {
  Reader peek(bytes.slice(0, range.end));
  peek.skip(range.begin);
  const auto key = static_cast<ApiKey>(peek.int16());
  const std::int16_t version = peek.int16();
  if (peek.failed()) return peek.error();
  const Api* api = find_api(key);
  if (api == nullptr)
    return malformed(fmt::format("unknown api key {}", static_cast<int>(key)), range.begin,
                     "requestApiKey");
  if (!api->versions().contains(version))
    return malformed(fmt::format("{} has versions {} to {}, not {}", api->name,
                                 api->versions().first, api->versions().last, version),
                     range.begin + 2, "requestApiVersion");
  const int header_version = request_header_version(*api, version);
  const Parts parts{find_message_type("RequestHeader"), header_version, &api->request, version};
  if (printer.is_annotated()) return annotate_frame(printer, bytes, range, parts);
  Reader reader(bytes.slice(0, range.end));
  reader.skip(range.begin);
  RequestHeader header;
  if (!Codec<RequestHeader>::decode(reader, header_version, header)) return reader.error();
  const Result<std::string> body = body_json(bytes, reader, range.end, parts);
  if (!body) return body.error();
  printer.json(fmt::format(R"({{"requestHeader":{},"request":{}}})",
                           Codec<RequestHeader>::to_json(header, header_version), *body));
  return std::nullopt;
}

Failure decode_response_frame(Printer& printer, const Api& api, int version,
                              const SharedBytes& bytes, const FrameRange& range) {
  const int header_version = response_header_version(api, version);
  const Parts parts{find_message_type("ResponseHeader"), header_version, &api.response, version};
  if (printer.is_annotated()) return annotate_frame(printer, bytes, range, parts);
  Reader reader(bytes.slice(0, range.end));
  reader.skip(range.begin);
  ResponseHeader header;
  if (!Codec<ResponseHeader>::decode(reader, header_version, header)) return reader.error();
  const Result<std::string> body = body_json(bytes, reader, range.end, parts);
  if (!body) return body.error();
  printer.json(fmt::format(R"({{"responseHeader":{},"response":{}}})",
                           Codec<ResponseHeader>::to_json(header, header_version), *body));
  return std::nullopt;
}

template <class DecodeOne>
Failure decode_frames(const SharedBytes& bytes, bool have_sizes, DecodeOne&& decode_one) {
  std::size_t begin = 0;
  do {
    const Result<FrameRange> range = next_frame(bytes, begin, have_sizes);
    if (!range) return range.error();
    if (Failure failure = decode_one(*range)) return failure;
    begin = range->end;
  } while (begin < bytes.size());
  return std::nullopt;
}

Failure annotate_from(Printer& printer, const MessageType& type, int version, Annotation annotation,
                      Reader reader) {
  const bool is_read = type.annotate(reader, version, annotation);
  annotation.close_all(reader.offset());
  if (is_read && reader.remaining() > 0)
    reader.fail(std::to_string(reader.remaining()) + " bytes left over");
  printer.annotation(annotation);
  if (reader.failed()) return reader.error();
  return std::nullopt;
}

Failure unsupported(const MessageType& type, int version) {
  const Versions& valid = type.info->valid_versions;
  if (valid.contains(version)) return std::nullopt;
  return malformed(fmt::format("{} has versions {} to {}, not {}", type.info->name, valid.first,
                               valid.last, version),
                   0, "version");
}

// The int16 in front and the message behind it, as rows.
Failure annotate_prefixed(Printer& printer, const MessageType& type, int version,
                          std::string_view prefix, const SharedBytes& bytes) {
  if (Failure failure = unsupported(type, version)) return failure;
  Annotation annotation(bytes);
  Reader reader(bytes);
  annotation.add(std::string(prefix), "int16", std::to_string(reader.int16()), 0, 2);
  annotation.open(std::string(type.info->name), fmt::format("version {}", version), 2);
  return annotate_from(printer, type, version, std::move(annotation), std::move(reader));
}

}  // namespace

Failure decode_body(Printer& printer, const MessageType& type, int version,
                    const SharedBytes& bytes) {
  if (printer.is_annotated())
    return annotate_from(printer, type, version, Annotation(bytes), Reader(bytes));
  const Result<std::string> json = type.to_json(bytes, version);
  if (!json) return json.error();
  printer.json(*json);
  return std::nullopt;
}

Failure decode_versioned(Printer& printer, const MessageType& type, const SharedBytes& bytes) {
  Reader reader(bytes);
  const std::int16_t version = reader.int16();
  if (reader.failed()) return reader.error();
  if (printer.is_annotated()) return annotate_prefixed(printer, type, version, "version", bytes);
  const Result<std::string> json = type.to_json(bytes.slice(2, bytes.size() - 2), version);
  if (!json) return shifted(json.error(), 2);
  printer.json(fmt::format(R"({{"version":{},"data":{}}})", version, *json));
  return std::nullopt;
}

Failure decode_request_frames(Printer& printer, const SharedBytes& bytes) {
  return decode_frames(bytes, have_requests_sizes(bytes), [&](const FrameRange& range) {
    return decode_request_frame(printer, bytes, range);
  });
}

Failure decode_response_frames(Printer& printer, const Api& api, int version,
                               const SharedBytes& bytes) {
  return decode_frames(bytes, have_responses_sizes(api, version, bytes),
                       [&](const FrameRange& range) {
                         return decode_response_frame(printer, api, version, bytes, range);
                       });
}

Failure decode_record(Printer& printer, InternalTopic topic, const SharedBytes& key,
                      const OptionalBytes& value) {
  const Result<std::string> json = internal_record_json(topic, key, value);
  if (!json) return json.error();
  if (!printer.is_annotated()) {
    printer.json(*json);
    return std::nullopt;
  }
  Reader reader(key);
  const InternalRecordType* type = find_internal_record_type(topic, reader.int16());
  if (Failure failure = annotate_prefixed(printer, type->key, 0, "type", key)) return failure;
  if (!value) return std::nullopt;
  Reader value_reader(*value);
  return annotate_prefixed(printer, type->value, value_reader.int16(), "version", *value);
}

Failure decode_batches(Printer& printer, const SharedBytes& bytes) {
  if (printer.is_annotated()) {
    Annotation annotation(bytes);
    annotate_batches(annotation, 0, bytes.size());
    printer.annotation(annotation);
  }
  std::vector<std::string> documents;
  Failure failure;
  for (std::size_t at = 0; at < bytes.size() && !failure;) {
    const Result<RecordBatchView> batch = RecordBatchView::open(bytes.slice(at, bytes.size() - at));
    if (!batch) return shifted(batch.error(), at);
    const Result<std::string> json = batch_json(*batch, std::nullopt);
    if (!json) return shifted(json.error(), at);
    documents.push_back(*json);
    if (!batch->is_crc_valid())
      failure = malformed("a CRC that does not match the content", at + 17, "crc");
    at += batch->bytes().size();
  }
  if (documents.empty()) return malformed("no batch", 0, {});
  if (printer.is_annotated()) return failure;
  if (documents.size() == 1) {
    printer.json(documents.front());
  } else {
    std::string all;
    for (const std::string& document : documents) all += (all.empty() ? "[" : ",") + document;
    printer.json(all + "]");
  }
  return failure;
}

}  // namespace fencepost::tools::wire
