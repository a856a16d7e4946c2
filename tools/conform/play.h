// A program played to both sides, step by step, each answer compared with the other's.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/conform/player.h"

namespace fencepost::conform {

struct Contestant {
  Side* side = nullptr;
  Acquaintance known;
};

struct Difference {
  std::size_t step = 0;  // its index in the program
  std::string one;       // what the first side answered
  std::string other;
};

struct Tally {
  int equal = 0;
  int different = 0;
};

// What a step has come to on the first side.
struct Exchange {
  std::string request;  // Kafka's JSON form, as it was sent; empty: it was not
  std::string answer;   // as it was compared; empty: none yet
};

struct Played {
  std::vector<Exchange> exchanges;  // by step, as far as it went
  std::map<protocol::ApiKey, Tally> tallies;
  std::optional<Difference> difference;  // the first; nothing is sent after it
  std::string unsent;                    // the first request that its version cannot carry
  bool is_interrupted = false;
};

// Names of the play begin with `prefix`, which nothing on either side may have used before.
Played play(const Program& program, const Contestant& one, const Contestant& other,
            const std::string& prefix);

}  // namespace fencepost::conform
