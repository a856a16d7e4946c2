// The table of configuration keys. To make a setting configurable, add one line to it, in the order
// of the names.
#include "minibroker/configuration.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "minibroker/config_keys.h"
#include "minibroker/group/settings.h"
#include "minibroker/security_configuration.h"
#include "protocol/base/nearest.h"

namespace fencepost::minibroker {

namespace {

constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t day_ms = std::int64_t{24} * 60 * 60 * 1000;

using S = ClusterSettings;

bool is_migration_policy(std::string_view value) {
  return minibroker::migration_policy(value).has_value();
}

bool are_assignors(std::string_view value) {
  return value == "uniform,range" || value == "range,uniform" || value == "uniform" ||
         value == "range";
}

// clang-format off
constexpr ConfigurationKey keys[] = {
    {"allow.everyone.if.no.acl.found", &allow_everyone_setting},
    {"authorizer.class.name", &authorizer_setting},
    {"auto.create.topics.enable", &S::auto_create_topics_enable},
    {"broker.session.timeout.ms", &S::broker_session_timeout, 1, int_max},
    {"connections.max.idle.ms", &S::connections_max_idle, 1, 365 * day_ms},
    {"connections.max.reauth.ms", &max_reauth_setting},
    {"default.replication.factor", &S::default_replication_factor, 1, 32767},
    {"fetch.max.bytes", &S::fetch_max_bytes, 1024, int_max},
    {"group.consumer.assignment.interval.ms", &S::group_consumer_assignment_interval, 0, int_max},
    {"group.consumer.assignors", TextSetting{&S::group_consumer_assignors, are_assignors,
     "uniform, range, or both with a comma, the default first"}},
    {"group.consumer.heartbeat.interval.ms", &S::group_consumer_heartbeat_interval, 1, int_max},
    {"group.consumer.max.size", &S::group_consumer_max_size, 1, int_max},
    {"group.consumer.migration.policy", TextSetting{&S::group_consumer_migration_policy,
     is_migration_policy, "bidirectional, upgrade, downgrade or disabled"}},
    {"group.consumer.regex.refresh.interval.ms", &S::group_consumer_regex_refresh_interval, 10000, int_max},
    {"group.consumer.session.timeout.ms", &S::group_consumer_session_timeout, 1, int_max},
    {"group.initial.rebalance.delay.ms", &S::group_initial_rebalance_delay, 0, int_max},
    {"group.max.session.timeout.ms", &S::group_max_session_timeout, 0, int_max},
    {"group.max.size", &S::group_max_size, 1, int_max},
    {"group.min.session.timeout.ms", &S::group_min_session_timeout, 0, int_max},
    {"log.cleaner.backoff.ms", &S::log_cleaner_backoff, 1, int_max},
    {"log.retention.check.interval.ms", &S::log_retention_check_interval, 1, int_max},
    {"max.connections", &S::max_connections, 0, int_max},
    {"max.connections.per.ip", &S::max_connections_per_ip, 0, int_max},
    {"max.incremental.fetch.session.cache.slots", &S::max_incremental_fetch_session_cache_slots, 0, int_max},
    {"message.max.bytes", &S::message_max_bytes, 0, int_max},
    {"min.insync.replicas", &S::min_insync_replicas, 1, int_max},
    {"num.partitions", &S::num_partitions, 1, int_max},
    {"offset.metadata.max.bytes", &S::offset_metadata_max_bytes, 0, int_max},
    {"offsets.topic.num.partitions", &S::offsets_topic_num_partitions, 1, int_max},
    {"offsets.topic.replication.factor", &S::offsets_topic_replication_factor, 1, 32767},
    {"producer.id.expiration.ms", &S::producer_id_expiration, 1, int_max},
    {"queued.max.request.bytes", &S::queued_max_request_bytes, -1, std::numeric_limits<std::int64_t>::max()},
    {"replica.fetch.backoff.ms", &S::replica_fetch_backoff, 0, int_max},
    {"replica.fetch.wait.max.ms", &S::replica_fetch_wait_max, 0, int_max},
    {"replica.lag.time.max.ms", &S::replica_lag_time_max, 1, int_max},
    {"request.timeout.ms", &S::request_timeout, 1, int_max},
    {"sasl.enabled.mechanisms", &mechanisms_setting},
    {"sasl.server.max.receive.size", &S::sasl_server_max_receive_size, 1, int_max},
    {"socket.request.max.bytes", &S::socket_request_max_bytes, 1, int_max},
    {"super.users", &super_users_setting},
    {"transaction.abort.timed.out.transaction.cleanup.interval.ms",
     &S::transaction_abort_timed_out_transaction_cleanup_interval, 1, int_max},
    {"transaction.max.timeout.ms", &S::transaction_max_timeout, 1, int_max},
    {"transaction.partition.verification.enable",
     EraSwitches{&Era::verifies_partitions, &Era::verifies_offset_commits}},
    {"transaction.state.log.min.isr", &S::transaction_state_log_min_isr, 1, int_max},
    {"transaction.state.log.num.partitions", &S::transaction_state_log_num_partitions, 1, int_max},
    {"transaction.state.log.replication.factor", &S::transaction_state_log_replication_factor, 1, 32767},
    {"transactional.id.expiration.ms", &S::transactional_id_expiration, 1, int_max},
    {"unclean.leader.election.enable", &S::unclean_leader_election_enable},
};
// clang-format on

Error invalid(std::string text) {
  return {ErrorKind::invalid_argument, std::move(text), 0, {}};
}

const ConfigurationKey* find_key(std::string_view name) {
  for (const ConfigurationKey& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : broker_config_keys()) names.push_back(key.name);
  return names;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

// Reads the value for one kind of target and stores it; false when it is not of that kind.
struct Assign {
  const ConfigurationKey& key;
  ClusterSettings& settings;
  std::string_view value;

  std::optional<std::int64_t> number() const {
    const std::optional<std::int64_t> number = parse_integer(value);
    if (!number || *number < key.min || *number > key.max) return std::nullopt;
    return number;
  }

  bool operator()(int ClusterSettings::*member) const {
    const std::optional<std::int64_t> it = number();
    if (it) settings.*member = static_cast<int>(*it);
    return it.has_value();
  }
  bool operator()(Duration ClusterSettings::*member) const {
    const std::optional<std::int64_t> it = number();
    if (it) settings.*member = milliseconds(*it);
    return it.has_value();
  }
  bool operator()(bool ClusterSettings::*member) const {
    const std::optional<bool> it = parse_boolean(value);
    if (it) settings.*member = *it;
    return it.has_value();
  }
  bool operator()(const TextSetting& setting) const {
    if (!setting.is_valid(value)) return false;
    settings.*setting.member = value;
    return true;
  }
  bool operator()(std::int64_t ClusterSettings::*member) const {
    const std::optional<std::int64_t> it = number();
    if (it) settings.*member = *it;
    return it.has_value();
  }
  bool operator()(const ParsedSetting* setting) const { return setting->set(settings, value); }
  bool operator()(const EraSwitches& members) const {
    const std::optional<bool> it = parse_boolean(value);
    const std::optional<Era> era = find_era(settings.era.name);
    if (!it || !era) return false;
    for (bool Era::*member : members) settings.era.*member = (*era).*member && *it;
    return true;
  }
};

struct Print {
  const ClusterSettings& settings;

  std::string operator()(int ClusterSettings::*member) const {
    return std::to_string(settings.*member);
  }
  std::string operator()(std::int64_t ClusterSettings::*member) const {
    return std::to_string(settings.*member);
  }
  std::string operator()(const ParsedSetting* setting) const { return setting->get(settings); }
  std::string operator()(Duration ClusterSettings::*member) const {
    return std::to_string(to_milliseconds(settings.*member));
  }
  std::string operator()(bool ClusterSettings::*member) const {
    return settings.*member ? "true" : "false";
  }
  std::string operator()(const TextSetting& setting) const { return settings.*setting.member; }
  std::string operator()(const EraSwitches& members) const {
    return settings.era.*members.front() ? "true" : "false";
  }
};

}  // namespace

namespace {

std::string wanted(const ConfigKey& key) {
  switch (key.type) {
    case ConfigType::boolean:
      return "true or false";
    case ConfigType::short_integer:
    case ConfigType::integer:
    case ConfigType::long_integer:
    case ConfigType::floating: {
      std::string text = key.type == ConfigType::floating ? "a number" : "an integer";
      if (key.min != std::numeric_limits<std::int64_t>::min())
        text += " of at least " + std::to_string(key.min);
      if (key.max != std::numeric_limits<std::int64_t>::max())
        text += " and at most " + std::to_string(key.max);
      return text;
    }
    case ConfigType::string:
    case ConfigType::list:
    case ConfigType::class_name:
    case ConfigType::password:
      return "one of Kafka's words for it";
  }
  return "another value";
}

}  // namespace

std::span<const ConfigurationKey> configuration_keys() {
  return keys;
}

std::string value_of(const ConfigurationKey& key, const ClusterSettings& settings) {
  return std::visit(Print{settings}, key.target);
}

std::string wanted(const ConfigurationKey& key) {
  const bool is_duration = std::holds_alternative<Duration ClusterSettings::*>(key.target);
  if (const auto* setting = std::get_if<const ParsedSetting*>(&key.target))
    return (*setting)->wanted;
  if (is_duration || std::holds_alternative<std::int64_t ClusterSettings::*>(key.target) ||
      std::holds_alternative<int ClusterSettings::*>(key.target)) {
    return std::string(is_duration ? "milliseconds" : "an integer") + " from " +
           std::to_string(key.min) + " to " + std::to_string(key.max);
  }
  if (const auto* text = std::get_if<TextSetting>(&key.target)) return std::string(text->wanted);
  return "true or false";
}

bool takes_effect(std::string_view name) {
  const auto gives_default = [name](const ConfigKey& key) { return key.broker_key == name; };
  return find_key(name) != nullptr || std::ranges::any_of(topic_config_keys(), gives_default);
}

Result<void> configure(ClusterSettings& settings, std::string_view name, std::string_view value) {
  const ConfigKey* known = find_config_key(broker_config_keys(), name);
  const ConfigurationKey* key = find_key(name);
  if (key == nullptr && known == nullptr) {
    return invalid("unknown broker configuration key '" + std::string(name) + "'" +
                   did_you_mean(name, key_names()));
  }
  const bool is_good = key != nullptr ? std::visit(Assign{*key, settings, value}, key->target)
                                      : !config_value_problem(*known, value);
  if (!is_good) {
    return invalid(std::string(name) + " has to be " +
                   (key != nullptr ? wanted(*key) : wanted(*known)) + ", not '" +
                   std::string(value) + "'");
  }
  settings.broker_config[std::string(name)] = value;
  return {};
}

Result<void> configure(ClusterSettings& settings, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    return invalid("'" + std::string(assignment) + "' is not of the form key=value");
  }
  return configure(settings, assignment.substr(0, equals), assignment.substr(equals + 1));
}

Result<void> set_feature(ClusterSettings& settings, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const std::string_view level =
      equals == std::string_view::npos ? std::string_view() : assignment.substr(equals + 1);
  const std::vector<Feature> features = settings.era.features();
  const auto feature = std::ranges::find(features, name, &Feature::name);
  if (feature == features.end()) {
    std::string known;
    for (const Feature& it : features) known += (known.empty() ? "" : ", ") + std::string(it.name);
    return invalid("a " + settings.era.name + " cluster has no feature '" + std::string(name) +
                   "'" + (known.empty() ? "" : "; it has " + known));
  }
  const std::optional<std::int64_t> number = parse_integer(level);
  const bool is_level = number && *number >= feature->level_min && *number <= feature->level_max &&
                        settings.era.set_feature_level(name, static_cast<std::int16_t>(*number));
  if (is_level) return {};
  return invalid(std::string(name) + " of a " + settings.era.name + " cluster can be " +
                 std::to_string(feature->level_min) + " to " + std::to_string(feature->level_max) +
                 ", not '" + std::string(level) + "'");
}

}  // namespace fencepost::minibroker
