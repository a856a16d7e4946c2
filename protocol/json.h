// JSON as the codec reads and writes it: a view of a parsed document, and the escapes of strings.
// The library behind it stays in json.cc, out of every message's compile time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::protocol {

// A value inside a JsonDocument; valid as long as the document.
class JsonValue {
 public:
  explicit JsonValue(const void* node) : node_(node) {}

  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  std::optional<bool> boolean() const;
  // A whole number in [min, max]; 1.0 is not one.
  std::optional<std::int64_t> integer(std::int64_t min, std::int64_t max) const;
  std::optional<double> number() const;
  std::optional<std::string> text() const;
  std::optional<ByteVector> base64() const;

  std::size_t size() const;  // of an array
  JsonValue element(std::size_t index) const;
  std::optional<JsonValue> member(std::string_view name) const;
  // The first member of an object that is not among `names`, if there is one.
  std::optional<std::string> member_not_in(const std::string_view* names, std::size_t count) const;

 private:
  const void* node_;
};

class JsonDocument {
 public:
  static Result<JsonDocument> parse(std::string_view text);
  JsonValue root() const { return JsonValue(node_.get()); }

 private:
  explicit JsonDocument(std::shared_ptr<const void> node) : node_(std::move(node)) {}
  std::shared_ptr<const void> node_;
};

// Appends the text with quotes and escapes. What is not UTF-8 becomes U+FFFD, as in a string that
// Kafka's Java reads from the same bytes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace fencepost::protocol
