// Decoding with an observer that writes down what each byte is.
#include "protocol/annotation.h"
#include "protocol/codec_decoder.h"

namespace fencepost::protocol::walk {

namespace {

class Annotator {
 public:
  Annotator(Reader& reader, Annotation& annotation, const Context& context)
      : reader_(&reader), annotation_(&annotation), context_(context) {}

  void enter(std::string_view name) { place_ = {std::string(name), std::nullopt}; }
  void enter_element(std::size_t index) { place_.index = index; }
  void open(const StructTable& table) {
    annotation_->open(name(), std::string(table.type_name), reader_->offset());
    outer_.push_back(std::move(place_));
    place_ = {};
  }
  void close() {
    annotation_->close(reader_->offset());
    place_ = std::move(outer_.back());
    outer_.pop_back();
  }

  void value(const ValueType& type, const void* value, std::size_t begin) {
    if (type.kind == ValueKind::records && reader_->offset() > begin) {
      annotation_->open(name(), "records", begin);
      annotate_batches(*annotation_, begin, reader_->offset());
      annotation_->close(reader_->offset());
      return;
    }
    std::string json;
    append_json(json, type, value, context_);
    add(name(), type_name(type), std::move(json), begin);
  }
  // A compact length travels as one more than it is, so that 0 can stand for null.
  void length(ValueKind kind, std::int32_t length, bool is_compact, std::size_t begin) {
    const char* type = kind == ValueKind::string && !is_compact ? "int16" : "int32";
    std::string what = kind == ValueKind::array ? "count" : "length";
    add(name(),
        (is_compact ? "varint " : std::string(type) + " ") + what + (is_compact ? "+1" : ""),
        length < 0 ? "null" : std::to_string(length), begin);
  }
  void presence(bool is_present, const char* type, std::size_t begin) {
    add(name(), std::string(type) + " presence", is_present ? "present" : "null", begin);
  }
  void tag_count(std::uint32_t count, std::size_t begin) {
    add("_tagged_fields", "varint count", std::to_string(count), begin);
  }
  void tag(std::uint32_t tag, std::size_t begin, std::uint32_t size, std::size_t size_at) {
    annotation_->add("_tag", "varint", std::to_string(tag), begin, size_at);
    add("_tag", "varint length", std::to_string(size), size_at);
  }
  void unknown_tag(std::size_t begin) { add("_unknown", "bytes", "", begin); }

 private:
  struct Place {
    std::string name;
    std::optional<std::size_t> index;
  };

  std::string name() const {
    return place_.index ? place_.name + bracketed(*place_.index) : place_.name;
  }
  void add(std::string name, std::string type, std::string value, std::size_t begin) {
    annotation_->add(std::move(name), std::move(type), std::move(value), begin, reader_->offset());
  }

  Reader* reader_;
  Annotation* annotation_;
  Context context_;
  Place place_;
  std::vector<Place> outer_;
};

}  // namespace

bool annotate(Reader& reader, const StructTable& table, void* structure, const Context& context,
              Annotation& annotation) {
  return Decoder<Annotator>(reader, Annotator(reader, annotation, context))
      .structure(table, structure, context);
}

}  // namespace fencepost::protocol::walk
