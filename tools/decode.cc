#include "tools/decode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "tools/exit_code.h"
#include "tools/wire/decode_bytes.h"
#include "tools/wire/input.h"
#include "tools/wire/lines.h"
#include "tools/wire/message_lookup.h"
#include "tools/wire/read_input.h"

namespace fencepost::tools {

using namespace protocol;

namespace {

using wire::Failure;

struct DecodeCommand {
  std::optional<std::string> api;
  std::optional<std::string> version;
  std::optional<std::string> request;
  std::optional<std::string> response;
  std::optional<std::string> frame;
  std::optional<std::string> data;
  std::optional<std::string> batch;
  std::optional<std::string> record;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::optional<std::string> file;
  bool is_lines = false;
  bool is_base64 = false;
  bool is_raw = false;
  wire::Printer::Options output;
};

Error wrong(std::string text) {
  return Error{ErrorKind::invalid_argument, std::move(text), 0, {}};
}

Result<SharedBytes> bytes_of(const DecodeCommand& command, const std::string& argument) {
  const Result<std::string> text = wire::argument_or_stdin(argument);
  if (!text) return text.error();
  const wire::Encoding encoding = command.is_base64 ? wire::Encoding::base64
                                  : command.is_raw  ? wire::Encoding::raw
                                                    : wire::Encoding::automatic;
  return wire::parse_bytes(*text, encoding);
}

Failure decode_frame(const DecodeCommand& command, wire::Printer& printer) {
  // As in `--frame HEX --response` and in `--response HEX --frame`.
  std::string argument = *command.frame;
  for (const auto& other : {command.request, command.response})
    if (argument == "-" && other) argument = *other;
  const Result<SharedBytes> bytes = bytes_of(command, argument);
  if (!bytes) return bytes.error();
  const bool is_response = command.response || (!command.request && command.api);
  if (!is_response) return wire::decode_request_frames(printer, *bytes);
  if (!command.api || !command.version)
    return wrong("the header of a response does not say what it answers: give --api and --version");
  const Result<const Api*> api = wire::find_api(*command.api);
  if (!api) return api.error();
  const Result<int> version = wire::parse_version(*(*api)->response.info, *command.version);
  if (!version) return version.error();
  return wire::decode_response_frames(printer, **api, *version, *bytes);
}

Failure decode_message(const DecodeCommand& command, wire::Printer& printer) {
  if (!command.api) return wrong("name the message with --api");
  const wire::Side side = command.response ? wire::Side::response : wire::Side::request;
  const Result<const MessageType*> type = wire::find_message(*command.api, side);
  if (!type) return type.error();
  if (command.data) {
    const Result<SharedBytes> bytes = bytes_of(command, *command.data);
    if (!bytes) return bytes.error();
    return wire::decode_versioned(printer, **type, *bytes);
  }
  const Result<int> version = wire::parse_version(*(*type)->info, command.version.value_or(""));
  if (!version) return version.error();
  const Result<SharedBytes> bytes =
      bytes_of(command, command.response ? *command.response : *command.request);
  if (!bytes) return bytes.error();
  return wire::decode_body(printer, **type, *version, *bytes);
}

Failure decode_record(const DecodeCommand& command, wire::Printer& printer) {
  const std::optional<InternalTopic> topic = parse_internal_topic(*command.record);
  if (!topic) return wrong("--record is __transaction_state or __consumer_offsets");
  if (!command.key) return wrong("--record needs the --key of the record");
  const Result<SharedBytes> key = bytes_of(command, *command.key);
  if (!key) return key.error();
  OptionalBytes value;
  if (command.value && *command.value != "null") {
    const Result<SharedBytes> bytes = bytes_of(command, *command.value);
    if (!bytes) return bytes.error();
    value = *bytes;
  }
  return wire::decode_record(printer, *topic, *key, value);
}

// Kinds of bytes that were given; --frame may stand beside the side that it is of.
int count_kinds(const DecodeCommand& command) {
  return (command.frame || command.request || command.response) + command.data.has_value() +
         command.record.has_value() + command.batch.has_value() + command.file.has_value() +
         command.is_lines;
}

Failure decode(const DecodeCommand& command, wire::Printer& printer) {
  if (count_kinds(command) != 1)
    return wrong(
        "give one of --request, --response, --frame, --data, --record, --batch, --file, "
        "--lines");
  if (command.request && command.response) return wrong("give either --request or --response");
  if (command.frame) return decode_frame(command, printer);
  if (command.request || command.response || command.data) return decode_message(command, printer);
  if (command.record) return decode_record(command, printer);
  if (command.batch) {
    const Result<SharedBytes> bytes = bytes_of(command, *command.batch);
    if (!bytes) return bytes.error();
    return wire::decode_batches(printer, *bytes);
  }
  const Result<std::string> content = wire::read_file(*command.file);
  if (!content) return content.error();
  return wire::decode_file(printer, *command.file, SharedBytes::copy_of(*content));
}

int run(const DecodeCommand& command) {
  if (command.is_lines && count_kinds(command) == 1)
    return wire::answer_lines(STDIN_FILENO, STDOUT_FILENO, wire::decode_line) ? exit_held
                                                                              : exit_wrong_input;
  wire::Printer printer(stdout, command.output);
  const Failure failure = decode(command, printer);
  if (!failure) return exit_held;
  std::fflush(stdout);
  fmt::print(stderr, "fencepost decode: {}\n", to_string(*failure));
  return exit_wrong_input;
}

void add_bytes(CLI::App& app, const std::string& name, std::optional<std::string>& out,
               const std::string& description) {
  app.add_option(name, out, description)->expected(0, 1)->default_str("-")->type_name("BYTES");
}

}  // namespace

void add_decode(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<DecodeCommand>();
  CLI::App* decode = app.add_subcommand("decode", "Read bytes of the wire and of log files");
  decode->footer(
      "BYTES are hex (spaces and 0x do not matter) or base64; without them, or for -, what the\n"
      "standard input holds, there also raw bytes.\n\n"
      "  fencepost decode --api EndTxn --version 5 --request 04782d30000000000000001100010100\n"
      "  fencepost decode --annotate --frame < frame.bin\n"
      "  fencepost decode --file data/__transaction_state-3/00000000000000000000.log");
  decode->add_option("--api", command->api, "API (EndTxn), or message of Kafka's schemas");
  decode->add_option("--version", command->version, "Its version");
  add_bytes(*decode, "--request", command->request, "Body of a request");
  add_bytes(*decode, "--response", command->response, "Body of a response");
  add_bytes(*decode, "--frame", command->frame,
            "Requests with their headers; responses with --response, or with --api and --version");
  add_bytes(*decode, "--data", command->data,
            "Message with its version in front, such as --api ConsumerProtocolSubscription");
  add_bytes(*decode, "--batch", command->batch, "Record batches");
  decode->add_option("--record", command->record,
                     "Record of __transaction_state or __consumer_offsets: --key and --value");
  add_bytes(*decode, "--key", command->key, "Key of the --record");
  add_bytes(*decode, "--value", command->value, "Value of the --record; none for a tombstone");
  decode->add_option("--file", command->file,
                     "Log segment, index, time index, transaction index or producer snapshot");
  decode->add_flag("--annotate", command->output.is_annotated,
                   "Print each field with its bytes and where they stand");
  decode->add_flag("--json", command->output.is_json, "One JSON object a line");
  CLI::Option* base64 = decode->add_flag("--base64", command->is_base64, "BYTES are base64");
  decode->add_flag("--raw", command->is_raw, "BYTES are as they are")->excludes(base64);
  decode->add_flag("--lines", command->is_lines,
                   "Answer lines of API, version, request or response, and hex, separated by tabs");
  decode->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace fencepost::tools
