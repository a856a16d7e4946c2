#include "tools/scenario/explore/choice.h"

#include <algorithm>

#include "tools/scenario/values.h"

namespace fencepost::scenario {

namespace {

std::optional<std::string_view> take_word(std::string_view& line) {
  const std::size_t end = line.find('\t');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end + 1);
  return word;
}

std::optional<int> take_number(std::string_view& line) {
  const auto word = take_word(line);
  const auto number = word ? parse_integer(*word) : std::nullopt;
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

bool is_fault(ChoiceKind kind) {
  switch (kind) {
    case ChoiceKind::step:
    case ChoiceKind::barrier:
    case ChoiceKind::restart:
    case ChoiceKind::release:
      return false;
    case ChoiceKind::hold:
    case ChoiceKind::hold_markers:
    case ChoiceKind::lose_reply:
    case ChoiceKind::crash:
    case ChoiceKind::crash_now:
    case ChoiceKind::clock:
      return true;
  }
  return false;
}

std::vector<Choice> crashes_at(const std::vector<minibroker::sim::Moment>& moments, int actor,
                               const std::vector<minibroker::sim::Unsynced>& unsynced) {
  std::vector<Choice> crashes;
  for (const minibroker::sim::Unsynced left : unsynced)
    for (const minibroker::sim::Moment& moment : moments) {
      Choice crash{ChoiceKind::crash, actor, moment.point, moment.subject,
                   moment.broker_id,  0,     left};
      while (std::find(crashes.begin(), crashes.end(), crash) != crashes.end()) ++crash.skip;
      crashes.push_back(std::move(crash));
    }
  return crashes;
}

std::string to_line(const Schedule& schedule) {
  std::string line;
  for (const Choice& it : schedule)
    line += std::to_string(static_cast<int>(it.kind)) + "\t" + std::to_string(it.index) + "\t" +
            it.point + "\t" + it.subject + "\t" + std::to_string(it.broker_id) + "\t" +
            std::to_string(it.skip) + "\t" + std::to_string(static_cast<int>(it.unsynced)) + "\t";
  return line;
}

std::optional<Schedule> parse_schedule(std::string_view line) {
  Schedule schedule;
  while (!line.empty()) {
    const auto kind = take_number(line);
    const auto index = take_number(line);
    const auto point = take_word(line);
    const auto subject = take_word(line);
    const auto broker_id = take_number(line);
    const auto skip = take_number(line);
    const auto unsynced = take_number(line);
    const bool is_kind = kind && *kind >= 0 && *kind < static_cast<int>(choice_kinds);
    const bool is_read = index && point && subject && broker_id && skip && unsynced;
    if (!is_kind || !is_read) return std::nullopt;
    schedule.push_back({static_cast<ChoiceKind>(*kind), *index, std::string(*point),
                        std::string(*subject), *broker_id, *skip,
                        static_cast<minibroker::sim::Unsynced>(*unsynced)});
  }
  return schedule;
}

}  // namespace fencepost::scenario
