#include "tools/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "protocol/catalog.h"
#include "protocol/json.h"
#include "tools/exit_code.h"
#include "tools/wire/message_lookup.h"

namespace fencepost::tools {

using namespace protocol;

namespace {

struct ApiCommand {
  std::string name;
  std::optional<std::string> version;
  bool is_json = false;
};

int refuse(const Error& error) {
  fmt::print(stderr, "fencepost api: {}\n", error.text);
  return exit_wrong_input;
}

// "0+", "2-4", "3", "" as Kafka's schemas write it, within the versions that the message has.
std::string versions_text(const Versions& versions, const Versions& valid) {
  const int first = std::max(versions.first, valid.first);
  const int last = std::min(versions.last, valid.last);
  if (versions.is_empty() || first > last) return "";
  if (last == valid.last && last < versions.last) return fmt::format("{}+", first);
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

std::string tag_text(const FieldDescription& field, const Versions& valid) {
  const std::string versions = versions_text(field.tagged_versions, valid);
  return versions.empty() ? "" : fmt::format("{} in {}", field.tag, versions);
}

// ---- one message

using Row = std::vector<std::string>;

void print_rows(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("  {}\n", line);
  }
}

// The last name of a path, one step to the right for each name in front of it.
std::string indented(const std::string& path) {
  const auto depth = static_cast<std::size_t>(std::ranges::count(path, '.'));
  std::string name = path.substr(path.rfind('.') + 1);
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z')
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return std::string(2 * depth, ' ') + name;
}

// "2-4", or "3" when there is no other.
std::string range_text(const Versions& valid) {
  if (valid.first == valid.last) return std::to_string(valid.first);
  return fmt::format("{}-{}", valid.first, valid.last);
}

std::string heading(const MessageInfo& info) {
  std::string out =
      fmt::format("{}  {} {}", info.name,
                  info.valid_versions.first == info.valid_versions.last ? "version" : "versions",
                  range_text(info.valid_versions));
  if (info.kind == MessageKind::data && info.api_key >= 0)
    out += fmt::format(", record type {}", info.api_key);
  const std::string flexible = versions_text(info.flexible_versions, info.valid_versions);
  out += flexible.empty() ? ", never flexible" : fmt::format(", flexible {}", flexible);
  if (info.is_latest_unstable) out += fmt::format(", {} unstable", info.valid_versions.last);
  return out;
}

bool is_shown(const FieldDescription& field, const std::optional<int>& version) {
  return field.path != "." && (!version || field.versions.contains(*version));
}

void print_table(const MessageType& type, const std::optional<int>& version) {
  const Versions& valid = type.info->valid_versions;
  std::vector<Row> rows{{"field", "type", "versions", "nullable", "tagged", "default", ""}};
  for (const FieldDescription& field : type.describe())
    if (is_shown(field, version))
      rows.push_back({indented(field.path), field.type, versions_text(field.versions, valid),
                      versions_text(field.nullable_versions, valid), tag_text(field, valid),
                      field.default_json, field.is_ignorable ? "ignorable" : ""});
  fmt::print("{}\n", heading(*type.info));
  if (rows.size() > 1)
    print_rows(rows);
  else
    fmt::print("  no fields\n");
}

std::string message_json(const MessageType& type, const std::optional<int>& version) {
  const MessageInfo& info = *type.info;
  std::string fields;
  for (const FieldDescription& field : type.describe()) {
    if (!is_shown(field, version)) continue;
    const auto text = [&](const Versions& versions) {
      return versions_text(versions, info.valid_versions);
    };
    fields += fmt::format(
        R"({}{{"path":"{}","type":"{}","versions":"{}","nullable":"{}","tagged":"{}","tag":{},)"
        R"("default":{},"ignorable":{}}})",
        fields.empty() ? "" : ",", field.path, field.type, text(field.versions),
        text(field.nullable_versions), text(field.tagged_versions),
        field.tagged_versions.is_empty() ? "null" : std::to_string(field.tag), field.default_json,
        field.is_ignorable);
  }
  return fmt::format(R"({{"name":"{}","versions":"{}-{}","flexible":"{}","fields":[{}]}})",
                     info.name, info.valid_versions.first, info.valid_versions.last,
                     versions_text(info.flexible_versions, info.valid_versions), fields);
}

int show(const ApiCommand& command, const std::vector<const MessageType*>& types) {
  std::optional<int> version;
  if (command.version) {
    const Result<int> parsed = wire::parse_version(*types.front()->info, *command.version);
    if (!parsed) return refuse(parsed.error());
    version = *parsed;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (command.is_json) {
      fmt::print("{}\n", message_json(*types[i], version));
    } else {
      if (i > 0) fmt::print("\n");
      print_table(*types[i], version);
    }
  }
  return exit_held;
}

// ---- all of them

int list(const ApiCommand& command) {
  std::vector<Row> rows{{"key", "name", "versions", "flexible", ""}};
  for (const Api& api : apis()) {
    const MessageInfo& info = *api.request.info;
    const std::string flexible = versions_text(info.flexible_versions, info.valid_versions);
    const int key = static_cast<int>(api.key);
    if (command.is_json)
      fmt::print(R"({{"key":{},"name":"{}","versions":"{}-{}","flexible":"{}","unstable":{}}})"
                 "\n",
                 key, api.name, info.valid_versions.first, info.valid_versions.last, flexible,
                 info.is_latest_unstable);
    rows.push_back(
        {std::to_string(key), std::string(api.name), range_text(info.valid_versions), flexible,
         info.is_latest_unstable ? fmt::format("{} unstable", info.valid_versions.last) : ""});
  }
  if (!command.is_json) print_rows(rows);
  return exit_held;
}

int run(const ApiCommand& command) {
  if (command.name.empty()) return list(command);
  const Result<const Api*> api = wire::find_api(command.name);
  if (api) return show(command, {&(*api)->request, &(*api)->response});
  const Result<const MessageType*> type = wire::find_message(command.name, wire::Side::request);
  return type ? show(command, {*type}) : refuse(type.error());
}

// The messages that belong to no API, a few to a line.
std::string other_messages() {
  constexpr std::size_t letters_max = 90;
  std::string out = "Messages that are no API:";
  std::size_t letters = letters_max;
  for (const MessageType& type : message_types()) {
    const MessageInfo& info = *type.info;
    if (info.kind == MessageKind::request || info.kind == MessageKind::response) continue;
    if (letters + info.name.size() > letters_max) {
      out += "\n ";
      letters = 0;
    }
    out += fmt::format(" {}", info.name);
    letters += info.name.size() + 1;
  }
  return out;
}

}  // namespace

void add_api(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<ApiCommand>();
  CLI::App* api = app.add_subcommand("api", "List Kafka's APIs, or show the fields of one");
  api->footer(other_messages());
  api->add_option("name", command->name,
                  "An API (EndTxn, end_txn, 26) or another message (TransactionLogValue)");
  api->add_option("--version", command->version, "Only the fields of this version");
  api->add_flag("--json", command->is_json, "One JSON object a line");
  api->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace fencepost::tools
