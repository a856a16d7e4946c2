// Many programs played to two sides, and what came of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/conform/shrink.h"

namespace fencepost::conform {

struct MatchOptions {
  std::uint64_t seed = 1;  // of the first program; the next one has the next
  int programs = 20;
  int steps = 60;
  int shrink_plays_max = 400;  // of one program; 0: as it was found
  int shrink_max = 5;          // how many differing programs are made short, one an API
  std::string run_name;        // names of this run begin with it; no other run may have had it
};

struct Found {
  std::uint64_t seed = 0;
  Shrunk shrunk;
};

// A version range that one side offers and the other does not.
struct OfferDifference {
  protocol::ApiKey api;
  int one = -1;  // the highest version; -1: not offered
  int other = -1;
};

struct Outcome {
  std::map<protocol::ApiKey, Tally> tallies;
  std::vector<OfferDifference> offers;
  int programs = 0;
  int equal_programs = 0;
  std::vector<Found> found;  // the shortest first
  std::string unsent;        // a request of a program that cannot be written: a mistake of ours
  bool is_interrupted = false;

  int answers() const;
  int equal_answers() const;
  bool is_equal() const { return equal_programs == programs && offers.empty(); }
};

std::vector<OfferDifference> offer_differences(const Offer& one, const Offer& other);

// `on_program` is told how many programs are done, and how many of them were equal.
Outcome run_match(const Contestant& one, const Contestant& other, const MatchOptions& options,
                  const std::function<void(int programs, int equal)>& on_program);
// The same for one program that is there already.
Outcome run_program(const Program& program, const Contestant& one, const Contestant& other,
                    const MatchOptions& options);

}  // namespace fencepost::conform
