#include "tools/conform/shrink.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fencepost::conform {

using nlohmann::json;

namespace {

class Shrinking {
 public:
  Shrinking(const Program& program, const Played& played, const PlayAgain& play_again,
            int plays_max)
      : play_again_(play_again),
        plays_max_(plays_max),
        api_(program.steps[played.difference->step].api) {
    best_.program = program;
    best_.played = played;
    cut_behind();
  }

  Shrunk run() {
    remove_steps();
    simplify_steps();
    remove_steps();
    return std::move(best_);
  }

 private:
  bool goes_on() const { return best_.plays < plays_max_; }

  // What comes after the difference was not played.
  void cut_behind() { best_.program.steps.resize(best_.played.difference->step + 1); }

  bool try_instead(Program program) {
    ++best_.plays;
    Played played = play_again_(program);
    if (played.is_interrupted) best_.plays = plays_max_;
    const bool is_same = played.difference && program.steps[played.difference->step].api == api_;
    if (!is_same) return false;
    best_.program = std::move(program);
    best_.played = std::move(played);
    cut_behind();
    return true;
  }

  // Halves, quarters, ... single steps; again while single steps go.
  void remove_steps() {
    std::size_t size = std::max<std::size_t>(1, best_.program.steps.size() / 2);
    while (goes_on()) {
      bool has_removed = false;
      for (std::size_t at = 0; at < best_.program.steps.size() && goes_on();) {
        Program shorter = best_.program;
        const std::size_t end = std::min(at + size, shorter.steps.size());
        shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(at),
                            shorter.steps.begin() + static_cast<std::ptrdiff_t>(end));
        if (!shorter.steps.empty() && try_instead(std::move(shorter)))
          has_removed = true;
        else
          at += size;
      }
      if (size == 1 && !has_removed) return;
      size = std::max<std::size_t>(1, size / 2);
    }
  }

  void simplify_steps() {
    for (std::size_t i = 0; i < best_.program.steps.size() && goes_on(); ++i) {
      std::vector<json> simpler;
      const json body = json::parse(best_.program.steps[i].body);
      collect_simpler(body, json::json_pointer(), body, &simpler);
      for (const json& one : simpler) {
        if (!goes_on() || i >= best_.program.steps.size()) return;
        Program other = best_.program;
        other.steps[i].body = one.dump();
        if (other.steps[i].body == best_.program.steps[i].body || !try_instead(std::move(other)))
          continue;
        --i;  // from the start with what is left of this step
        break;
      }
    }
  }

  // The body with one element of a list less, or one field as it is by default.
  static void collect_simpler(const json& body, const json::json_pointer& at, const json& value,
                              std::vector<json>* simpler) {
    if (value.is_array() && value.size() > 1)
      for (std::size_t i = 0; i < value.size(); ++i) {
        json other = body;
        other[at].erase(i);
        simpler->push_back(std::move(other));
      }
    if (value.is_array())
      for (std::size_t i = 0; i < value.size(); ++i)
        collect_simpler(body, at / i, value[i], simpler);
    if (!value.is_object()) return;
    const bool is_batch = at.to_string().ends_with("$batch");
    for (const auto& [key, item] : value.items()) {
      if (is_batch && key != "producer" && key != "transactional" && key != "sequence") {
        json other = body;
        other[at].erase(key);
        simpler->push_back(std::move(other));
      }
      collect_simpler(body, at / key, item, simpler);
    }
  }

  const PlayAgain& play_again_;
  int plays_max_;
  protocol::ApiKey api_;
  Shrunk best_;
};

}  // namespace

Shrunk shrink(const Program& program, const Played& played, const PlayAgain& play_again,
              int plays_max) {
  return Shrinking(program, played, play_again, plays_max).run();
}

}  // namespace fencepost::conform
