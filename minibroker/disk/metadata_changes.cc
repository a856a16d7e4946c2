#include "minibroker/disk/metadata_changes.h"

#include <algorithm>
#include <array>

#include "protocol/records/broker_registration_log.h"
#include "protocol/records/metadata_log.h"
#include "protocol/records/security_log.h"

namespace fencepost::minibroker {

using protocol::AccessControlEntryRecord;
using protocol::BrokerRegistrationChangeRecord;
using protocol::ClientQuotaRecord;
using protocol::Codec;
using protocol::ConfigRecord;
using protocol::FeatureLevelRecord;
using protocol::PartitionChangeRecord;
using protocol::PartitionRecord;
using protocol::ProducerIdsRecord;
using protocol::RegisterBrokerRecord;
using protocol::RemoveAccessControlEntryRecord;
using protocol::RemoveTopicRecord;
using protocol::RemoveUserScramCredentialRecord;
using protocol::TopicRecord;
using protocol::UserScramCredentialRecord;

namespace {

// The newest versions that a controller of Kafka 4.4 without eligible leader replicas writes.
constexpr int register_broker_version = 3;
constexpr int partition_version = 1;
// Kafka's numbers of the protocols, which listeners are named after.
constexpr std::array<std::string_view, 4> security_protocols{"PLAINTEXT", "SSL", "SASL_PLAINTEXT",
                                                             "SASL_SSL"};

std::int16_t security_protocol_of(const std::string& listener) {
  const auto found = std::ranges::find(security_protocols, listener);
  return found == security_protocols.end()
             ? std::int16_t{0}
             : static_cast<std::int16_t>(found - security_protocols.begin());
}

bool is_fenced(const MetadataImage& image, int broker_id) {
  return std::ranges::find(image.brokers, broker_id, &BrokerAddress::id) == image.brokers.end();
}

class Changes {
 public:
  Changes(const DurableMetadata& before, const DurableMetadata& after,
          const BrokerIdentities& identities)
      : before_(before), after_(after), identities_(identities) {}

  std::vector<SharedBytes> collect();

 private:
  template <class Record>
  void add(const Record& record, int version = 0) {
    Result<Frame> body = Codec<Record>::encode(record, version);
    CHECK(body.ok());
    values_.push_back(protocol::frame_metadata(static_cast<std::uint32_t>(Record::info.api_key),
                                               static_cast<std::uint32_t>(version),
                                               body->flatten()));
  }
  void add_features();
  void add_brokers();
  void add_registration(const BrokerAddress& address);
  void remove_topics();
  void add_topic(const TopicImage& topic);
  void add_partition(const TopicImage& topic, std::size_t index);
  void add_partition_change(const TopicImage& topic, std::size_t index,
                            const PartitionImage& before);
  void add_config(ConfigResource type, const std::string& name, const ConfigMap& before,
                  const ConfigMap& after);
  void add_configs();
  void add_users();
  void add_acls();
  void add_quotas();
  void add_quota(const QuotaEntity& entity, const std::string& key, std::optional<double> value);
  std::vector<Uuid> directories_of(const std::vector<int>& replicas) const;

  const DurableMetadata& before_;
  const DurableMetadata& after_;
  const BrokerIdentities& identities_;
  std::vector<SharedBytes> values_;
};

std::vector<SharedBytes> Changes::collect() {
  add_features();
  add_brokers();
  remove_topics();
  for (const auto& [name, topic] : after_.image->topics) add_topic(topic);
  add_configs();
  add_users();
  add_acls();
  add_quotas();
  if (before_.next_producer_id != after_.next_producer_id) {
    ProducerIdsRecord record;
    record.broker_id = 1;
    record.broker_epoch = identities_.epoch;
    record.next_producer_id = after_.next_producer_id;
    add(record);
  }
  return std::move(values_);
}

// The level of metadata.version is the first record of all: it says how to read the others.
void Changes::add_features() {
  constexpr std::string_view first = "metadata.version";
  const auto add_level = [&](const std::string& name, std::int16_t level) {
    const auto known = before_.feature_levels.find(name);
    if ((known == before_.feature_levels.end() ? 0 : known->second) == level) return;
    FeatureLevelRecord record;
    record.name = name;
    record.feature_level = level;
    add(record);
  };
  if (const auto found = after_.feature_levels.find(first); found != after_.feature_levels.end())
    add_level(found->first, found->second);
  for (const auto& [name, level] : after_.feature_levels)
    if (name != first) add_level(name, level);
  for (const auto& [name, level] : before_.feature_levels)
    if (!after_.feature_levels.contains(name)) add_level(name, 0);
}

void Changes::add_brokers() {
  for (const BrokerAddress& address : after_.image->addresses) {
    const auto& known = before_.image->addresses;
    if (std::ranges::find(known, address) == known.end()) {
      add_registration(address);
      continue;
    }
    const bool is_fenced_now = is_fenced(*after_.image, address.id);
    if (is_fenced(*before_.image, address.id) == is_fenced_now) continue;
    BrokerRegistrationChangeRecord record;
    record.broker_id = address.id;
    record.broker_epoch = identities_.epoch;
    record.fenced = is_fenced_now ? 1 : -1;
    add(record);
  }
}

void Changes::add_registration(const BrokerAddress& address) {
  RegisterBrokerRecord record;
  record.broker_id = address.id;
  record.broker_epoch = identities_.epoch;
  const Uuid directory_id = identities_.directory_ids.at(address.id);
  // One process is told from the next by it.
  record.incarnation_id = directory_id;
  for (std::size_t i = 0; i < 8; ++i)
    record.incarnation_id.bytes[8 + i] ^=
        static_cast<std::uint8_t>(static_cast<std::uint64_t>(identities_.epoch) >> (8 * i));
  for (const auto& [name, endpoint] : address.listeners)
    record.end_points.push_back({name,
                                 endpoint.host,
                                 static_cast<std::uint16_t>(endpoint.port),
                                 security_protocol_of(name),
                                 {}});
  for (const Feature& feature : after_.image->settings->era.features())
    record.features.push_back(
        {std::string(feature.name), feature.level_min, feature.level_max, {}});
  record.fenced = is_fenced(*after_.image, address.id);
  record.log_dirs = {directory_id};
  add(record, register_broker_version);
}

void Changes::remove_topics() {
  for (const auto& [name, topic] : before_.image->topics)
    if (after_.image->find_topic(topic.id) == nullptr) {
      RemoveTopicRecord record;
      record.topic_id = topic.id;
      add(record);
    }
}

void Changes::add_topic(const TopicImage& topic) {
  const TopicImage* known = before_.image->find_topic(topic.id);
  if (known == nullptr) {
    TopicRecord record;
    record.name = topic.name;
    record.topic_id = topic.id;
    add(record);
  }
  for (std::size_t i = 0; i < topic.partitions.size(); ++i)
    if (known == nullptr || i >= known->partitions.size())
      add_partition(topic, i);
    else if (known->partitions[i] != topic.partitions[i])
      add_partition_change(topic, i, known->partitions[i]);
  static const ConfigMap none;
  add_config(ConfigResource::topic, topic.name, known == nullptr ? none : known->config,
             topic.config);
}

std::vector<Uuid> Changes::directories_of(const std::vector<int>& replicas) const {
  std::vector<Uuid> directories;
  for (int id : replicas) directories.push_back(identities_.directory_ids.at(id));
  return directories;
}

void Changes::add_partition(const TopicImage& topic, std::size_t index) {
  const PartitionImage& image = topic.partitions[index];
  PartitionRecord record;
  record.partition_id = static_cast<std::int32_t>(index);
  record.topic_id = topic.id;
  record.replicas = image.replicas;
  record.isr = image.in_sync_replicas;
  record.leader = image.leader_id;
  record.leader_epoch = image.leader_epoch;
  record.partition_epoch = 0;
  record.directories = directories_of(image.replicas);
  add(record, partition_version);
}

void Changes::add_partition_change(const TopicImage& topic, std::size_t index,
                                   const PartitionImage& before) {
  const PartitionImage& after = topic.partitions[index];
  PartitionChangeRecord record;
  record.partition_id = static_cast<std::int32_t>(index);
  record.topic_id = topic.id;
  // A record stands for one epoch; several may have begun in one step.
  for (std::int32_t epoch = before.leader_epoch + 1; epoch < after.leader_epoch; ++epoch) {
    record.leader = after.leader_id;
    add(record, partition_version);
  }
  if (after.leader_epoch != before.leader_epoch) record.leader = after.leader_id;
  if (after.in_sync_replicas != before.in_sync_replicas) record.isr = after.in_sync_replicas;
  if (after.replicas != before.replicas) {
    record.replicas = after.replicas;
    record.directories = directories_of(after.replicas);
  }
  add(record, partition_version);
}

void Changes::add_config(ConfigResource type, const std::string& name, const ConfigMap& before,
                         const ConfigMap& after) {
  ConfigRecord record;
  record.resource_type = static_cast<std::int8_t>(type);
  record.resource_name = name;
  for (const auto& [key, value] : after) {
    const auto known = before.find(key);
    if (known != before.end() && known->second == value) continue;
    record.name = key;
    record.value = value;
    add(record);
  }
  for (const auto& [key, value] : before) {
    if (after.contains(key)) continue;
    record.name = key;
    record.value.reset();
    add(record);
  }
}

void Changes::add_configs() {
  static const ConfigMap none;
  const auto& before = before_.image->configs;
  const auto& after = after_.image->configs;
  for (const auto& [resource, config] : after) {
    const auto known = before.find(resource);
    add_config(resource.first, resource.second, known == before.end() ? none : known->second,
               config);
  }
  for (const auto& [resource, config] : before)
    if (!after.contains(resource)) add_config(resource.first, resource.second, config, none);
}

void Changes::add_users() {
  const security::Credentials& before = *before_.image->credentials;
  const security::Credentials& after = *after_.image->credentials;
  for (const auto& [key, credential] : after.scram()) {
    const auto& [user, mechanism] = key;
    const protocol::sasl::ScramCredential* known = before.find(user, mechanism);
    if (after.is_given(user) || (known != nullptr && *known == credential)) continue;
    add(UserScramCredentialRecord{user,
                                  static_cast<std::int8_t>(mechanism),
                                  credential.salt,
                                  credential.stored_key,
                                  credential.server_key,
                                  credential.iterations,
                                  {}});
  }
  for (const auto& [key, credential] : before.scram()) {
    const auto& [user, mechanism] = key;
    const bool is_kept = after.find(user, mechanism) != nullptr && !after.is_given(user);
    if (is_kept || before.is_given(user)) continue;
    add(RemoveUserScramCredentialRecord{user, static_cast<std::int8_t>(mechanism), {}});
  }
}

void Changes::add_acls() {
  for (const auto& [acl, id] : before_.acl_ids)
    if (!after_.acl_ids.contains(acl)) add(RemoveAccessControlEntryRecord{id, {}});
  for (const auto& [acl, id] : after_.acl_ids) {
    if (before_.acl_ids.contains(acl)) continue;
    AccessControlEntryRecord record;
    record.id = id;
    record.resource_type = static_cast<std::int8_t>(acl.resource_type);
    record.resource_name = acl.resource_name;
    record.pattern_type = static_cast<std::int8_t>(acl.pattern_type);
    record.principal = acl.principal;
    record.host = acl.host;
    record.operation = static_cast<std::int8_t>(acl.operation);
    record.permission_type = static_cast<std::int8_t>(acl.permission);
    add(record);
  }
}

void Changes::add_quota(const QuotaEntity& entity, const std::string& key,
                        std::optional<double> value) {
  ClientQuotaRecord record;
  for (const auto& [type, name] : entity) record.entity.push_back({type, name, {}});
  record.key = key;
  record.value = value.value_or(0.0);
  record.remove = !value;
  add(record);
}

void Changes::add_quotas() {
  static const std::map<std::string, double> none;
  const auto of = [](const ClientQuotas& quotas, const QuotaEntity& entity) -> const auto& {
    const auto found = quotas.find(entity);
    return found == quotas.end() ? none : found->second;
  };
  const ClientQuotas& before = before_.image->client_quotas;
  const ClientQuotas& after = after_.image->client_quotas;
  for (const auto& [entity, quotas] : after)
    for (const auto& [key, value] : quotas) {
      const auto& known = of(before, entity);
      const auto found = known.find(key);
      if (found == known.end() || found->second != value) add_quota(entity, key, value);
    }
  for (const auto& [entity, quotas] : before)
    for (const auto& [key, value] : quotas)
      if (!of(after, entity).contains(key)) add_quota(entity, key, std::nullopt);
}

Uuid id_of(const security::Acl& acl) {
  Uuid id;
  for (std::size_t half = 0; half < 2; ++half) {
    Digest digest;
    digest.add(static_cast<std::int64_t>(half));
    acl.add_to(digest);
    const std::uint64_t value = digest.value();
    for (std::size_t i = 0; i < 8; ++i)
      id.bytes[8 * half + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  return id;
}

}  // namespace

std::map<security::Acl, Uuid> acl_ids_of(const MetadataImage& image,
                                         const std::map<security::Acl, Uuid>& known) {
  std::map<security::Acl, Uuid> ids;
  for (const security::Acl& acl : image.authorizer->acls()) {
    const auto found = known.find(acl);
    ids.emplace(acl, found == known.end() ? id_of(acl) : found->second);
  }
  return ids;
}

std::map<std::string, std::int16_t, std::less<>> feature_levels_of(const MetadataImage& image) {
  std::map<std::string, std::int16_t, std::less<>> levels;
  for (const Feature& feature : image.settings->era.features())
    // The level of kraft.version is in control records of the log; 0 has none.
    if (feature.level > 0 && feature.name != "kraft.version")
      levels.emplace(feature.name, feature.level);
  return levels;
}

std::vector<SharedBytes> metadata_changes(const DurableMetadata& before,
                                          const DurableMetadata& after,
                                          const BrokerIdentities& identities) {
  return Changes(before, after, identities).collect();
}

}  // namespace fencepost::minibroker
