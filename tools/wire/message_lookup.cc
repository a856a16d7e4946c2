#include "tools/wire/message_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "protocol/base/nearest.h"
#include "protocol/catalog.h"

namespace fencepost::tools::wire {

using namespace protocol;

namespace {

Error wrong(std::string text) {
  return Error{ErrorKind::invalid_argument, std::move(text), 0, {}};
}

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The name without what spellings differ in.
std::string plain(std::string_view name) {
  std::string out;
  for (char letter : name) {
    if (letter == '_' || letter == '-') continue;
    out += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return out;
}

const Api* find_in_any_spelling(std::string_view name) {
  if (const Api* api = protocol::find_api(name)) return api;
  if (const std::optional<int> key = parse_number(name)) {
    const auto found = std::ranges::find_if(
        apis(), [&](const Api& api) { return static_cast<int>(api.key) == *key; });
    return found == apis().end() ? nullptr : &*found;
  }
  const auto found = std::ranges::find_if(
      apis(), [plain_name = plain(name)](const Api& api) { return plain(api.name) == plain_name; });
  return found == apis().end() ? nullptr : &*found;
}

Error unknown_api(std::string_view name, bool with_messages) {
  std::vector<std::string_view> names;
  for (const Api& api : apis()) names.push_back(api.name);
  if (with_messages)
    for (const MessageType& type : message_types()) names.push_back(type.info->name);
  return wrong(fmt::format("unknown api '{}'{}", name, did_you_mean(name, names)));
}

}  // namespace

Result<Side> parse_side(std::string_view text) {
  if (text == "request") return Side::request;
  if (text == "response") return Side::response;
  return wrong(fmt::format("'{}' is neither request nor response", text));
}

Result<const Api*> find_api(std::string_view name) {
  const Api* api = find_in_any_spelling(name);
  if (api == nullptr) return unknown_api(name, false);
  return api;
}

Result<const MessageType*> find_message(std::string_view name, Side side) {
  if (const Api* api = find_in_any_spelling(name))
    return side == Side::request ? &api->request : &api->response;
  if (const MessageType* type = find_message_type(name)) return type;
  return unknown_api(name, true);
}

Result<int> parse_version(const MessageInfo& info, std::string_view text) {
  const std::optional<int> version = parse_number(text);
  if (version && info.valid_versions.contains(*version)) return *version;
  const auto [first, last] = std::pair(info.valid_versions.first, info.valid_versions.last);
  if (text.empty())
    return wrong(fmt::format("give the version: {} has {} to {}", info.name, first, last));
  return Error{ErrorKind::unsupported_version,
               fmt::format("{} has versions {} to {}, not {}", info.name, first, last, text),
               0,
               {}};
}

}  // namespace fencepost::tools::wire
