// Steps that befall the simulated cluster: rules for messages, crashes, links, elections. Each is
// done at once; what follows from it, the steps after it show.
#pragma once

#include <string>

#include "minibroker/cluster.h"
#include "tools/scenario/parser_parts.h"
#include "tools/scenario/scenario.h"

namespace fencepost::scenario {

// What a step did, for the report; `failure` when it could not be done.
struct ClusterStepResult {
  std::string remark;
  std::string failure = {};
};

// Whether the verb is one of them, and so needs the simulated cluster.
bool is_cluster_step(const VerbSpec& verb);

// Does the step; the verb has to be one of them.
ClusterStepResult perform_cluster_step(minibroker::Cluster& cluster, const Step& step, Instant now);

// What is wrong with the arguments of a cluster step: an unknown API, cut point, error or broker.
void check_cluster_step(const Scenario& scenario, const Step& step, Mistakes& mistakes);

}  // namespace fencepost::scenario
