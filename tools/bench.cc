// `fencepost bench contestant`: one measurement for each line of standard input, one line of JSON
// for each, so that a script can let clients take turns.
#include "tools/bench.h"

#include <fmt/format.h>
#include <unistd.h>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/read_until.hpp>
#include <asio/redirect_error.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

#include "tools/bench/experiments.h"
#include "tools/bench/measurements.h"
#include "tools/exit_code.h"
#include "tools/topics.h"

namespace fencepost::tools {

namespace {

using client::Task;

struct BenchOptions {
  ClusterOptions cluster;
  Workload workload;
};

double milliseconds_of(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

std::string json_of(const Measured& measured) {
  return fmt::format(R"({{"ms": {:.3f}, "transactions": {}, "records": {}}})",
                     milliseconds_of(measured.time), measured.transactions, measured.records);
}

template <class T>
std::string answer_of(const Result<T>& result) {
  if (!result) return fmt::format(R"({{"error": "{}"}})", result.error().text);
  return json_of(*result);
}

// "group CAP RECORDS BYTES" and the like; the answer is one line.
asio::awaitable<std::string> measure(Measurements* measurements, std::string line) {
  std::istringstream words(line);
  std::string mode;
  words >> mode;
  if (mode == "rate") {
    int producers = 0;
    int seconds = 0;
    words >> producers >> seconds;
    Result<Measured> rate = co_await measurements->rate(producers, std::chrono::seconds(seconds));
    if (!rate) co_return answer_of(rate);
    co_return fmt::format(R"({{"txn_per_s": {:.1f}}})", static_cast<double>(rate->transactions) *
                                                            1000 / milliseconds_of(rate->time));
  }
  if (mode == "takeover") {
    std::string how;
    words >> how;
    Result<Measured> takeover = co_await measurements->takeover(how == "open");
    co_return answer_of(takeover);
  }
  if (mode == "latency") {
    std::int64_t records = 0;
    std::size_t bytes = 0;
    words >> records >> bytes;
    Result<Latencies> latency = co_await measurements->latency(records, bytes);
    if (!latency) co_return fmt::format(R"({{"error": "{}"}})", latency.error().text);
    co_return fmt::format(R"({{"p50_us": {:.1f}, "p99_us": {:.1f}}})",
                          milliseconds_of(latency->median) * 1000,
                          milliseconds_of(latency->percentile_99) * 1000);
  }
  std::size_t cap = 0;
  std::int64_t records = 0;
  std::size_t bytes = 0;
  words >> cap >> records >> bytes;
  if (mode == "plain") {
    Result<Measured> plain = co_await measurements->plain(records, bytes);
    co_return answer_of(plain);
  }
  if (mode == "serial") {
    Result<Measured> serial = co_await measurements->serial(records, bytes);
    co_return answer_of(serial);
  }
  if (mode == "group") {
    Result<Measured> group = co_await measurements->group(cap, records, bytes);
    co_return answer_of(group);
  }
  co_return std::string(R"({"error": "no such measurement"})");
}

Task<void> answer_lines(Measurements* measurements, asio::posix::stream_descriptor* input) {
  Result<void> begun = co_await measurements->begin();
  if (begun.ok()) fmt::print("{{\"ready\": true}}\n");
  std::fflush(stdout);
  std::string buffer;
  while (begun.ok() && !measurements->is_stopping()) {
    asio::error_code failure;
    const std::size_t length =
        co_await asio::async_read_until(*input, asio::dynamic_buffer(buffer), '\n',
                                        asio::redirect_error(asio::use_awaitable, failure));
    if (failure) break;
    std::string line = buffer.substr(0, length - 1);
    buffer.erase(0, length);
    const std::string answer = co_await measure(measurements, std::move(line));
    fmt::print("{}\n", answer);
    std::fflush(stdout);
  }
  Result<void> left = co_await measurements->end();
  if (!begun) co_return begun.error();
  co_return left;
}

int run_contestant(const BenchOptions& options) {
  Result<std::unique_ptr<ClusterCommand>> command = ClusterCommand::make(options.cluster);
  if (!command) return report_error("bench", command.error());
  for (const std::string& topic : {options.workload.input, options.workload.output})
    if (const auto exit_code = exit_if_missing(**command, "bench", {topic, 0})) return *exit_code;
  Measurements measurements(**command, options.workload);
  asio::posix::stream_descriptor input((*command)->io(), dup(STDIN_FILENO));
  std::optional<Result<void>> ended =
      (*command)->run_to_end(answer_lines(&measurements, &input), [&measurements, &input] {
        measurements.stop();
        input.cancel();
      });
  if (!ended || measurements.is_stopping()) return exit_unreachable;
  if (!ended->ok()) return report_error("bench", ended->error());
  return exit_held;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure the client against a cluster");
  bench->require_subcommand(1);
  CLI::App* contestant = bench->add_subcommand(
      "contestant", "One measurement a line of standard input, as 'group 256 500 100'");
  options->cluster.add_to(*contestant);
  contestant->add_option("--input", options->workload.input, "Topic whose offsets are committed")
      ->required();
  contestant->add_option("--output", options->workload.output, "Topic that is written to")
      ->required();
  contestant->add_option("--name", options->workload.name, "Of the group and the producers")
      ->required();
  add_experiments(*bench, exit_code);
  contestant->callback([options, &exit_code] { exit_code = run_contestant(*options); });
}

}  // namespace fencepost::tools
