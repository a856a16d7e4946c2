// The controller as one broker sees it: it reads the metadata that the broker was told last, and
// passes on what only the controller can do. A broker that is cut off reads on, and is refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minibroker/controller.h"

namespace fencepost::minibroker {

class ControllerView {
 public:
  // `image` is what the broker knows; `can_reach` whether its requests arrive.
  ControllerView(Controller& controller, std::shared_ptr<const MetadataImage> image, bool can_reach)
      : controller_(controller), image_(std::move(image)), can_reach_(can_reach) {}

  // ---- what the broker was told

  const TopicImage* find_topic(const std::string& name) const { return image_->find_topic(name); }
  const TopicImage* find_topic(const Uuid& id) const { return image_->find_topic(id); }
  const PartitionImage* find_partition(const TopicPartition& partition) const {
    return image_->find_partition(partition);
  }
  const std::map<std::string, TopicImage>& topics() const { return image_->topics; }
  const std::vector<BrokerAddress>& brokers() const { return image_->brokers; }
  std::vector<int> offline_replicas(const PartitionImage& partition) const {
    return image_->offline_replicas(partition);
  }
  const BrokerAddress& broker(int id) const {
    return image_->addresses.at(static_cast<std::size_t>(id - 1));
  }
  const std::string& cluster_id() const { return image_->cluster_id; }
  int controller_id() const { return controller_.controller_id(); }
  // What the cluster was started with, and the features as they are now.
  const ClusterSettings& settings() const { return *image_->settings; }
  const ConfigMap& config_of(ConfigResource type, const std::string& name) const {
    return image_->config_of(type, name);
  }
  const security::Authorizer& authorizer() const { return *image_->authorizer; }
  const security::Credentials& credentials() const { return *image_->credentials; }
  std::int64_t version() const { return image_->version; }
  const std::shared_ptr<const MetadataImage>& image() const { return image_; }

  // ---- what only the controller does

  bool can_reach() const { return can_reach_; }
  // Before a change of something that is there already: the controller decides by what it knows.
  void catch_up() {
    if (can_reach_) image_ = controller_.image();
  }
  ControllerAnswer create_topic(const NewTopic& topic, bool is_validate_only,
                                TopicImage* created = nullptr) {
    return ask([&] { return controller_.create_topic(topic, is_validate_only, created); });
  }
  ControllerAnswer delete_topic(const std::string& name) {
    return ask([&] { return controller_.delete_topic(name); });
  }
  ControllerAnswer create_partitions(
      const std::string& name, int total_count,
      const std::optional<std::vector<std::vector<int>>>& assignments, bool is_validate_only) {
    return ask([&] {
      return controller_.create_partitions(name, total_count, assignments, is_validate_only);
    });
  }
  ControllerAnswer reorder_replicas(const TopicPartition& partition, std::vector<int> replicas) {
    return ask([&] { return controller_.reorder_replicas(partition, std::move(replicas)); });
  }
  ControllerAnswer elect(const TopicPartition& partition, Election kind) {
    return ask([&] { return ControllerAnswer{controller_.elect(partition, kind, -1), ""}; });
  }
  ControllerAnswer set_config(ConfigResource type, const std::string& name, ConfigMap config) {
    return ask([&] { return controller_.set_config(type, name, std::move(config)); });
  }
  ControllerAnswer set_feature_level(std::string_view feature, std::int16_t level) {
    return ask([&] {
      controller_.set_feature_level(feature, level);
      return ControllerAnswer{};
    });
  }
  ControllerAnswer add_acls(std::vector<security::Acl> acls) {
    return ask([&] {
      controller_.add_acls(std::move(acls));
      return ControllerAnswer{};
    });
  }
  ControllerAnswer remove_acls(const std::vector<security::Acl>& acls) {
    return ask([&] {
      controller_.remove_acls(acls);
      return ControllerAnswer{};
    });
  }
  ControllerAnswer set_client_quota(const QuotaEntity& entity, const std::string& key,
                                    std::optional<double> value) {
    return ask([&] {
      controller_.set_client_quota(entity, key, value);
      return ControllerAnswer{};
    });
  }
  ControllerAnswer set_scram_credential(const std::string& user,
                                        protocol::sasl::ScramMechanism mechanism,
                                        std::optional<protocol::sasl::ScramCredential> credential) {
    return ask([&] {
      controller_.set_scram_credential(user, mechanism, std::move(credential));
      return ControllerAnswer{};
    });
  }
  // The internal topic, created if it is not there yet; nothing when it cannot be.
  const TopicImage* internal_topic(const std::string& name) {
    if (find_topic(name) == nullptr)
      (void)ask([&] { return controller_.create_internal_topic(name); });
    return find_topic(name);
  }
  std::optional<std::int64_t> take_producer_id_block() {
    if (!can_reach_) return std::nullopt;
    return controller_.take_producer_id_block();
  }
  // As a leader asks with AlterPartition. The broker learns of the change with the metadata.
  protocol::ErrorCode alter_in_sync_replicas(const TopicPartition& partition, int leader_id,
                                             std::int32_t leader_epoch,
                                             std::vector<int> in_sync_replicas) {
    if (!can_reach_) return protocol::ErrorCode::network_exception;
    return controller_.alter_in_sync_replicas(partition, leader_id, leader_epoch,
                                              std::move(in_sync_replicas));
  }

 private:
  // A change is known to the broker that asked for it as soon as it is answered.
  template <class Question>
  ControllerAnswer ask(Question question) {
    if (!can_reach_)
      return {protocol::ErrorCode::request_timed_out, "The controller cannot be reached."};
    ControllerAnswer answer = question();
    image_ = controller_.image();
    return answer;
  }

  Controller& controller_;
  std::shared_ptr<const MetadataImage> image_;
  bool can_reach_;
};

}  // namespace fencepost::minibroker
