#include "tools/scenario/explore/jobs.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace fencepost::scenario {

namespace {

// The first branches of a round. What leads to the same state is one of them, with a weight.
struct Branches {
  struct Branch {
    Schedule schedule;
    std::uint64_t weight = 1;
  };
  std::vector<Branch> open;
  std::uint64_t schedules = 0;               // of those that are complete already
  std::unordered_set<std::uint64_t> states;  // that were gone on from here
};

// Goes on from the shortest branch until there are enough to share out.
Branches first_branches(Search& search, std::size_t wanted) {
  Branches branches;
  std::map<std::uint64_t, Branches::Branch> level;  // by state: schedules of one length
  std::uint64_t root = search.look_at({}).digest;
  level[root] = {{}, 1};
  while (!level.empty() && level.size() < wanted) {
    std::map<std::uint64_t, Branches::Branch> next;
    for (const auto& [digest, branch] : level) {
      const Search::Point point = search.look_at(branch.schedule);
      branches.states.insert(digest);
      if (point.is_complete) branches.schedules = add_schedules(branches.schedules, branch.weight);
      for (const Schedule& schedule : point.next) {
        const Search::Point after = search.look_at(schedule);
        if (after.is_broken && !after.is_complete) continue;
        const auto [at, is_new] = next.try_emplace(after.digest, Branches::Branch{schedule, 0});
        at->second.weight = add_schedules(at->second.weight, branch.weight);
        if (schedule < at->second.schedule) at->second.schedule = schedule;
      }
    }
    level = std::move(next);
  }
  for (auto& [digest, branch] : level) branches.open.push_back(std::move(branch));
  // Each process tries its share in the order in which one alone would.
  std::ranges::sort(branches.open, {}, &Branches::Branch::schedule);
  return branches;
}

Share share_of_search(const Search& search) {
  Share share;
  for (const auto& [digest, seen] : search.seen()) share.states.insert(digest);
  share.executed_choices = search.executed_choices();
  share.executions = search.executions();
  share.found = search.best();
  share.is_stopped = search.is_stopped();
  return share;
}

// Every `jobs`th branch, beginning with that of the job.
Share run_share(const Ground& ground, const Branches& branches, int job, int jobs,
                const Search::GoOn& go_on) {
  Search search(ground.program, ground.limits, ground.cluster, ground.start,
                [job, &go_on](SearchProgress progress) {
                  progress.is_worth_showing = job == 0;
                  return go_on(progress);
                });
  std::uint64_t schedules = 0;
  const auto step = static_cast<std::size_t>(jobs);
  for (auto i = static_cast<std::size_t>(job); i < branches.open.size() && !search.is_stopped();
       i += step) {
    const std::uint64_t count = search.run_from(branches.open[i].schedule);
    for (std::uint64_t n = 0; n < branches.open[i].weight && count != 0; ++n)
      schedules = add_schedules(schedules, count);
  }
  Share share = share_of_search(search);
  share.schedules = schedules;
  return share;
}

}  // namespace

RoundResult run_in_jobs(const Ground& ground, int jobs, const Search::GoOn& go_on) {
  constexpr std::size_t branches_per_job = 16;
  Search first(ground.program, ground.limits, ground.cluster, ground.start, go_on);
  if (jobs <= 1) {
    const std::uint64_t schedules = first.run_from({});
    RoundResult result{share_of_search(first), ""};
    result.all.schedules = schedules;
    return result;
  }
  const Branches branches =
      first_branches(first, static_cast<std::size_t>(jobs) * branches_per_job);
  Share known = share_of_search(first);
  known.states = branches.states;
  known.schedules = branches.schedules;
  return share_out(jobs, std::move(known),
                   [&](int job) { return run_share(ground, branches, job, jobs, go_on); });
}

}  // namespace fencepost::scenario
