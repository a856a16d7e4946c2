#include "minibroker/server/control/fields.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "protocol/base/nearest.h"

namespace fencepost::minibroker::server {

namespace {

using Json = nlohmann::json;
using Value = std::variant<std::string, std::int64_t>;

Error wrong(std::string_view field, std::string text) {
  return {ErrorKind::invalid_argument, std::move(text), 0, std::string(field)};
}

Result<Value> number_of(const ControlField& field, std::int64_t number) {
  if (number >= field.min) return Value(number);
  return wrong(field.name, "has to be at least " + std::to_string(field.min) + ", not " +
                               std::to_string(number));
}

Result<Value> from_text(const ControlField& field, const std::string& text) {
  if (field.type != FieldType::text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end)
      return wrong(field.name, "has to be a whole number, not '" + text + "'");
    return number_of(field, number);
  }
  if (!field.words.empty() && std::ranges::find(field.words, text) == field.words.end()) {
    std::string known;
    for (std::string_view word : field.words)
      known += (known.empty() ? "" : ", ") + std::string(word);
    return wrong(field.name, "has to be one of " + known + "; not '" + text + "'");
  }
  return Value(text);
}

Result<Value> from_json(const ControlField& field, const Json& json) {
  if (field.type == FieldType::text) {
    if (json.is_string()) return from_text(field, json.get<std::string>());
    return wrong(field.name, "has to be a string, not " + json.dump());
  }
  const bool is_too_large =
      json.is_number_unsigned() &&
      json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  if (json.is_number_integer() && !is_too_large) return number_of(field, json.get<std::int64_t>());
  return wrong(field.name, "has to be a whole number, not " + json.dump());
}

const ControlField* find(std::span<const ControlField> fields, FieldPlace place,
                         std::string_view name) {
  const auto at = std::ranges::find_if(
      fields, [&](const ControlField& it) { return it.place == place && it.name == name; });
  return at == fields.end() ? nullptr : &*at;
}

Error unknown(std::span<const ControlField> fields, FieldPlace place, const std::string& name) {
  std::vector<std::string_view> known;
  for (const ControlField& field : fields)
    if (field.place == place) known.push_back(field.name);
  return wrong(name, "is not known here" + did_you_mean(name, known));
}

Result<Json> body_of(const ControlRequest& request) {
  if (request.body.empty()) return Json::object();
  Json body = Json::parse(request.body, nullptr, false);
  if (body.is_object()) return body;
  return wrong("body", "has to be a JSON object");
}

}  // namespace

Result<ControlValues> ControlValues::read(std::span<const ControlField> fields,
                                          const std::map<std::string, std::string>& path,
                                          const ControlRequest& request) {
  ControlValues values;
  const auto keep = [&](const ControlField* field, FieldPlace place, const std::string& name,
                        const auto& read) -> Result<void> {
    if (field == nullptr) return unknown(fields, place, name);
    Result<Value> value = read(*field);
    if (!value.ok()) return value.error();
    values.values_.insert_or_assign(name, std::move(*value));
    return {};
  };
  for (const auto place : {FieldPlace::path, FieldPlace::query}) {
    for (const auto& [name, text] : place == FieldPlace::path ? path : request.query) {
      Result<void> kept = keep(find(fields, place, name), place, name,
                               [&](const ControlField& it) { return from_text(it, text); });
      if (!kept.ok()) return kept.error();
    }
  }
  Result<Json> body = body_of(request);
  if (!body.ok()) return body.error();
  for (const auto& [name, json] : body->items()) {
    Result<void> kept =
        keep(find(fields, FieldPlace::body, name), FieldPlace::body, name,
             [&, &value = json](const ControlField& it) { return from_json(it, value); });
    if (!kept.ok()) return kept.error();
  }
  for (const ControlField& field : fields)
    if (field.is_required && !values.has(std::string(field.name)))
      return wrong(field.name, "is missing");
  return values;
}

std::optional<std::string> ControlValues::text(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::nullopt : std::optional(std::get<std::string>(at->second));
}

std::optional<std::int64_t> ControlValues::integer(const std::string& name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::nullopt : std::optional(std::get<std::int64_t>(at->second));
}

std::optional<int> ControlValues::number(const std::string& name) const {
  constexpr std::int64_t least = std::numeric_limits<int>::min(),
                         most = std::numeric_limits<int>::max();
  const auto value = integer(name);
  return value ? std::optional(static_cast<int>(std::clamp(*value, least, most))) : std::nullopt;
}

std::optional<Duration> ControlValues::duration(const std::string& name) const {
  // No wait and no clock needs more than a thousand years; what is longer would overflow.
  constexpr std::int64_t longest = std::int64_t{1000} * 365 * 24 * 3600 * 1000 / 4;
  const auto value = integer(name);
  return value ? std::optional(milliseconds(std::min(*value, longest))) : std::nullopt;
}

}  // namespace fencepost::minibroker::server
