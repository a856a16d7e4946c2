// What a route of the control API takes, listed once: reading a request's values and the OpenAPI
// document are walks over the same list.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::server {

enum class FieldPlace { path, query, body };
enum class FieldType { text, integer, milliseconds };

struct ControlField {
  std::string_view name;
  FieldPlace place = FieldPlace::body;
  FieldType type = FieldType::text;
  std::string_view description;
  bool is_required = false;
  std::vector<std::string_view> words = {};  // of text: the only ones that there are
  std::int64_t min = 0;                      // of numbers
};

// One HTTP request, as far as the control API looks at it.
struct ControlRequest {
  std::string method;  // "GET"
  std::string path;    // "/v1/faults/3", percent-decoded
  std::map<std::string, std::string> query = {};
  std::string body = {};
};

// The values of a request, each checked against its field.
class ControlValues {
 public:
  // Errors: invalid_argument, with the field: unknown (and the nearest known one), missing, of the
  // wrong type, below its minimum, or not one of its words.
  static Result<ControlValues> read(std::span<const ControlField> fields,
                                    const std::map<std::string, std::string>& path,
                                    const ControlRequest& request);

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;
  std::optional<int> number(const std::string& name) const;
  std::optional<Duration> duration(const std::string& name) const;

 private:
  std::map<std::string, std::variant<std::string, std::int64_t>> values_;
};

}  // namespace fencepost::minibroker::server
