// A program of conform: requests in Kafka's JSON form, in which names and what only an answer can
// tell are written symbolically, so that the same program is played to any cluster, any number of
// times. What the symbols mean is in bindings.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/api.h"
#include "protocol/base/result.h"

namespace fencepost::conform {

struct Step {
  protocol::ApiKey api = protocol::ApiKey::api_versions;
  int version = 0;
  // The request's body. Fields that are left out have their defaults; those that the version does
  // not have are not sent.
  std::string body;
  // Who asks: what the answer gives (a producer id, a member id, a session) is remembered under
  // this name, and so is the connection. Empty: nobody in particular.
  std::string actor;

  bool operator==(const Step&) const = default;
};

struct Program {
  std::uint64_t seed = 0;
  std::vector<Step> steps;

  bool operator==(const Program&) const = default;
};

// What a cluster, or each of two, answers.
struct Offer {
  std::map<protocol::ApiKey, protocol::Versions> versions;
  int transaction_version = 0;
  int broker_count = 1;

  protocol::Versions versions_of(protocol::ApiKey api) const;
};
// What both offer.
Offer common_offer(const Offer& one, const Offer& other);

// The program of that seed: a few dozen steps on a small world of its own (two topics, three
// transactional ids, two groups). The same for the same seed, number of steps and offer.
Program generate(std::uint64_t seed, int step_count, const Offer& offer);

// One JSON object on one line, and back. Errors: malformed.
std::string to_line(const Step& step);
Result<Step> parse_step(std::string_view line);

}  // namespace fencepost::conform
