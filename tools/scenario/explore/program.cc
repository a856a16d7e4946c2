#include "tools/scenario/explore/program.h"

#include <algorithm>

namespace fencepost::scenario {

namespace {

// Whether two actors that do this cannot be told apart by it. In a group they can: members are
// given partitions in the order of their names.
bool are_alike(const ProgramStep& one, const ProgramStep& other) {
  const Step& a = *one.step;
  const Step& b = *other.step;
  return one.stretch == other.stretch && a.verb == b.verb && a.verb->name != "join" &&
         a.source == b.source && !a.expect && !b.expect && a.lose_reply == b.lose_reply &&
         a.retry == b.retry;
}

}  // namespace

Program::Program(const Scenario& scenario, const Variant& variant)
    : scenario_(scenario), variant_(variant), bounds_(scenario.explore.value_or(ExploreBounds{})) {
  for (const Step& step : scenario.steps) {
    if (!step.runs_in(variant.name)) continue;
    if (step.actor.empty()) {
      barriers_.push_back(&step);
      continue;
    }
    auto at = std::find_if(actors_.begin(), actors_.end(),
                           [&](const ActorProgram& it) { return it.name == step.actor; });
    if (at == actors_.end()) at = actors_.insert(at, ActorProgram{step.actor, {}});
    at->steps.push_back({&step, static_cast<int>(barriers_.size())});
  }
  find_twins();
}

void Program::find_twins() {
  const auto is_named = [this](const ActorProgram& actor) {
    return std::ranges::any_of(barriers_, [&actor](const Step* barrier) {
      return barrier->source.find(actor.name) != std::string::npos;
    });
  };
  for (std::size_t i = 1; i < actors_.size(); ++i)
    for (std::size_t earlier = 0; earlier < i && !actors_[i].twin; ++earlier)
      if (std::ranges::equal(actors_[i].steps, actors_[earlier].steps, are_alike) &&
          !is_named(actors_[i]) && !is_named(actors_[earlier]))
        actors_[i].twin = earlier;
}

const Step& Program::deviating(const Step& step, const Deviation& deviation) {
  if (deviation == Deviation{}) return step;
  std::unique_ptr<const Step>& place = deviating_[{&step, deviation}];
  if (place != nullptr) return *place;
  auto changed = std::make_unique<Step>(step);
  if (deviation.is_abort) {
    changed->arguments.set("result", std::string("abort"));
    Node& written = changed->written;
    const auto result = std::find_if(written.entries.begin(), written.entries.end(),
                                     [](const Node::Entry& it) { return it.key == "result"; });
    if (result != written.entries.end())
      result->value.text = "abort";
    else
      written = Node{NodeKind::scalar, written.place, "abort", {}, {}};
  }
  changed->lose_reply = changed->lose_reply || deviation.is_reply_lost;
  if (!deviation.hold.empty()) {
    changed->hold = deviation.hold;
    changed->retry = false;  // the actor has gone on: nobody asks again when it is answered late
  }
  place = std::move(changed);
  return *place;
}

std::vector<Mistake> explore_refusals(const Scenario& scenario) {
  std::vector<Mistake> mistakes;
  if (scenario.always.empty() && scenario.finally.empty())
    mistakes.push_back({{1, 1}, "there is no property to check; write always: [...]"});
  for (const Step& step : scenario.steps) {
    const std::string_view verb = step.verb->name;
    if (step.hold || verb == "release")
      mistakes.push_back({step.place,
                          "explore holds and releases requests itself; write "
                          "explore: {held: 1} instead"});
    if (step.as || verb == "await")
      mistakes.push_back({step.place,
                          "explore does one step after another; leave out 'as' and "
                          "'await'"});
  }
  return mistakes;
}

}  // namespace fencepost::scenario
