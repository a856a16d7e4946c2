// What each command of `fencepost txn` does. All answer an exit code: 0 what was asked held, 1 a
// broker refused it or something hangs, 2 wrong options, 3 the cluster could not be reached.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/transaction_admin.h"
#include "tools/cluster_command.h"

namespace fencepost::tools {

struct TxnOptions {
  ClusterOptions cluster;
  client::TransactionFilter filter;
  std::optional<std::string> transactional_id;
  std::vector<std::string> transactional_ids;
  std::optional<std::string> topic;
  std::optional<std::int32_t> partition;
  std::optional<std::int32_t> broker_id;
  std::optional<std::int64_t> start_offset;
  std::string age_min = "15";  // minutes, or with a unit
  std::string watch;
  bool is_confirmed = false;
  bool is_json = false;
};

int list_transactions(const TxnOptions& options);
int describe_transaction(const TxnOptions& options);
int describe_producers(const TxnOptions& options);
int find_hanging(const TxnOptions& options);
// By transactional.id: as fence. By partition and start offset: an abort marker with the epochs
// that the leader tells.
int abort_transaction(const TxnOptions& options);
// InitProducerId for each id, which aborts what its producer left open.
int fence_producers(const TxnOptions& options);

}  // namespace fencepost::tools
