#include "tools/conform/play.h"

#include <array>
#include <nlohmann/json.hpp>

namespace fencepost::conform {

namespace {

constexpr Duration answer_time_max = std::chrono::seconds(15);
// An answer that has not come by then waits for another member.
constexpr Duration waiting_begins = milliseconds(150);
constexpr Duration glance = milliseconds(50);
// How much later than the other one a side may be.
constexpr Duration lag_max = std::chrono::seconds(3);

// When the leader of a group has gone, Kafka takes whichever member its hash table names first.
bool is_same_but_for_the_leader(const Step& step, const std::string& one,
                                const std::string& other) {
  if (step.api != protocol::ApiKey::join_group) return false;
  // Behind the answer that gave a member its id.
  const auto last = [](const std::string& text) {
    const std::size_t at = text.rfind(", then {");
    return nlohmann::json::parse(at == std::string::npos ? text : text.substr(at + 7), nullptr,
                                 false);
  };
  std::array<nlohmann::json, 2> answers{last(one), last(other)};
  for (nlohmann::json& answer : answers) {
    if (!answer.is_object() || answer.value("generationId", -1) <= 1) return false;
    answer.erase("leader");
    answer.erase("members");
  }
  return answers[0] == answers[1];
}

class Play {
 public:
  Play(const Program& program, const Contestant& one, const Contestant& other,
       const std::string& prefix)
      : program_(program),
        players_{Player(*one.side, one.known, prefix), Player(*other.side, other.known, prefix)},
        join_delay_(std::max(one.known.join_delay, other.known.join_delay)) {
    // Time in this process costs nothing, so that side is asked first whether anything waits.
    if (other.side->is_simulated()) first_ = 1;
  }

  Played run() {
    for (std::size_t i = 0; i < program_.steps.size() && goes_on(); ++i) step(i);
    played_.is_interrupted = is_interrupted();
    return std::move(played_);
  }

 private:
  using Answers = std::array<std::optional<Answer>, 2>;

  bool is_interrupted() {
    return players_[0].side().is_interrupted() || players_[1].side().is_interrupted();
  }
  bool goes_on() { return !played_.difference && !is_stuck_ && !is_interrupted(); }

  void step(std::size_t index) {
    const Step& step = program_.steps[index];
    const std::string connection = Player::connection_of(step);
    if (waiting_.contains(connection)) return;
    const std::array<Instant, 2> began{players_[0].side().now(), players_[1].side().now()};
    for (Player& player : players_) player.begin(step);
    played_.exchanges.resize(index + 1);
    const Answers answers = take(connection, Player::may_wait(step));
    if (is_interrupted()) return;
    compare(index, answers);
    if (played_.difference) return;
    if (!answers[0]) {
      waiting_[connection] = index;
      for (Player& player : players_) player.make_sure_it_waits(step);
    }
    if (answers[0])
      for (Player& player : players_) player.settle(step);
    keep_pace(began);
    look_at_waiting();
  }

  Answers take(const std::string& connection, bool may_wait) {
    Player& first = players_[first_];
    Player& second = players_[1 - first_];
    Answers answers;
    // Where nothing is under way in this process, nothing will come: no time is to pass for it.
    const Duration wait = join_delay_ + (first.side().is_simulated() ? Duration() : waiting_begins);
    answers[first_] = first.take(connection, may_wait ? wait : answer_time_max);
    const Duration patience = answers[first_] ? answer_time_max : glance;
    answers[1 - first_] = second.take(connection, patience);
    if (answers[1 - first_] && !answers[first_]) answers[first_] = first.take(connection, lag_max);
    return answers;
  }

  // What one step has let go on.
  void look_at_waiting() {
    for (auto it = waiting_.begin(); it != waiting_.end() && !played_.difference;) {
      Player& first = players_[first_];
      Player& second = players_[1 - first_];
      Answers answers;
      answers[first_] = first.take(it->first, Duration());
      answers[1 - first_] = second.take(it->first, answers[first_] ? lag_max : Duration());
      if (answers[1 - first_] && !answers[first_]) answers[first_] = first.take(it->first, lag_max);
      if (is_interrupted()) return;
      compare(it->second, answers);
      it = answers[0] ? waiting_.erase(it) : std::next(it);
    }
  }

  void compare(std::size_t index, const Answers& answers) {
    if (answers[0]) played_.exchanges[index] = {answers[0]->request, answers[0]->text};
    if (!answers[0] && !answers[1]) return;
    const std::string none = "no answer yet";
    const std::string one = answers[0] ? answers[0]->text : none;
    const std::string other = answers[1] ? answers[1]->text : none;
    const bool is_sent =
        (!answers[0] || answers[0]->is_sent) && (!answers[1] || answers[1]->is_sent);
    if (!is_sent) {
      if (played_.unsent.empty()) played_.unsent = to_line(program_.steps[index]) + ": " + one;
      return;
    }
    Tally& tally = played_.tallies[program_.steps[index].api];
    if (one != other && is_same_but_for_the_leader(program_.steps[index], one, other)) {
      is_stuck_ = true;  // from here on the two groups go different ways
    } else if (one != other) {
      played_.difference = Difference{index, one, other};
      ++tally.different;
      return;
    }
    ++tally.equal;
    // A transaction whose markers cannot be written stays busy for ever.
    if (answers[0]->is_busy) is_stuck_ = true;
  }

  // What takes time on one side takes it on the other too, as far as that one can choose.
  void keep_pace(const std::array<Instant, 2>& began) {
    const Duration spent[2] = {players_[0].side().now() - began[0],
                               players_[1].side().now() - began[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      const Duration behind = spent[1 - i] - spent[i];
      if (players_[i].side().is_simulated() && behind > Duration()) players_[i].side().pass(behind);
    }
  }

  const Program& program_;
  std::array<Player, 2> players_;
  Duration join_delay_;
  std::size_t first_ = 0;
  std::map<std::string, std::size_t> waiting_;  // steps, by connection
  bool is_stuck_ = false;
  Played played_;
};

}  // namespace

Played play(const Program& program, const Contestant& one, const Contestant& other,
            const std::string& prefix) {
  return Play(program, one, other, prefix).run();
}

}  // namespace fencepost::conform
