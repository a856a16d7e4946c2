#include "tools/conform/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fencepost::conform {

namespace {

class Match {
 public:
  Match(const Contestant& one, const Contestant& other, const MatchOptions& options)
      : one_(one), other_(other), options_(options) {
    outcome_.offers = offer_differences(one.known.offer, other.known.offer);
  }

  void take(const Program& program) {
    Played played = play_under_new_names(program);
    outcome_.is_interrupted = played.is_interrupted;
    if (played.is_interrupted) return;
    ++outcome_.programs;
    for (const auto& [api, tally] : played.tallies) {
      outcome_.tallies[api].equal += tally.equal;
      outcome_.tallies[api].different += tally.different;
    }
    if (outcome_.unsent.empty()) outcome_.unsent = played.unsent;
    if (!played.difference) {
      ++outcome_.equal_programs;
      return;
    }
    keep(program, std::move(played));
  }

  Outcome finish() {
    std::ranges::stable_sort(outcome_.found, {},
                             [](const Found& it) { return it.shrunk.program.steps.size(); });
    return std::move(outcome_);
  }
  const Outcome& outcome() const { return outcome_; }

 private:
  Played play_under_new_names(const Program& program) {
    return play(program, one_, other_, fmt::format("{}-{}-", options_.run_name, ++play_count_));
  }

  // Of programs that differ in the same API the first is enough.
  void keep(const Program& program, Played played) {
    const protocol::ApiKey api = program.steps[played.difference->step].api;
    const bool is_enough = static_cast<int>(outcome_.found.size()) >= options_.shrink_max;
    if (!seen_.insert(api).second || is_enough) return;
    const PlayAgain again = [this](const Program& it) { return play_under_new_names(it); };
    outcome_.found.push_back(
        {program.seed, shrink(program, played, again, options_.shrink_plays_max)});
  }

  const Contestant& one_;
  const Contestant& other_;
  const MatchOptions& options_;
  Outcome outcome_;
  std::set<protocol::ApiKey> seen_;
  int play_count_ = 0;
};

}  // namespace

int Outcome::equal_answers() const {
  int count = 0;
  for (const auto& [api, tally] : tallies) count += tally.equal;
  return count;
}

int Outcome::answers() const {
  int count = equal_answers();
  for (const auto& [api, tally] : tallies) count += tally.different;
  return count;
}

std::vector<OfferDifference> offer_differences(const Offer& one, const Offer& other) {
  std::vector<OfferDifference> differences;
  for (const protocol::Api& api : protocol::apis()) {
    const int first = one.versions_of(api.key).last;
    const int second = other.versions_of(api.key).last;
    if (first != second) differences.push_back({api.key, first, second});
  }
  return differences;
}

Outcome run_match(const Contestant& one, const Contestant& other, const MatchOptions& options,
                  const std::function<void(int programs, int equal)>& on_program) {
  const Offer offer = common_offer(one.known.offer, other.known.offer);
  Match match(one, other, options);
  for (int i = 0; i < options.programs && !match.outcome().is_interrupted; ++i) {
    match.take(generate(options.seed + static_cast<std::uint64_t>(i), options.steps, offer));
    on_program(match.outcome().programs, match.outcome().equal_programs);
  }
  return match.finish();
}

Outcome run_program(const Program& program, const Contestant& one, const Contestant& other,
                    const MatchOptions& options) {
  Match match(one, other, options);
  match.take(program);
  return match.finish();
}

}  // namespace fencepost::conform
