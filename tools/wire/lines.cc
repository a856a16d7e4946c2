#include "tools/wire/lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "protocol/json.h"
#include "tools/wire/input.h"
#include "tools/wire/message_lookup.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 18;

// What a line says before its last column.
struct Line {
  const MessageType* type = nullptr;
  int version = 0;
  std::string_view content;
};

Result<Line> split(std::string_view text) {
  std::array<std::string_view, 3> columns;
  for (std::string_view& column : columns) {
    const std::size_t tab = text.find('\t');
    if (tab == std::string_view::npos)
      return Error{ErrorKind::invalid_argument,
                   "a line has four columns, separated by tabs: api, version, request or "
                   "response, and the message",
                   0,
                   {}};
    column = text.substr(0, tab);
    text.remove_prefix(tab + 1);
  }
  const Result<Side> side = parse_side(columns[2]);
  if (!side) return side.error();
  const Result<const MessageType*> type = find_message(columns[0], *side);
  if (!type) return type.error();
  const Result<int> version = parse_version(*(*type)->info, columns[1]);
  if (!version) return version.error();
  return Line{*type, *version, text};
}

Result<std::string> decode(std::string_view text) {
  const Result<Line> line = split(text);
  if (!line) return line.error();
  const Result<SharedBytes> bytes = parse_bytes(line->content, Encoding::hex);
  if (!bytes) return bytes.error();
  return line->type->to_json(*bytes, line->version);
}

Result<std::string> encode(std::string_view text) {
  const Result<Line> line = split(text);
  if (!line) return line.error();
  const Result<JsonDocument> json = JsonDocument::parse(line->content);
  if (!json) return json.error();
  const Result<Frame> frame = line->type->from_json(json->root(), line->version);
  if (!frame) return frame.error();
  return to_hex(frame->flatten().view());
}

bool write_all(int out, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(out, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string_view without_carriage_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string error_json(const Error& error) {
  std::string out = "{\"error\":";
  append_json_string(out, to_string(error));
  if (!error.field.empty()) {
    out += ",\"field\":";
    append_json_string(out, error.field);
  }
  if (error.kind == ErrorKind::malformed) out += ",\"offset\":" + std::to_string(error.offset);
  return out + "}";
}

std::string decode_line(std::string_view line) {
  const Result<std::string> json = decode(line);
  return json ? *json : error_json(json.error());
}

std::string encode_line(std::string_view line) {
  const Result<std::string> hex = encode(line);
  return hex ? *hex : error_json(hex.error());
}

bool answer_lines(int in, int out, std::string (*answer)(std::string_view line)) {
  std::vector<char> chunk(chunk_bytes);
  std::string pending;  // a line whose end has not come yet
  std::string answers;
  const auto answer_one = [&](std::string_view line) {
    answers += answer(without_carriage_return(line));
    answers += '\n';
  };
  while (true) {
    const ssize_t count = ::read(in, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    std::string_view text(chunk.data(), static_cast<std::size_t>(count));
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      pending += text.substr(0, end);
      answer_one(pending);
      pending.clear();
      text.remove_prefix(end + 1);
    }
    pending += text;
    if (!write_all(out, answers)) return false;
    answers.clear();
  }
  if (!pending.empty()) answer_one(pending);
  return write_all(out, answers);
}

}  // namespace fencepost::tools::wire
