// The controller: it creates topics, watches the sessions of the brokers, elects leaders and hands
// out producer ids. There is one, and it never fails; a broker learns of its decisions by the image
// of the metadata that it is given, at once or when it can be reached again.
//
//   topics, replicas, producer ids            controller.cc
//   sessions, fencing, elections, in sync     controller_elections.cc
//   configuration, features, users, ACLs      controller_configuration.cc
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "minibroker/metadata_image.h"
#include "minibroker/settings.h"
#include "minibroker/survivors.h"
#include "protocol/base/random.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker {

// A topic as somebody asks for it.
struct NewTopic {
  std::string name;
  int partition_count = 1;
  int replication_factor = 1;
  std::vector<std::vector<int>> assignments = {};  // replicas by partition; empty: chosen here
  ConfigMap config = {};
};

// What the controller says to a change: an error code with a sentence for people.
struct ControllerAnswer {
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::string message;
};

// What is asked of an election of a leader.
enum class Election {
  preferred,  // the first replica, if it is alive and in sync
  clean,      // a replica that is alive and in sync
  unclean,    // any replica that is alive; what only others have is lost
};

class Controller {
 public:
  // Goes on with what is left of a cluster, if there is something. Every partition begins a leader
  // epoch then: all brokers are new.
  explicit Controller(const ClusterSettings& settings, const SurvivingCluster* survivors = nullptr);

  // ---- topics

  // Checked but not carried out when `is_validate_only`. `created` becomes the topic, in both
  // cases.
  ControllerAnswer create_topic(const NewTopic& topic, bool is_validate_only,
                                TopicImage* created = nullptr);
  ControllerAnswer delete_topic(const std::string& name);
  // `total_count` is the new number of partitions; without `assignments` they are chosen here.
  ControllerAnswer create_partitions(
      const std::string& name, int total_count,
      const std::optional<std::vector<std::vector<int>>>& assignments, bool is_validate_only);
  // Puts the replicas of a partition that exists in another order; other replicas are refused.
  ControllerAnswer reorder_replicas(const TopicPartition& partition, std::vector<int> replicas);
  // Creates __consumer_offsets or __transaction_state; there is none yet.
  ControllerAnswer create_internal_topic(const std::string& name);

  // ---- brokers and their sessions

  // Heartbeats of the broker come no longer: its session ends broker.session.timeout.ms later.
  void lose_contact(int broker_id, Instant now);
  // They come again: a session that has not ended goes on, a fenced broker is unfenced.
  void regain_contact(int broker_id);
  // The broker has started anew. It may come back only when the session of its last life is over;
  // until then it is told to try again.
  void register_again(int broker_id);
  bool is_fenced(int broker_id) const;
  // False while a new life waits for the end of the old one's session.
  bool is_admitted(int broker_id) const { return !sessions_.at(broker_id).wants_to_register; }
  std::optional<Instant> next_deadline() const;
  // Fences the brokers whose session has ended; returns them.
  std::vector<int> advance_to(Instant now);

  // ---- leaders

  // `leader_id` is the replica to elect; -1: the first that the kind of election allows. Errors:
  // PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE, ELECTION_NOT_NEEDED,
  // UNKNOWN_TOPIC_OR_PARTITION; nothing has changed then. Source: ElectLeaders, KIP-460.
  protocol::ErrorCode elect(const TopicPartition& partition, Election kind, int leader_id);
  // Errors: FENCED_LEADER_EPOCH when somebody else leads, INELIGIBLE_REPLICA for a fenced broker.
  protocol::ErrorCode alter_in_sync_replicas(const TopicPartition& partition, int leader_id,
                                             std::int32_t leader_epoch,
                                             std::vector<int> in_sync_replicas);

  // ---- what it tells the brokers

  const PartitionImage* find_partition(const TopicPartition& partition) const {
    return image_.find_partition(partition);
  }
  const std::map<std::string, TopicImage>& topics() const { return image_.topics; }
  // The newest metadata; the same value until something changes.
  std::shared_ptr<const MetadataImage> image();
  std::int64_t version() const { return image_.version; }

  void set_address(int broker_id, const std::string& listener, Endpoint endpoint);
  int controller_id() const { return 1; }

  // ---- configuration and features while the cluster runs

  // Takes the place of all that was set for it; the values are good. A broker's name is its id; no
  // name stands for all brokers. UNKNOWN_TOPIC_OR_PARTITION for a topic that does not exist.
  ControllerAnswer set_config(ConfigResource type, const std::string& name, ConfigMap config);
  // The level is one that the cluster supports.
  void set_feature_level(std::string_view feature, std::int16_t level);

  // ---- users and what they may do

  void add_acls(std::vector<security::Acl> acls);
  void remove_acls(const std::vector<security::Acl>& acls);
  // Nothing takes the quota away.
  void set_client_quota(const QuotaEntity& entity, const std::string& key,
                        std::optional<double> value);
  // Nothing takes the credential away.
  void set_scram_credential(const std::string& user, protocol::sasl::ScramMechanism mechanism,
                            std::optional<protocol::sasl::ScramCredential> credential);

  // The first of a block of `producer_id_block_size` producer ids that nobody else gets.
  std::int64_t take_producer_id_block();
  std::int64_t next_producer_id() const { return next_producer_id_; }
  static constexpr std::int64_t producer_id_block_size = 1000;

  void add_to(Digest& digest) const;

 private:
  struct Session {
    bool is_fenced = false;
    bool wants_to_register = false;    // a new life waits for the end of the old one's session
    std::optional<Instant> ends = {};  // set while heartbeats do not come
  };

  std::vector<int> choose_replicas(int partition, int replication_factor) const;
  std::optional<std::string> colliding_topic(const std::string& name) const;
  ControllerAnswer check_replicas(const std::vector<int>& replicas) const;
  ControllerAnswer check_assignments(const std::vector<std::vector<int>>& assignments) const;
  void add_partition(TopicImage& topic, std::vector<int> replicas);
  void restore(const SurvivingCluster& survivors);
  void changed() { ++image_.version; }

  // controller_configuration.cc
  void change_settings();
  void restore_security(const MetadataImage& surviving);

  // controller_elections.cc
  bool is_alive(int broker_id) const;
  void fence(int broker_id);
  void unfence(int broker_id);
  void list_brokers();
  void leave_partition(const TopicImage& topic, PartitionImage& partition, int broker_id);
  bool elects_unclean(const TopicImage& topic) const;
  int first_eligible(const PartitionImage& partition, bool is_unclean) const;
  void set_leader(PartitionImage& partition, int leader_id);

  ClusterSettings settings_;  // what the controller itself runs with
  Random random_;
  MetadataImage image_;
  std::shared_ptr<const MetadataImage> told_;
  std::map<int, Session> sessions_;
  std::int64_t next_producer_id_ = 0;
};

// Kafka's rule for topic names: what is wrong with this one, or nothing.
std::optional<std::string> topic_name_problem(const std::string& name);
// Of the kind that is drawn by lot (RFC 9562, version 4).
Uuid random_uuid(Random& random);

}  // namespace fencepost::minibroker
