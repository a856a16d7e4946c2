#include "tools/wire/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include "protocol/api.h"
#include "protocol/error_code.h"
#include "protocol/json.h"
#include "protocol/records/compression.h"
#include "protocol/records/record_batch.h"
#include "tools/wire/json_layout.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

constexpr std::size_t bytes_a_line = 8;
constexpr std::size_t bytes_max = 128;
constexpr std::size_t value_letters_max = 60;

std::string range_of(const AnnotatedField& field) {
  if (field.begin == field.end) return "";
  if (field.begin + 1 == field.end) return std::to_string(field.begin);
  return fmt::format("{}-{}", field.begin, field.end - 1);
}

std::string spaced_hex(ByteView bytes) {
  std::string out;
  for (std::uint8_t byte : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", byte);
  return out;
}

std::string time_text(std::int64_t timestamp) {
  using namespace std::chrono;
  const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(timestamp)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string attributes_text(std::int64_t attributes) {
  std::string out;
  if (const auto compression = compression_of(static_cast<int>(attributes & 7));
      compression && *compression != CompressionType::none)
    out += std::string(to_string(*compression)) + " ";
  if ((attributes & 0x08) != 0) out += "append-time ";
  if ((attributes & 0x10) != 0) out += "transactional ";
  if ((attributes & 0x20) != 0) out += "control ";
  if ((attributes & 0x40) != 0) out += "delete-horizon ";
  if (!out.empty()) out.pop_back();
  return out;
}

std::string control_type_text(std::int64_t type) {
  if (type == static_cast<std::int64_t>(ControlType::abort)) return "ABORT";
  if (type == static_cast<std::int64_t>(ControlType::commit)) return "COMMIT";
  return type == static_cast<std::int64_t>(ControlType::leader_change) ? "LEADER_CHANGE" : "";
}

// What the number means, where that is more than the number; `group` is the type of the group that
// stands above it.
std::string meaning(const AnnotatedField& field, std::string_view group) {
  std::int64_t number = 0;
  const char* end = field.value.data() + field.value.size();
  if (field.value.empty() || std::from_chars(field.value.data(), end, number).ptr != end) return "";
  if (field.name == "errorCode" && field.type == "int16")
    return to_string(static_cast<ErrorCode>(number));
  if (field.name == "requestApiKey") return std::string(to_string(static_cast<ApiKey>(number)));
  if (field.name == "type" && group == "ControlRecordType") return control_type_text(number);
  if (field.name == "attributes" && field.type == "int16") return attributes_text(number);
  constexpr std::int64_t last_timestamp = 253402300799999;  // the end of the year 9999
  if (field.type == "int64" && number > 0 && number <= last_timestamp &&
      field.name.find("imestamp") != std::string::npos)
    return time_text(number);
  return "";
}

std::string value_text(const AnnotatedField& field, std::string_view group) {
  if (field.value.size() > value_letters_max)
    return field.value.substr(0, value_letters_max) + "...";
  const std::string note = meaning(field, group);
  return note.empty() ? field.value : field.value + "  " + note;
}

}  // namespace

void Printer::json(std::string_view document) {
  if (options_.is_json)
    fmt::print(out_, "{}\n", document);
  else
    fmt::print(out_, "{}\n", indented_json(document));
}

void Printer::annotation(const Annotation& annotation) {
  std::string_view group;
  for (const AnnotatedField& field : annotation.fields()) {
    if (field.is_group) group = field.type;
    options_.is_json ? field_as_json(field) : field_as_text(field, group);
  }
}

void Printer::field_as_text(const AnnotatedField& field, std::string_view group) {
  const std::string name = std::string(2 * static_cast<std::size_t>(field.depth), ' ') + field.name;
  const ByteView bytes = field.is_group ? ByteView{} : field.bytes.view();
  const std::size_t shown = std::min(bytes.size(), bytes_max);
  std::string line = fmt::format("{:>9}  {:<23}  {:<32} {:<17} {}", range_of(field),
                                 spaced_hex(bytes.first(std::min(shown, bytes_a_line))), name,
                                 field.type, value_text(field, group));
  line.erase(line.find_last_not_of(' ') + 1);
  fmt::print(out_, "{}\n", line);
  for (std::size_t at = bytes_a_line; at < shown; at += bytes_a_line)
    fmt::print(out_, "{:>9}  {}\n", "",
               spaced_hex(bytes.subspan(at, std::min(shown - at, bytes_a_line))));
  if (shown < bytes.size())
    fmt::print(out_, "{:>9}  ... {} more bytes\n", "", bytes.size() - shown);
}

void Printer::field_as_json(const AnnotatedField& field) {
  std::string out = fmt::format(R"({{"depth":{},"name":)", field.depth);
  append_json_string(out, field.name);
  out += R"(,"type":)";
  append_json_string(out, field.type);
  out += fmt::format(R"(,"offset":{},"size":{})", field.begin, field.end - field.begin);
  if (field.is_unpacked) out += R"(,"unpacked":true)";
  if (!field.is_group) {
    out += R"(,"bytes":")" + to_hex(field.bytes.view()) + R"(","value":)";
    append_json_string(out, field.value);
  }
  fmt::print(out_, "{}}}\n", out);
}

}  // namespace fencepost::tools::wire
