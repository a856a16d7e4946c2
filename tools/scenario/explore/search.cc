#include "tools/scenario/explore/search.h"

#include <algorithm>
#include <tuple>

namespace fencepost::scenario {

namespace {

// The crashes that could cut the step just taken, in the order in which they are tried.
std::vector<Choice> crashes_in(const Execution& execution, int actor, const FaultLimits& limits) {
  std::vector<Choice> crashes = crashes_at(execution.moments(), actor, limits.unsynced);
  std::ranges::sort(crashes);
  return crashes;
}

}  // namespace

bool Found::is_better_than(const Found& other) const {
  const std::size_t length = schedule.size();
  const std::size_t other_length = other.schedule.size();
  return std::tie(faults, length, schedule) < std::tie(other.faults, other_length, other.schedule);
}

std::uint64_t add_schedules(std::uint64_t one, std::uint64_t other) {
  const bool fits = one <= Search::schedules_max - other;
  return fits ? one + other : Search::schedules_max;
}

Search::Search(Program& program, FaultLimits limits, const minibroker::Cluster& cluster,
               Instant start, GoOn go_on, Repeats repeats)
    : program_(program),
      limits_(std::move(limits)),
      cluster_(cluster),
      start_(start),
      go_on_(std::move(go_on)),
      repeats_(repeats) {}

void Search::go_to(const Schedule& path) {
  execution_ = std::make_unique<Execution>(program_, limits_, cluster_, start_);
  ++executions_;
  for (const Choice& choice : path) execution_->take(choice);
  executed_choices_ += path.size();
  is_at_path_ = true;
}

void Search::go_back_to(const Schedule& path, std::vector<Frame>& stack) {
  std::size_t at = stack.size();
  while (at > 0 && stack[at - 1].here == nullptr) --at;
  if (at == 0) return go_to(path);
  execution_ = std::make_unique<Execution>(*stack[at - 1].here);
  ++executions_;
  // The path has as many choices behind that frame as there are frames.
  const std::size_t since = path.size() - (stack.size() - at);
  for (std::size_t i = since; i < path.size(); ++i) execution_->take(path[i]);
  executed_choices_ += path.size() - since;
  is_at_path_ = true;
}

void Search::push_frame(std::vector<Frame>& stack, std::uint64_t digest,
                        std::vector<Choice> choices) {
  const bool has_more = choices.size() > 1 || execution_->may_be_cut();
  stack.push_back({digest, std::move(choices), 0, 0});
  if (has_more && execution_->can_be_copied())
    stack.back().here = std::make_unique<const Execution>(*execution_);
}

void Search::remember(std::uint64_t digest, std::uint64_t schedules, std::size_t length) {
  const auto [at, is_new] = seen_.try_emplace(digest, Seen{schedules, length});
  if (!is_new) at->second = {schedules, std::min(at->second.length, length)};
}

const Search::Seen* Search::find_seen(std::uint64_t digest, std::size_t length) const {
  const auto at = seen_.find(digest);
  const bool is_left_out = at != seen_.end() && at->second.length <= length;
  return is_left_out && repeats_ == Repeats::left_out ? &at->second : nullptr;
}

void Search::note(const Schedule& path) {
  Found found{execution_->fault_count(), path, *execution_->violation()};
  if (!best_ || found.is_better_than(*best_)) best_ = std::move(found);
}

bool Search::is_worse_than_best(const Schedule& path) const {
  return best_ && execution_->fault_count() >= best_->faults &&
         path.size() > best_->schedule.size();
}

Search::Point Search::look_at(const Schedule& schedule) {
  go_to({});
  Point point;
  for (const Choice& choice : schedule) execution_->take(choice);
  executed_choices_ += schedule.size();
  point.is_broken = execution_->violation().has_value();
  if (point.is_broken) {
    note(schedule);
    return point;
  }
  point.digest = execution_->digest();
  std::vector<Choice> choices = execution_->choices();
  const bool may_be_cut = execution_->may_be_cut();
  if (choices.empty()) {
    execution_->finish();
    point.is_complete = true;
    point.is_broken = execution_->violation().has_value();
    if (point.is_broken) note(schedule);
  }
  is_at_path_ = false;
  for (const Choice& choice : choices) {
    point.next.push_back(schedule);
    point.next.back().push_back(choice);
  }
  if (!may_be_cut) return point;
  for (const Choice& choice : choices) {
    if (choice.kind != ChoiceKind::step) continue;
    go_to(schedule);
    execution_->take(choice);
    for (const Choice& crash : crashes_in(*execution_, choice.index, limits_)) {
      point.next.push_back(schedule);
      point.next.back().push_back(crash);
    }
  }
  is_at_path_ = false;
  return point;
}

std::uint64_t Search::run_from(const Schedule& prefix) {
  Schedule path = prefix;
  go_to(path);
  if (execution_->violation()) {
    note(path);
    return 0;
  }
  const std::uint64_t root = execution_->digest();
  if (const Seen* seen = find_seen(root, path.size())) return seen->schedules;
  std::vector<Frame> stack;
  push_frame(stack, root, execution_->choices());
  while (!is_stopped_) {
    Frame& top = stack.back();
    if (top.next < top.choices.size()) {
      step_down(path, stack);
      if (++steps_ % 16 == 0) is_stopped_ = !go_on_({done(stack), seen_.size(), schedules_});
      continue;
    }
    const std::uint64_t schedules = top.schedules;
    remember(top.digest, schedules, path.size());
    stack.pop_back();
    if (stack.empty()) return schedules;
    path.pop_back();
    is_at_path_ = false;
    stack.back().schedules = add_schedules(stack.back().schedules, schedules);
  }
  return stack.front().schedules;
}

// Takes the next choice of the last frame; a frame is added when it leads to a new state.
void Search::step_down(Schedule& path, std::vector<Frame>& stack) {
  Frame& frame = stack.back();
  if (!is_at_path_) go_back_to(path, stack);
  const Choice choice = frame.choices[frame.next++];
  const bool may_be_cut = execution_->may_be_cut();
  execution_->take(choice);
  ++executed_choices_;
  is_at_path_ = false;
  path.push_back(choice);
  if (may_be_cut && choice.kind == ChoiceKind::step)
    for (Choice& crash : crashes_in(*execution_, choice.index, limits_))
      frame.choices.push_back(std::move(crash));
  const auto leave = [&](std::uint64_t schedules) {
    frame.schedules = add_schedules(frame.schedules, schedules);
    schedules_ = add_schedules(schedules_, schedules);
    path.pop_back();
  };
  if (execution_->violation()) {
    note(path);
    return leave(0);
  }
  if (is_worse_than_best(path)) return leave(0);
  const std::uint64_t digest = execution_->digest();
  if (const Seen* seen = find_seen(digest, path.size())) return leave(seen->schedules);
  std::vector<Choice> choices = execution_->choices();
  if (!choices.empty()) {
    is_at_path_ = true;
    push_frame(stack, digest, std::move(choices));
    return;
  }
  execution_->finish();
  if (execution_->violation()) note(path);
  remember(digest, 1, path.size());
  leave(1);
}

// Each branch counts as much as its siblings, whatever is behind it.
double Search::done(const std::vector<Frame>& stack) const {
  double share = 1;
  double sum = 0;
  for (const Frame& frame : stack) {
    const double branches = static_cast<double>(std::max<std::size_t>(frame.choices.size(), 1));
    const bool is_last = &frame == &stack.back();
    const double finished = static_cast<double>(frame.next) - (is_last ? 0 : 1);
    sum += share * std::max(finished, 0.0) / branches;
    share /= branches;
  }
  return sum;
}

}  // namespace fencepost::scenario
