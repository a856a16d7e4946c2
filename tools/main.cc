// The `fencepost` command: one subcommand a file, each of which adds itself and leaves its exit
// code.
#include <CLI/CLI.hpp>

#include "tools/api.h"
#include "tools/bench.h"
#include "tools/conform.h"
#include "tools/decode.h"
#include "tools/encode.h"
#include "tools/exit_code.h"
#include "tools/explore.h"
#include "tools/probe.h"
#include "tools/recover.h"
#include "tools/run.h"
#include "tools/serve.h"
#include "tools/torture.h"
#include "tools/txn.h"
#include "tools/worker.h"

int main(int argc, char** argv) {
  using namespace fencepost::tools;
  CLI::App app("A Kafka transaction client and a deterministic Kafka cluster to test it against",
               "fencepost");
  app.require_subcommand(1);
  int exit_code = exit_held;
  app.set_version_flag("--version", FENCEPOST_VERSION);
  add_run(app, exit_code);
  add_explore(app, exit_code);
  add_serve(app, exit_code);
  add_decode(app, exit_code);
  add_encode(app, exit_code);
  add_api(app, exit_code);
  add_txn(app, exit_code);
  add_probe(app, exit_code);
  add_recover(app, exit_code);
  add_conform(app, exit_code);
  add_worker(app, exit_code);
  add_torture(app, exit_code);
  add_bench(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_held : exit_wrong_input;
  }
  return exit_code;
}
