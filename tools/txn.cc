// The command line of `fencepost txn`. What changes something only says what it would do, unless
// --yes is given.
#include "tools/txn.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>

#include "tools/txn/commands.h"

namespace fencepost::tools {

namespace {

using Command = std::function<int(const TxnOptions&)>;

CLI::App* add_command(CLI::App& txn, const std::shared_ptr<TxnOptions>& options, int& exit_code,
                      const std::string& name, const std::string& description, Command run) {
  CLI::App* command = txn.add_subcommand(name, description);
  options->cluster.add_to(*command);
  command->add_flag("--json", options->is_json, "One JSON object a line");
  command->callback([options, &exit_code, run] { exit_code = run(*options); });
  return command;
}

void add_partition(CLI::App* command, const std::shared_ptr<TxnOptions>& options) {
  command->add_option("--topic", options->topic, "Topic")->required();
  command->add_option("--partition", options->partition, "Partition")->required();
}

void add_watch(CLI::App* command, const std::shared_ptr<TxnOptions>& options) {
  command->add_option("--watch", options->watch, "Ask again so often, as 5s, until Ctrl-C");
}

void add_yes(CLI::App* command, const std::shared_ptr<TxnOptions>& options) {
  command->add_flag("--yes", options->is_confirmed, "Do it; without, only say what would be done");
}

void add_list(CLI::App& txn, const std::shared_ptr<TxnOptions>& options, int& exit_code) {
  CLI::App* list = add_command(txn, options, exit_code, "list",
                               "Transactions, as their coordinators know them", list_transactions);
  list->add_option("--state", options->filter.states, "Only these states, as Ongoing");
  list->add_option("--producer-id", options->filter.producer_ids, "Only these producer ids");
  list->add_option("--duration-filter", options->filter.duration_ms,
                   "Only what runs longer, in milliseconds (Kafka 3.8 or later)");
  list->add_option("--transactional-id-pattern", options->filter.transactional_id_pattern,
                   "Only ids that match this regular expression (Kafka 4.1 or later)");
  add_watch(list, options);
}

void add_abort(CLI::App& txn, const std::shared_ptr<TxnOptions>& options, int& exit_code) {
  CLI::App* abort = add_command(
      txn, options, exit_code, "abort",
      "End a transaction: by transactional.id, or on one partition if it hangs", abort_transaction);
  CLI::Option* id = abort->add_option("--transactional-id", options->transactional_id,
                                      "Fence its producer; the coordinator aborts what is open");
  CLI::Option* topic = abort->add_option("--topic", options->topic, "Topic")->excludes(id);
  abort->add_option("--partition", options->partition, "Partition")->needs(topic);
  abort
      ->add_option("--start-offset", options->start_offset,
                   "Where the transaction begins, as find-hanging tells")
      ->needs(topic);
  add_yes(abort, options);
}

}  // namespace

void add_txn(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TxnOptions>();
  CLI::App* txn = app.add_subcommand("txn", "Look at transactions of a cluster, and end them");
  txn->require_subcommand(1);
  add_list(*txn, options, exit_code);
  add_command(*txn, options, exit_code, "describe", "One transactional.id", describe_transaction)
      ->add_option("--transactional-id", options->transactional_id, "Which")
      ->required();
  CLI::App* producers = add_command(*txn, options, exit_code, "describe-producers",
                                    "Producers of a partition", describe_producers);
  add_partition(producers, options);
  producers->add_option("--broker-id", options->broker_id, "Ask this replica, not the leader");
  CLI::App* hanging = add_command(
      *txn, options, exit_code, "find-hanging",
      "Transactions that no coordinator will end; exit code 1 if there are any", find_hanging);
  hanging->add_option("--broker-id", options->broker_id, "Only partitions led by this broker");
  CLI::Option* topic = hanging->add_option("--topic", options->topic, "Only this topic");
  hanging->add_option("--partition", options->partition, "Only this partition")->needs(topic);
  hanging
      ->add_option("--max-transaction-timeout", options->age_min,
                   "How old, in minutes or as 90s; younger ones may yet be decided")
      ->capture_default_str();
  add_watch(hanging, options);
  add_abort(*txn, options, exit_code);
  CLI::App* fence = add_command(*txn, options, exit_code, "fence",
                                "Fence the producers of these transactional.ids", fence_producers);
  fence->add_option("transactional-id", options->transactional_ids, "Which")->required();
  add_yes(fence, options);
}

}  // namespace fencepost::tools
