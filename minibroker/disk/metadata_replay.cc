// From the records of __cluster_metadata to the image.
#include <algorithm>

#include "minibroker/disk/metadata_changes.h"
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

Error malformed(std::string text) {
  return {ErrorKind::malformed, std::move(text), 0, {}};
}

}  // namespace

Result<TopicImage*> MetadataReplay::topic_of(const Uuid& id) {
  const auto name = image_.names_by_id.find(id);
  if (name == image_.names_by_id.end()) return malformed("there is no topic " + to_string(id));
  return &image_.topics.at(name->second);
}

ConfigMap* MetadataReplay::config_of(std::int8_t type, const std::string& name) {
  const auto resource = static_cast<ConfigResource>(type);
  if (resource != ConfigResource::topic) return &image_.configs[{resource, name}];
  const auto found = image_.topics.find(name);
  return found == image_.topics.end() ? nullptr : &found->second.config;
}

template <>
Result<void> MetadataReplay::take_over(const TopicRecord& record) {
  if (image_.topics.contains(record.name) || image_.names_by_id.contains(record.topic_id))
    return malformed("topic " + record.name + " is there already");
  image_.topics[record.name] = {record.name, record.topic_id, {}, {}, 0};
  image_.names_by_id[record.topic_id] = record.name;
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const PartitionRecord& record) {
  const Result<TopicImage*> topic = topic_of(record.topic_id);
  if (!topic) return topic.error();
  std::vector<PartitionImage>& partitions = (*topic)->partitions;
  PartitionImage image;
  image.leader_id = record.leader;
  image.leader_epoch = record.leader_epoch;
  image.replicas = record.replicas;
  image.in_sync_replicas = record.isr;
  if (image.replicas.empty()) return malformed("a partition of " + (*topic)->name + " is nowhere");
  const auto index = static_cast<std::size_t>(record.partition_id);
  if (record.partition_id < 0 || index > partitions.size())
    return malformed("partition " + std::to_string(record.partition_id) + " of " + (*topic)->name +
                     " comes out of order");
  if (index == partitions.size())
    partitions.push_back(std::move(image));
  else
    partitions[index] = std::move(image);
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const PartitionChangeRecord& record) {
  const Result<TopicImage*> topic = topic_of(record.topic_id);
  if (!topic) return topic.error();
  const auto index = static_cast<std::size_t>(record.partition_id);
  if (record.partition_id < 0 || index >= (*topic)->partitions.size())
    return malformed("there is no partition " + std::to_string(record.partition_id) + " of " +
                     (*topic)->name);
  PartitionImage& image = (*topic)->partitions[index];
  if (record.isr) image.in_sync_replicas = *record.isr;
  if (record.replicas) image.replicas = *record.replicas;
  if (record.leader != PartitionChangeRecord::same_leader) {
    image.leader_id = record.leader;
    ++image.leader_epoch;
  }
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const RemoveTopicRecord& record) {
  const Result<TopicImage*> topic = topic_of(record.topic_id);
  if (!topic) return topic.error();
  image_.topics.erase(std::string((*topic)->name));
  image_.names_by_id.erase(record.topic_id);
  deleted_topics_.insert(record.topic_id);
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const ConfigRecord& record) {
  ConfigMap* config = config_of(record.resource_type, record.resource_name);
  if (config == nullptr) return malformed("there is no topic " + record.resource_name);
  if (record.value)
    (*config)[record.name] = *record.value;
  else
    config->erase(record.name);
  std::erase_if(image_.configs, [](const auto& entry) { return entry.second.empty(); });
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const FeatureLevelRecord& record) {
  if (record.feature_level > 0)
    feature_levels_[record.name] = record.feature_level;
  else
    feature_levels_.erase(record.name);
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const ProducerIdsRecord& record) {
  next_producer_id_ = record.next_producer_id;
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const RegisterBrokerRecord& record) {
  std::erase_if(image_.addresses, [&](const auto& it) { return it.id == record.broker_id; });
  std::erase_if(image_.brokers, [&](const auto& it) { return it.id == record.broker_id; });
  BrokerAddress address;
  address.id = record.broker_id;
  for (const auto& endpoint : record.end_points)
    address.listeners[endpoint.name] = {endpoint.host, endpoint.port};
  if (!record.fenced) image_.brokers.push_back(address);
  image_.addresses.push_back(std::move(address));
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const BrokerRegistrationChangeRecord& record) {
  const auto known = std::ranges::find(image_.addresses, record.broker_id, &BrokerAddress::id);
  if (known == image_.addresses.end())
    return malformed("there is no broker " + std::to_string(record.broker_id));
  if (record.fenced == 0) return {};
  std::erase_if(image_.brokers, [&](const auto& it) { return it.id == record.broker_id; });
  if (record.fenced < 0) image_.brokers.push_back(*known);
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const UserScramCredentialRecord& record) {
  const auto mechanism = protocol::sasl::find_scram_mechanism(record.mechanism);
  if (!mechanism)
    return malformed("SCRAM mechanism " + std::to_string(record.mechanism) + " of a user");
  credentials_.set(record.name, *mechanism,
                   {record.salt, record.stored_key, record.server_key, record.iterations});
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const RemoveUserScramCredentialRecord& record) {
  const auto mechanism = protocol::sasl::find_scram_mechanism(record.mechanism);
  if (mechanism) credentials_.remove(record.name, *mechanism);
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const AccessControlEntryRecord& record) {
  if (!security::is_resource_type(record.resource_type) ||
      !security::is_pattern_type(record.pattern_type) ||
      !security::is_operation(record.operation) || !security::is_permission(record.permission_type))
    return malformed("an access rule for " + record.principal + " with numbers unknown here");
  acls_[record.id] = {static_cast<security::ResourceType>(record.resource_type),
                      static_cast<security::PatternType>(record.pattern_type),
                      record.resource_name,
                      record.principal,
                      record.host,
                      static_cast<security::Operation>(record.operation),
                      static_cast<security::Permission>(record.permission_type)};
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const RemoveAccessControlEntryRecord& record) {
  if (acls_.erase(record.id) == 0)
    return malformed("there is no access rule " + to_string(record.id));
  return {};
}

template <>
Result<void> MetadataReplay::take_over(const ClientQuotaRecord& record) {
  QuotaEntity entity;
  for (const auto& [type, name, unknown] : record.entity) entity[type] = name;
  std::map<std::string, double>& quotas = image_.client_quotas[entity];
  if (record.remove)
    quotas.erase(record.key);
  else
    quotas[record.key] = record.value;
  if (quotas.empty()) image_.client_quotas.erase(entity);
  return {};
}

template <class Record>
Result<void> MetadataReplay::apply_as(const SharedBytes& body, std::uint32_t version) {
  const Result<Record> record = Codec<Record>::decode(body, static_cast<int>(version));
  if (!record) return record.error();
  return take_over(*record);
}

Result<void> MetadataReplay::apply(const SharedBytes& value) {
  const Result<protocol::MetadataFrame> frame = protocol::open_metadata(value);
  if (!frame) return frame.error();
  const auto is = [&](const protocol::MessageInfo& info) {
    return frame->type == static_cast<std::uint32_t>(info.api_key);
  };
  const auto& [type, version, body] = *frame;
  if (is(TopicRecord::info)) return apply_as<TopicRecord>(body, version);
  if (is(PartitionRecord::info)) return apply_as<PartitionRecord>(body, version);
  if (is(PartitionChangeRecord::info)) return apply_as<PartitionChangeRecord>(body, version);
  if (is(RemoveTopicRecord::info)) return apply_as<RemoveTopicRecord>(body, version);
  if (is(ConfigRecord::info)) return apply_as<ConfigRecord>(body, version);
  if (is(FeatureLevelRecord::info)) return apply_as<FeatureLevelRecord>(body, version);
  if (is(ProducerIdsRecord::info)) return apply_as<ProducerIdsRecord>(body, version);
  if (is(RegisterBrokerRecord::info)) return apply_as<RegisterBrokerRecord>(body, version);
  if (is(BrokerRegistrationChangeRecord::info))
    return apply_as<BrokerRegistrationChangeRecord>(body, version);
  if (is(UserScramCredentialRecord::info))
    return apply_as<UserScramCredentialRecord>(body, version);
  if (is(RemoveUserScramCredentialRecord::info))
    return apply_as<RemoveUserScramCredentialRecord>(body, version);
  if (is(AccessControlEntryRecord::info)) return apply_as<AccessControlEntryRecord>(body, version);
  if (is(RemoveAccessControlEntryRecord::info))
    return apply_as<RemoveAccessControlEntryRecord>(body, version);
  if (is(ClientQuotaRecord::info)) return apply_as<ClientQuotaRecord>(body, version);
  return Error{ErrorKind::unsupported_version,
               "a record of type " + std::to_string(type) + " is not known here",
               0,
               {}};
}

DurableMetadata MetadataReplay::take() {
  security::Authorizer authorizer;
  std::map<security::Acl, Uuid> acl_ids;
  for (auto& [id, acl] : acls_) {
    acl_ids.emplace(acl, id);
    authorizer.add(std::move(acl));
  }
  image_.authorizer = std::make_shared<const security::Authorizer>(std::move(authorizer));
  image_.credentials = std::make_shared<const security::Credentials>(std::move(credentials_));
  return {std::make_shared<const MetadataImage>(std::move(image_)), std::move(feature_levels_),
          next_producer_id_, std::move(acl_ids)};
}

}  // namespace fencepost::minibroker
