#include "tools/encode.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "protocol/json.h"
#include "tools/exit_code.h"
#include "tools/wire/lines.h"
#include "tools/wire/message_lookup.h"

namespace fencepost::tools {

namespace {

struct EncodeCommand {
  bool is_lines = false;
};

}  // namespace

void add_encode(CLI::App& app, int& exit_code) {
  auto command = std::make_shared<EncodeCommand>();
  CLI::App* encode = app.add_subcommand("encode", "Turn Kafka's JSON into the bytes of the wire");
  encode->add_flag("--lines", command->is_lines, "lines");
  encode->callback([command, &exit_code] {
    exit_code = wire::answer_lines(STDIN_FILENO, STDOUT_FILENO, wire::encode_line)
                    ? exit_held
                    : exit_wrong_input;
  });
}

}  // namespace fencepost::tools
