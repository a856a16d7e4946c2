// What of the configuration, the features, the users and their rights changes while the cluster
// runs.
#include "minibroker/controller.h"
#include "protocol/base/check.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

ControllerAnswer Controller::set_config(ConfigResource type, const std::string& name,
                                        ConfigMap config) {
  if (type == ConfigResource::topic && image_.find_topic(name) == nullptr)
    return {ErrorCode::unknown_topic_or_partition, "The topic '" + name + "' does not exist."};
  if (image_.config_of(type, name) == config) return {};
  changed();
  if (type == ConfigResource::topic) {
    TopicImage& topic = image_.topics.at(name);
    topic.config = std::move(config);
    ++topic.config_version;
    return {};
  }
  if (config.empty())
    image_.configs.erase({type, name});
  else
    image_.configs[{type, name}] = std::move(config);
  if (type == ConfigResource::broker) change_settings();
  return {};
}

void Controller::set_feature_level(std::string_view feature, std::int16_t level) {
  ClusterSettings settings = *image_.settings;
  CHECK(settings.era.set_feature_level(feature, level));
  image_.settings = std::make_shared<const ClusterSettings>(std::move(settings));
  changed();
  change_settings();
}

void Controller::add_acls(std::vector<security::Acl> acls) {
  security::Authorizer authorizer = *image_.authorizer;
  for (security::Acl& acl : acls) authorizer.add(std::move(acl));
  image_.authorizer = std::make_shared<const security::Authorizer>(std::move(authorizer));
  changed();
}

void Controller::remove_acls(const std::vector<security::Acl>& acls) {
  security::Authorizer authorizer = *image_.authorizer;
  for (const security::Acl& acl : acls) authorizer.remove(acl);
  image_.authorizer = std::make_shared<const security::Authorizer>(std::move(authorizer));
  changed();
}

void Controller::set_scram_credential(const std::string& user,
                                      protocol::sasl::ScramMechanism mechanism,
                                      std::optional<protocol::sasl::ScramCredential> credential) {
  security::Credentials credentials = *image_.credentials;
  if (credential)
    credentials.set(user, mechanism, std::move(*credential));
  else
    credentials.remove(user, mechanism);
  image_.credentials = std::make_shared<const security::Credentials>(std::move(credentials));
  changed();
}

void Controller::set_client_quota(const QuotaEntity& entity, const std::string& key,
                                  std::optional<double> value) {
  std::map<std::string, double>& quotas = image_.client_quotas[entity];
  if (value)
    quotas[key] = *value;
  else
    quotas.erase(key);
  if (quotas.empty()) image_.client_quotas.erase(entity);
  changed();
}

// Users that the settings name are as these say now.
void Controller::restore_security(const MetadataImage& surviving) {
  security::Authorizer authorizer = *image_.authorizer;
  for (const security::Acl& acl : surviving.authorizer->acls()) authorizer.add(acl);
  image_.authorizer = std::make_shared<const security::Authorizer>(std::move(authorizer));
  security::Credentials credentials = *image_.credentials;
  for (const auto& [key, credential] : surviving.credentials->scram())
    if (!credentials.is_given(key.first)) credentials.set(key.first, key.second, credential);
  image_.credentials = std::make_shared<const security::Credentials>(std::move(credentials));
}

void Controller::change_settings() {
  ++image_.settings_version;
  settings_ = image_.settings_of(controller_id());
}

}  // namespace fencepost::minibroker
