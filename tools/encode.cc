#include "tools/encode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "protocol/json.h"
#include "protocol/writer.h"
#include "tools/exit_code.h"
#include "tools/wire/lines.h"
#include "tools/wire/message_lookup.h"
#include "tools/wire/read_input.h"

namespace fencepost::tools {

using namespace protocol;

namespace {

struct EncodeCommand {
  std::optional<std::string> api;
  std::optional<std::string> version;
  std::optional<std::string> request;
  std::optional<std::string> response;
  std::optional<std::string> data;
  bool is_frame = false;
  bool is_lines = false;
  bool is_base64 = false;
  bool is_raw = false;
};

Error wrong(std::string text) {
  return Error{ErrorKind::invalid_argument, std::move(text), 0, {}};
}

// What is to be encoded, and as what.
struct Task {
  const MessageType* type;
  int version;
  std::string json;
};

Result<Task> task_of(const EncodeCommand& command) {
  if (!command.api) return wrong("name the message with --api");
  if (command.request.has_value() + command.response.has_value() + command.data.has_value() != 1)
    return wrong("give one of --request, --response, --data, --lines");
  const wire::Side side = command.response ? wire::Side::response : wire::Side::request;
  const Result<const MessageType*> type = wire::find_message(*command.api, side);
  if (!type) return type.error();
  const Result<int> version = wire::parse_version(*(*type)->info, command.version.value_or(""));
  if (!version) return version.error();
  const std::optional<std::string>& argument = command.response  ? command.response
                                               : command.request ? command.request
                                                                 : command.data;
  Result<std::string> json = wire::argument_or_stdin(*argument);
  if (!json) return json.error();
  return Task{*type, *version, std::move(*json)};
}

Result<Frame> encode_json(const MessageType& type, std::string_view text, int version) {
  const Result<JsonDocument> json = JsonDocument::parse(text);
  if (!json) return json.error();
  return type.from_json(json->root(), version);
}

// A member of the object as text of its own.
Result<std::string> member(const std::string& text, const std::string& name) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return wrong("a frame has to be a JSON object");
  const auto found = json.find(name);
  if (found == json.end()) return wrong(fmt::format("the frame has no member \"{}\"", name));
  return found->dump();
}

// Size, header and body, from the JSON that `fencepost decode --frame` prints.
Result<Frame> encode_frame(const EncodeCommand& command, const Task& task) {
  const Result<const Api*> api = wire::find_api(*command.api);
  if (!api) return api.error();
  const bool is_request = !command.response;
  const std::string side = is_request ? "request" : "response";
  const Result<std::string> header_json = member(task.json, side + "Header");
  if (!header_json) return header_json.error();
  const Result<std::string> body_json = member(task.json, side);
  if (!body_json) return body_json.error();
  const Result<const MessageType*> header_type =
      wire::find_message(is_request ? "RequestHeader" : "ResponseHeader", wire::Side::request);
  if (!header_type) return header_type.error();
  const int header_version = is_request ? request_header_version(**api, task.version)
                                        : response_header_version(**api, task.version);
  Result<Frame> header = encode_json(**header_type, *header_json, header_version);
  if (!header) return header.error();
  Result<Frame> body = encode_json(*task.type, *body_json, task.version);
  if (!body) return body.error();
  Writer size;
  size.int32(static_cast<std::int32_t>(header->size() + body->size()));
  Frame frame = size.finish();
  frame.append(*header);
  frame.append(*body);
  return frame;
}

Result<Frame> encode(const EncodeCommand& command) {
  const Result<Task> task = task_of(command);
  if (!task) return task.error();
  if (command.is_frame) return encode_frame(command, *task);
  Result<Frame> body = encode_json(*task->type, task->json, task->version);
  if (!body || !command.data) return body;
  Writer version;
  version.int16(static_cast<std::int16_t>(task->version));
  Frame frame = version.finish();
  frame.append(*body);
  return frame;
}

int run(const EncodeCommand& command) {
  if (command.is_lines)
    return wire::answer_lines(STDIN_FILENO, STDOUT_FILENO, wire::encode_line) ? exit_held
                                                                              : exit_wrong_input;
  const Result<Frame> frame = encode(command);
  if (!frame) {
    fmt::print(stderr, "fencepost encode: {}\n", to_string(frame.error()));
    return exit_wrong_input;
  }
  const SharedBytes bytes = frame->flatten();
  if (command.is_raw)
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  else
    fmt::print("{}\n", command.is_base64 ? to_base64(bytes.view()) : to_hex(bytes.view()));
  return exit_held;
}

void add_json(CLI::App& app, const std::string& name, std::optional<std::string>& out,
              const std::string& description) {
  app.add_option(name, out, description)->expected(0, 1)->default_str("-")->type_name("JSON");
}

}  // namespace

void add_encode(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<EncodeCommand>();
  CLI::App* encode = app.add_subcommand("encode", "Turn Kafka's JSON into the bytes of the wire");
  encode->footer("Without JSON, or for -, what the standard input holds. Prints hex.");
  encode->add_option("--api", command->api, "API (EndTxn), or message of Kafka's schemas");
  encode->add_option("--version", command->version, "Its version");
  add_json(*encode, "--request", command->request, "Body of a request");
  add_json(*encode, "--response", command->response, "Body of a response");
  add_json(*encode, "--data", command->data, "Message to be written with its version in front");
  encode->add_flag("--frame", command->is_frame,
                   "With size and header: {\"requestHeader\": ..., \"request\": ...}");
  CLI::Option* base64 = encode->add_flag("--base64", command->is_base64, "Print base64");
  encode->add_flag("--raw", command->is_raw, "Print the bytes themselves")->excludes(base64);
  encode->add_flag("--lines", command->is_lines,
                   "Answer lines of API, version, request or response, and JSON, separated by "
                   "tabs");
  encode->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace fencepost::tools
