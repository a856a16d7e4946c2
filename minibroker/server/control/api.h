// The control API of a served cluster, without its HTTP: a request and the cluster go in, a status
// and JSON come out. It shows partitions, transactions, groups and producers, and does to the
// cluster what scenario files do: faults, clock, crashes, links, elections.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/cluster.h"
#include "minibroker/server/control/fields.h"
#include "protocol/base/time.h"

namespace fencepost::minibroker::server {

struct ControlAnswer {
  int status = 200;  // HTTP's
  std::string body;  // JSON
  // What the request asks to wait for has not happened: ask again when the cluster has moved on.
  // When `wait_at_most` is over, this is the answer after all, with status 408.
  bool is_waiting = false;
  Duration wait_at_most{};
};

// What the control API may touch: whoever drives the cluster.
class ControlledCluster {
 public:
  virtual ~ControlledCluster() = default;
  virtual Cluster& cluster() = 0;
  virtual Instant now() const = 0;
  // Whether time moves only by advance().
  virtual bool has_manual_clock() const = 0;
  virtual void advance(Duration duration) = 0;
};

struct ControlRoute {
  std::string_view method;   // "GET"
  std::string_view path;     // "/v1/faults/{id}"
  std::string_view summary;  // one sentence, without a full stop
  std::vector<ControlField> fields;
  ControlAnswer (*answer)(ControlledCluster&, const ControlValues&);
};

// All of them; the stream of events aside, which is HTTP's business.
std::span<const ControlRoute> control_routes();

// An unknown path is 404, a method that the path does not have 405, and a wrong value 400 with
// {"error": ..., "field": ...}.
ControlAnswer answer_control(ControlledCluster& controlled, const ControlRequest& request);

// The OpenAPI 3.0 document of control_routes().
std::string open_api_document();

}  // namespace fencepost::minibroker::server
