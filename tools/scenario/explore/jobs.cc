#include "tools/scenario/explore/jobs.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <map>
#include <unordered_set>

#include "protocol/base/check.h"
#include "tools/scenario/values.h"

namespace fencepost::scenario {

namespace {

RoundResult run_alone(const Ground& ground, const Search::GoOn& go_on) {
  Search search(ground.program, ground.limits, ground.cluster, ground.start, go_on);
  RoundResult result;
  result.schedules = search.run_from({});
  result.states = search.seen().size();
  result.executed_choices = search.executed_choices();
  result.executions = search.executions();
  result.found = search.best();
  result.is_stopped = search.is_stopped();
  return result;
}

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

// ---- what a process tells the one that started it: lines of words

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(to, text.data(), text.size());
    if (count <= 0) _exit(1);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return {digits.data(), end.ptr};
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

[[noreturn]] void run_share(const Ground& ground, const Branches& branches, std::size_t job,
                            std::size_t jobs, int to, const Search::GoOn& go_on) {
  Search search(ground.program, ground.limits, ground.cluster, ground.start,
                [job, &go_on](SearchProgress progress) {
                  progress.is_worth_showing = job == 0;
                  return go_on(progress);
                });
  std::uint64_t schedules = 0;
  for (std::size_t i = job; i < branches.open.size() && !search.is_stopped(); i += jobs) {
    const std::uint64_t count = search.run_from(branches.open[i].schedule);
    for (std::uint64_t n = 0; n < branches.open[i].weight && count != 0; ++n)
      schedules = add_schedules(schedules, count);
  }
  std::string text;
  if (search.best())
    text += "found " + hexadecimal(static_cast<std::uint64_t>(search.best()->faults)) + " " +
            to_line(search.best()->schedule) + "\n";
  for (const auto& [digest, count] : search.seen()) text += "state " + hexadecimal(digest) + "\n";
  text += "choices " + hexadecimal(search.executed_choices()) + "\n";
  text += "executions " + hexadecimal(search.executions()) + "\n";
  if (search.is_stopped()) text += "stopped \n";
  text += "schedules " + hexadecimal(schedules) + "\n";
  write_all(to, text);
  _exit(0);
}

class Collector {
 public:
  explicit Collector(const Branches& branches) : states_(branches.states) {
    result_.schedules = branches.schedules;
  }

  void take(std::string_view line) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    const std::string_view rest = line.substr(std::min(line.size(), space + 1));
    if (word == "state") states_.insert(number_of(rest));
    if (word == "choices") result_.executed_choices += number_of(rest);
    if (word == "executions") result_.executions += number_of(rest);
    if (word == "stopped") result_.is_stopped = true;
    if (word == "schedules") result_.schedules = add_schedules(result_.schedules, number_of(rest));
    if (word == "found") take_found(rest);
  }

  void fail(std::string text) { result_.failure = std::move(text); }
  void take(const Search& search) {
    if (search.best()) take_found(*search.best());
    result_.executed_choices += search.executed_choices();
    result_.executions += search.executions();
  }

  RoundResult result() {
    result_.states = states_.size();
    return std::move(result_);
  }

 private:
  void take_found(std::string_view text) {
    const std::size_t space = text.find(' ');
    auto schedule = parse_schedule(text.substr(space + 1));
    CHECK(schedule.has_value());
    take_found({static_cast<int>(number_of(text.substr(0, space))), std::move(*schedule), {}});
  }
  void take_found(Found found) {
    if (!result_.found || found.is_better_than(*result_.found)) result_.found = std::move(found);
  }

  RoundResult result_;
  std::unordered_set<std::uint64_t> states_;
};

struct Process {
  int id = -1;
  int from = -1;
};

// All that the process writes until it ends; false when it did not end well.
bool collect(const Process& process, Collector& collector) {
  std::string text;
  std::array<char, 65536> piece{};
  while (true) {
    const ssize_t count = read(process.from, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  close(process.from);
  int status = 0;
  while (waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    collector.take(std::string_view(text).substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

RoundResult run_in_jobs(const Ground& ground, int jobs, const Search::GoOn& go_on) {
  constexpr std::size_t branches_per_job = 16;
  if (jobs <= 1) return run_alone(ground, go_on);
  const auto count = static_cast<std::size_t>(jobs);
  Search first(ground.program, ground.limits, ground.cluster, ground.start, go_on);
  const Branches branches = first_branches(first, count * branches_per_job);
  Collector collector(branches);
  collector.take(first);
  std::vector<Process> processes;
  for (std::size_t job = 0; job < count; ++job) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) break;
    const int id = fork();
    if (id == 0) {
      close(ends[0]);
      run_share(ground, branches, job, count, ends[1], go_on);
    }
    close(ends[1]);
    if (id > 0) processes.push_back({id, ends[0]});
    if (id < 0) close(ends[0]);
  }
  if (processes.size() != count) collector.fail("not enough processes could be started");
  for (const Process& process : processes)
    if (!collect(process, collector)) collector.fail("a process of the search ended early");
  return collector.result();
}

}  // namespace fencepost::scenario
