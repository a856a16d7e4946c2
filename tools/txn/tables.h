// What `fencepost txn` prints: the columns of Kafka's own tool, from the answers of the brokers.
#pragma once

#include <cstdint>
#include <vector>

#include "client/hanging_transactions.h"
#include "client/transaction_admin.h"
#include "tools/table.h"

namespace fencepost::tools {

Table list_table(const std::vector<client::CoordinatorTransactions>& coordinators);
// `now_ms` is the wall clock in Unix milliseconds.
Table describe_table(const std::vector<client::DescribedTransaction>& transactions,
                     std::int64_t now_ms);
Table producers_table(const client::PartitionProducers& partition);
// Kafka's columns, then the transactional.id if it is known, and why the transaction hangs.
Table hanging_table(const std::vector<client::HangingTransaction>& transactions,
                    std::int64_t now_ms);

}  // namespace fencepost::tools
