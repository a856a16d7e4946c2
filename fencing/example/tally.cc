#include "fencing/example/tally.h"

#include <charconv>

namespace fencepost::fencing::example {

namespace {

// Takes "name=NUMBER" and the space behind it off the text.
bool take(std::string_view* text, std::string_view name, std::int64_t* number) {
  if (!text->starts_with(name)) return false;
  text->remove_prefix(name.size());
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (parsed.ec != std::errc()) return false;
  text->remove_prefix(static_cast<std::size_t>(parsed.ptr - text->data()));
  if (text->starts_with(' ')) text->remove_prefix(1);
  return true;
}

}  // namespace

Tally fold(Tally tally, std::int64_t offset, std::string_view value) {
  if (offset <= tally.last_offset) return tally;
  std::int64_t number = 0;
  if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc())
    number = 0;
  ++tally.count;
  tally.sum += number;
  tally.last_offset = offset;
  return tally;
}

std::string to_string(const Tally& tally) {
  return "count=" + std::to_string(tally.count) + " sum=" + std::to_string(tally.sum) +
         " last_offset=" + std::to_string(tally.last_offset);
}

std::optional<Tally> parse_tally(std::string_view text) {
  Tally tally;
  const bool is_whole = take(&text, "count=", &tally.count) && take(&text, "sum=", &tally.sum) &&
                        take(&text, "last_offset=", &tally.last_offset) && text.empty();
  if (!is_whole) return std::nullopt;
  return tally;
}

}  // namespace fencepost::fencing::example
