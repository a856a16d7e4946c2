// The HTTP of the control API, on 127.0.0.1: connections live on threads of their own; what touches
// the cluster is handed to the loop that drives it, and answered from there.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "minibroker/events.h"
#include "minibroker/server/control/api.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker::server {

class ControlServer {
 public:
  // Runs a piece of work on the loop, later; callable from any thread, until the server is gone.
  using Post = std::function<void(std::function<void()>)>;

  // Listens on that port, 0 for a free one. `controlled` and `post` outlive the server.
  // Errors: invalid_argument for a port that cannot be; cannot_connect when it cannot be had.
  static Result<std::unique_ptr<ControlServer>> listen(int port, ControlledCluster& controlled,
                                                       Post post);
  // Every request is answered or broken off; waits end.
  ~ControlServer();

  int port() const;
  // On the loop, after each of its turns: requests that wait look again, streams get the events.
  void turned(const std::vector<Event>& events);

 private:
  class Impl;
  explicit ControlServer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace fencepost::minibroker::server
