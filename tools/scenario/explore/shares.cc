#include "tools/scenario/explore/shares.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "protocol/base/check.h"

namespace fencepost::scenario {

namespace {

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

[[noreturn]] void tell(const Share& share, int to) {
  std::string text;
  if (share.found)
    text += "found " + hexadecimal(static_cast<std::uint64_t>(share.found->faults)) + " " +
            to_line(share.found->schedule) + "\n";
  for (const std::uint64_t digest : share.states) text += "state " + hexadecimal(digest) + "\n";
  text += "choices " + hexadecimal(share.executed_choices) + "\n";
  text += "executions " + hexadecimal(share.executions) + "\n";
  if (share.is_stopped) text += "stopped \n";
  text += "schedules " + hexadecimal(share.schedules) + "\n";
  write_all(to, text);
  _exit(0);
}

void take_line(Share& all, std::string_view line) {
  const std::size_t space = line.find(' ');
  const std::string_view word = line.substr(0, space);
  const std::string_view rest = line.substr(std::min(line.size(), space + 1));
  if (word == "state") all.states.insert(number_of(rest));
  if (word == "choices") all.executed_choices += number_of(rest);
  if (word == "executions") all.executions += number_of(rest);
  if (word == "stopped") all.is_stopped = true;
  if (word == "schedules") all.schedules = add_schedules(all.schedules, number_of(rest));
  if (word != "found") return;
  const std::size_t end = rest.find(' ');
  auto schedule = parse_schedule(rest.substr(end + 1));
  CHECK(schedule.has_value());
  all.take({static_cast<int>(number_of(rest.substr(0, end))), std::move(*schedule), {}});
}

struct Process {
  int id = -1;
  int from = -1;
};

// All that the process writes until it ends; false when it did not end well.
bool collect(const Process& process, Share& all) {
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
    take_line(all, std::string_view(text).substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void Share::take(Found other) {
  if (!found || other.is_better_than(*found)) found = std::move(other);
}

RoundResult share_out(int jobs, Share first, const std::function<Share(int job)>& share_of) {
  RoundResult result{std::move(first), ""};
  std::vector<Process> processes;
  for (int job = 0; job < jobs; ++job) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) break;
    const int id = fork();
    if (id == 0) {
      close(ends[0]);
      tell(share_of(job), ends[1]);
    }
    close(ends[1]);
    if (id > 0) processes.push_back({id, ends[0]});
    if (id < 0) close(ends[0]);
  }
  if (processes.size() != static_cast<std::size_t>(jobs))
    result.failure = "not enough processes could be started";
  for (const Process& process : processes)
    if (!collect(process, result.all)) result.failure = "a process of the search ended early";
  return result;
}

}  // namespace fencepost::scenario
