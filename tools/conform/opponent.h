// The minibroker that a cluster is compared with: a broker of the same release, with the same
// features and configuration, as far as they can be told by asking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "minibroker/settings.h"
#include "tools/conform/side.h"

namespace fencepost::conform {

struct OpponentOptions {
  std::optional<minibroker::Era> era;      // nothing: the one that the cluster looks like
  std::vector<std::string> features;       // "transaction.version=0"
  std::vector<std::string> configuration;  // "key=value"; they win over the cluster's
};

struct Opponent {
  minibroker::ClusterSettings settings;
  std::vector<std::string> notes;  // what was taken over from the cluster, a line each
};

// The release whose versions agree with most of what the cluster offers; the newest of several.
minibroker::Era most_similar_era(const Offer& offer);
// Errors: invalid_argument for a feature or key of the options, and those of the client.
Result<Opponent> opponent_of(Side& side, const Acquaintance& known, const OpponentOptions& options);

}  // namespace fencepost::conform
