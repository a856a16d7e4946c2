// Gets what a cluster has written to where it is safe before its answers leave, and a data
// directory into order now and then.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <optional>

#include "minibroker/cluster.h"
#include "minibroker/server/file_storage.h"
#include "minibroker/server/fsync.h"

namespace fencepost::minibroker::server {

class Saver {
 public:
  // The cluster is the one whose disks are in that storage; both outlive the saver's timer. The
  // context is stopped when the storage fails.
  Saver(asio::io_context& context, Cluster& cluster, std::shared_ptr<FileStorage> storage,
        Fsync fsync)
      : context_(context),
        cluster_(cluster),
        storage_(std::move(storage)),
        fsync_(fsync),
        timer_(context) {}

  // Makes true what the next answers acknowledge. False when it cannot: none may leave.
  bool save();
  // A clean end: the next start finds everything as it should be.
  void save_all();
  const std::optional<Error>& failure() const { return failure_; }

 private:
  bool is_saved(const Result<void>& saved);
  void arm_timer();

  asio::io_context& context_;
  Cluster& cluster_;
  std::shared_ptr<FileStorage> storage_;
  Fsync fsync_;
  asio::steady_timer timer_;
  bool is_timer_set_ = false;
  std::optional<Error> failure_;
};

}  // namespace fencepost::minibroker::server
