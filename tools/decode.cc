#include "tools/decode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "protocol/json.h"
#include "tools/exit_code.h"
#include "tools/wire/lines.h"
#include "tools/wire/message_lookup.h"

namespace fencepost::tools {

namespace {

struct DecodeCommand {
  bool is_lines = false;
};

}  // namespace

void add_decode(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<DecodeCommand>();
  CLI::App* encode = app.add_subcommand("decode", "Turn Kafka's JSON into the bytes of the wire");
  encode->add_flag("--lines", command->is_lines, "lines");
  encode->callback([command, &exit_code] {
    exit_code = wire::answer_lines(STDIN_FILENO, STDOUT_FILENO, wire::decode_line)
                    ? exit_held
                    : exit_wrong_input;
  });
}

}  // namespace fencepost::tools
