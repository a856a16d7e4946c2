// A scenario as the engine runs it: everything in it has been checked against the verb table, the
// declared topics and the other steps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "minibroker/settings.h"
#include "minibroker/sim/cut_points.h"
#include "minibroker/topic_partition.h"
#include "protocol/base/time.h"
#include "tools/scenario/document.h"
#include "tools/scenario/verbs.h"

namespace fencepost::scenario {

using minibroker::TopicPartition;
using protocol::ApiKey;

struct KeyValue {
  std::optional<std::string> key;
  std::optional<std::string> value;  // nothing: a tombstone
  bool operator==(const KeyValue&) const = default;
};

struct NullArgument {
  bool operator==(const NullArgument&) const = default;
};
using OffsetMap = std::map<TopicPartition, std::int64_t>;
using ArgumentValue = std::variant<NullArgument, bool, std::int64_t, Duration, std::string,
                                   std::vector<TopicPartition>, std::vector<std::string>, OffsetMap,
                                   std::vector<KeyValue>>;

// The arguments of a step, by name.
class Arguments {
 public:
  void set(std::string name, ArgumentValue value) { values_[std::move(name)] = std::move(value); }
  bool has(const std::string& name) const { return values_.count(name) != 0; }
  bool is_null(const std::string& name) const { return get<NullArgument>(name).has_value(); }

  std::optional<bool> boolean(const std::string& name) const { return get<bool>(name); }
  std::optional<std::int64_t> integer(const std::string& name) const {
    return get<std::int64_t>(name);
  }
  std::optional<Duration> duration(const std::string& name) const { return get<Duration>(name); }
  std::optional<std::string> text(const std::string& name) const { return get<std::string>(name); }
  std::vector<std::string> texts(const std::string& name) const {
    return get<std::vector<std::string>>(name).value_or(std::vector<std::string>{});
  }
  std::vector<TopicPartition> partitions(const std::string& name) const {
    return get<std::vector<TopicPartition>>(name).value_or(std::vector<TopicPartition>{});
  }
  OffsetMap offsets(const std::string& name) const {
    return get<OffsetMap>(name).value_or(OffsetMap{});
  }
  std::vector<KeyValue> records(const std::string& name) const {
    return get<std::vector<KeyValue>>(name).value_or(std::vector<KeyValue>{});
  }

 private:
  template <class T>
  std::optional<T> get(const std::string& name) const {
    const auto at = values_.find(name);
    if (at == values_.end()) return std::nullopt;
    const T* value = std::get_if<T>(&at->second);
    return value == nullptr ? std::nullopt : std::optional<T>(*value);
  }

  std::map<std::string, ArgumentValue> values_;
};

// What a step has to answer. Empty error names and no values: it has to succeed.
struct Outcome {
  std::vector<std::string> errors;  // one of these
  Node values;                      // a map, or null
};

struct Expectation {
  Place place;
  std::map<std::string, Outcome> by_variant;
  std::optional<Outcome> otherwise;

  // What holds in that variant; nothing when the file states nothing for it.
  const Outcome* in(const std::string& variant) const;
};

struct Step {
  Place place;
  std::string actor;  // empty for world verbs
  const VerbSpec* verb = nullptr;
  Arguments arguments;
  std::string source;  // the arguments as they were written,
  Node written;        // and as a tree
  std::optional<Expectation> expect;
  std::optional<std::string> as;
  std::optional<std::string> hold;
  bool lose_reply = false;
  // What becomes of an error that says "try again": by itself, when it is not the expected one.
  std::optional<bool> retry;
  std::string note;
  std::vector<std::string> only;  // variants; empty: all

  bool runs_in(const std::string& variant) const;
};

enum class Fence { none, generation };

// One world that the scenario runs in.
struct Variant {
  Place place;
  std::string name;
  std::optional<std::string> as_version;
  std::optional<int> brokers;
  Fence fence = Fence::none;
  std::optional<std::string> defect;            // of the brokers
  std::map<std::string, std::string> settings;  // Kafka's keys
};

// A named property, and whether this scenario is there to show it broken.
struct NamedProperty {
  Place place;
  std::string name;
};

// How far `fencepost explore` goes: the faults that one schedule may have, and what it has to find.
struct ExploreBounds {
  Place place;
  int crashes = 0;              // of brokers
  int held = 0;                 // requests of actors that are late, or lost
  int held_markers = 0;         // WriteTxnMarkers requests, likewise
  int lost_replies = 0;         // answers that are lost after their request took effect
  std::vector<Duration> clock;  // each can pass once, at any moment
  std::optional<int> steps;     // of a schedule
  bool crashes_at_cut_points = true;
  bool crashes_between_steps = false;
  std::vector<minibroker::sim::Unsynced> unsynced = {minibroker::sim::Unsynced::kept};
  std::map<std::string, std::set<std::string>> breaks;  // properties that have to break, by variant
};

struct Scenario {
  std::string file;
  std::string title;
  std::string question;
  std::vector<std::string> look;
  std::vector<minibroker::TopicSettings> topics;
  int brokers = 1;
  std::optional<std::string> as_version;
  std::optional<std::string> defect;
  std::map<std::string, std::string> settings;
  std::uint64_t seed = 1;
  std::vector<Variant> variants;  // at least one; an unnamed one when the file has none
  std::vector<NamedProperty> always;
  std::vector<NamedProperty> finally;
  // Properties that the scenario shows broken, by variant.
  std::map<std::string, std::vector<std::string>> broken;
  std::optional<ExploreBounds> explore;
  std::vector<Step> steps;
};

}  // namespace fencepost::scenario
