// The verbs without an actor: the clock, messages, brokers, links and leaders. A new one is one row
// here, its arguments, and its action in the engine or in cluster_steps.cc.
#include <array>

#include "tools/scenario/verbs.h"

namespace fencepost::scenario {

namespace {

using enum ArgumentType;

constexpr std::array advance_arguments{ArgumentSpec{"by", duration, "how far", true}};
constexpr std::array name_arguments{ArgumentSpec{"name", text, "the name it was given", true}};
constexpr std::array note_arguments{ArgumentSpec{"text", text, "printed as it is", true}};

// ---- rules for messages; each takes the requests that all its arguments fit

constexpr ArgumentSpec rule_api{"api", text, "Kafka's name: WriteTxnMarkers", true};
constexpr ArgumentSpec rule_topic{"topic", text, "only requests that name this topic"};
constexpr ArgumentSpec rule_id{"transactional_id", text, "only requests that name this one"};
constexpr ArgumentSpec rule_actor{"actor", text, "only requests of this actor"};
constexpr ArgumentSpec rule_broker{"broker", integer, "only requests to this broker"};
constexpr ArgumentSpec rule_from{"from_broker", integer, "only requests of this broker"};
constexpr ArgumentSpec rule_count{"count", integer, "how many; default 1"};

constexpr std::array hold_arguments{
    rule_api,
    ArgumentSpec{"as", text, "the name for release", true},
    rule_topic,
    rule_id,
    rule_actor,
    rule_broker,
    rule_from,
    ArgumentSpec{"reply", boolean, "true: hold the answer instead of the request"},
    ArgumentSpec{"count", integer, "how many; default 1, -1: all until released"}};
constexpr std::array rule_arguments{rule_api,    rule_topic, rule_id,   rule_actor,
                                    rule_broker, rule_from,  rule_count};
constexpr std::array error_arguments{rule_api,   ArgumentSpec{"error", text, "Kafka's name", true},
                                     rule_topic, rule_id,
                                     rule_actor, rule_broker,
                                     rule_from,  rule_count};
constexpr std::array delay_arguments{
    rule_api,   ArgumentSpec{"by", duration, "how much later", true},
    rule_topic, rule_id,
    rule_actor, rule_broker,
    rule_from,  rule_count};

// ---- brokers, links, leaders

constexpr std::string_view unsynced_choices = "kept|lost";
constexpr ArgumentSpec broker{"broker", integer, "its id", true};
constexpr ArgumentSpec unsynced{"unsynced", choice,
                                "what was not synced to disk; default kept: the process dies, not "
                                "the machine",
                                false, unsynced_choices};
constexpr std::array broker_arguments{broker};
constexpr std::array crash_arguments{broker, unsynced};
constexpr std::array crash_at_arguments{
    ArgumentSpec{"point", text, "the cut point: after_prepare_commit", true},
    ArgumentSpec{"of", text, "the transactional id; of markers and offsets the partition"},
    ArgumentSpec{"broker", integer, "only on this broker"},
    ArgumentSpec{"skip", integer, "how many such moments pass before; default 0"}, unsynced};
constexpr std::array link_arguments{ArgumentSpec{"between", parties, "one side", true},
                                    ArgumentSpec{"and", parties, "the other side", true}};
constexpr std::array heal_arguments{
    ArgumentSpec{"between", parties, "one side; without sides every link is healed"},
    ArgumentSpec{"and", parties, "the other side"}};
constexpr std::array slow_arguments{ArgumentSpec{"between", parties, "one side", true},
                                    ArgumentSpec{"and", parties, "the other side", true},
                                    ArgumentSpec{"latency", duration, "one way", true}};
constexpr std::array elect_arguments{
    ArgumentSpec{"partition", partition, "whose leader", true},
    ArgumentSpec{"broker", integer, "which replica; default the first that may"},
    ArgumentSpec{"kind", choice, "default clean", false, "preferred|clean|unclean"}};
constexpr std::array move_arguments{
    ArgumentSpec{"of", text, "a transactional id or a group id", true},
    ArgumentSpec{"broker", integer, "where to", true},
    ArgumentSpec{"type", choice, "what `of` is; default transaction", false, "transaction|group"}};
constexpr std::array truncate_arguments{
    ArgumentSpec{"partition", partition, "of which", true},
    ArgumentSpec{"broker", integer, "whose replica; the broker is down", true},
    ArgumentSpec{"to", integer, "the first offset that is lost", true}};

constexpr VerbSpec rule(std::string_view name, std::string_view meaning,
                        std::span<const ArgumentSpec> arguments) {
  return {name, VerbKind::world, {}, meaning, "", arguments, {}};
}
constexpr VerbSpec node(std::string_view name, std::string_view meaning,
                        std::span<const ArgumentSpec> arguments, std::string_view shorthand) {
  return {name, VerbKind::world, {}, meaning, shorthand, arguments, {}};
}

constexpr std::array table{
    VerbSpec{"clock.advance",
             VerbKind::world,
             {},
             "lets virtual time pass",
             "by",
             advance_arguments,
             {}},
    VerbSpec{
        "await", VerbKind::world, {}, "waits for a step that has `as`", "name", name_arguments, {}},
    VerbSpec{"release",
             VerbKind::world,
             {},
             "delivers what is held under a name",
             "name",
             name_arguments,
             {}},
    rule("hold", "holds messages of brokers or clients", hold_arguments),
    rule("lose_reply", "lets requests take effect and loses the answer", rule_arguments),
    rule("drop", "loses requests; the connection stays", rule_arguments),
    rule("delay", "lets requests arrive later", delay_arguments),
    rule("duplicate", "lets requests arrive twice; one answer is lost", rule_arguments),
    rule("reorder", "lets a request arrive after the next that fits", rule_arguments),
    rule("close", "closes the connection instead of delivering the request", rule_arguments),
    rule("answer_with", "answers with an error instead of the broker", error_arguments),

    node("crash", "a broker dies; its disk stays", crash_arguments, "broker"),
    node("crash_at", "a broker dies at a named moment of its work", crash_at_arguments, "point"),
    node("restart",
         "a crashed broker starts; the controller lets it in when its old session is "
         "over",
         broker_arguments, "broker"),
    node("pause", "a broker stops, and knows nothing of it", broker_arguments, "broker"),
    node("resume", "a paused broker goes on with what it knew", broker_arguments, "broker"),
    node("sync", "all that a broker has written is on disk", broker_arguments, "broker"),
    node("truncate", "the end of a crashed broker's log is lost", truncate_arguments, ""),
    node("partition", "cuts links, both ways; what is sent waits", link_arguments, ""),
    node("slow", "makes links slow, both ways", slow_arguments, ""),
    node("heal", "heals cut and slow links", heal_arguments, ""),
    node("elect", "elects a leader", elect_arguments, "partition"),
    node("move_coordinator", "moves a coordinator to another broker in sync", move_arguments, ""),

    VerbSpec{"note", VerbKind::world, {}, "prints a line", "text", note_arguments, {}},
};

}  // namespace

std::span<const VerbSpec> world_verbs() {
  return table;
}

}  // namespace fencepost::scenario
