#include "minibroker/controller.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace fencepost::minibroker {

using protocol::ErrorCode;

namespace {

constexpr std::size_t topic_name_length_max = 249;
constexpr const char* internal_segment_bytes = "104857600";

int capped(int factor, const ClusterSettings& settings) {
  return std::min(factor, settings.broker_count);
}

NewTopic internal_topic_of(const std::string& name, const ClusterSettings& settings) {
  if (name == transaction_state_topic)
    return {name,
            settings.transaction_state_log_num_partitions,
            capped(settings.transaction_state_log_replication_factor, settings),
            {},
            {{"cleanup.policy", "compact"},
             {"compression.type", "uncompressed"},
             {"min.insync.replicas",
              std::to_string(capped(settings.transaction_state_log_min_isr, settings))},
             {"segment.bytes", internal_segment_bytes},
             {"unclean.leader.election.enable", "false"}}};
  return {name,
          settings.offsets_topic_num_partitions,
          capped(settings.offsets_topic_replication_factor, settings),
          {},
          {{"cleanup.policy", "compact"},
           {"compression.type", "producer"},
           {"segment.bytes", internal_segment_bytes}}};
}

}  // namespace

std::optional<std::string> topic_name_problem(const std::string& name) {
  if (name.empty()) return "Topic name is invalid: the empty string is not allowed";
  if (name == "." || name == "..") return "Topic name is invalid: '.' or '..' is not allowed";
  if (name.size() > topic_name_length_max)
    return "Topic name is invalid: the length is longer than the max allowed length " +
           std::to_string(topic_name_length_max);
  const bool is_legal = std::ranges::all_of(name, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
  });
  if (!is_legal)
    return "Topic name is invalid: '" + name +
           "' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'";
  return std::nullopt;
}

Controller::Controller(const ClusterSettings& settings, const SurvivingCluster* survivors)
    : settings_(settings), random_(settings.seed, "controller") {
  image_.cluster_id = to_string(random_uuid(random_));
  image_.settings = std::make_shared<const ClusterSettings>(settings);
  image_.authorizer = std::make_shared<const security::Authorizer>(settings.authorizer);
  image_.credentials = std::make_shared<const security::Credentials>(
      settings.sasl, Random(settings.seed ^ settings.sasl.entropy, "credentials"));
  for (int id = 1; id <= settings_.broker_count; ++id) {
    image_.addresses.push_back({id, {{security::plaintext_listener, {"127.0.0.1", 9091 + id}}}});
    sessions_[id] = {};
  }
  list_brokers();
  if (survivors != nullptr) restore(*survivors);
  for (const TopicSettings& topic : settings.topics) {
    if (image_.topics.contains(topic.name)) continue;
    const ControllerAnswer answer = create_topic(
        {topic.name, topic.partition_count, topic.replication_factor, {}, topic.config}, false);
    CHECK(answer.error == ErrorCode::none);
  }
}

Uuid random_uuid(Random& random) {
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.bytes.size(); i += 8) {
    const std::uint64_t half = random.next();
    for (std::size_t j = 0; j < 8; ++j)
      uuid.bytes[i + j] = static_cast<std::uint8_t>(half >> (56 - 8 * j));
  }
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | 0x40);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);
  return uuid;
}

void Controller::restore(const SurvivingCluster& survivors) {
  image_.cluster_id = survivors.metadata.cluster_id;
  image_.topics = survivors.metadata.topics;
  image_.names_by_id = survivors.metadata.names_by_id;
  image_.configs = survivors.metadata.configs;
  image_.client_quotas = survivors.metadata.client_quotas;
  restore_security(survivors.metadata);
  next_producer_id_ = survivors.next_producer_id;
  change_settings();
  for (auto& [name, topic] : image_.topics)
    for (PartitionImage& partition : topic.partitions) {
      const bool is_led = std::ranges::find(partition.in_sync_replicas, partition.leader_id) !=
                          partition.in_sync_replicas.end();
      set_leader(partition,
                 is_led ? partition.leader_id : first_eligible(partition, elects_unclean(topic)));
    }
}

std::vector<int> Controller::choose_replicas(int partition, int replication_factor) const {
  std::vector<int> replicas;
  for (int i = 0; i < replication_factor; ++i)
    replicas.push_back((partition + i) % settings_.broker_count + 1);
  return replicas;
}

// Only brokers that are alive are in sync with a new partition; with none of them it waits for its
// first replica.
void Controller::add_partition(TopicImage& topic, std::vector<int> replicas) {
  PartitionImage partition;
  std::ranges::copy_if(replicas, std::back_inserter(partition.in_sync_replicas),
                       [&](int id) { return is_alive(id); });
  if (partition.in_sync_replicas.empty())
    partition.in_sync_replicas.push_back(replicas.front());
  else
    partition.leader_id = partition.in_sync_replicas.front();
  partition.replicas = std::move(replicas);
  topic.partitions.push_back(std::move(partition));
}

ControllerAnswer Controller::check_replicas(const std::vector<int>& replicas) const {
  const std::string prefix = "The manual partition assignment includes ";
  if (replicas.empty())
    return {ErrorCode::invalid_replica_assignment, prefix + "an empty replica list."};
  std::vector<int> sorted = replicas;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    return {ErrorCode::invalid_replica_assignment,
            prefix + "the broker " + std::to_string(*twice) + " more than once."};
  for (int id : sorted)
    if (id < 1 || id > settings_.broker_count)
      return {ErrorCode::invalid_replica_assignment,
              prefix + "broker " + std::to_string(id) + ", but no such broker is registered."};
  return {};
}

ControllerAnswer Controller::check_assignments(
    const std::vector<std::vector<int>>& assignments) const {
  for (const std::vector<int>& replicas : assignments) {
    ControllerAnswer answer = check_replicas(replicas);
    if (answer.error != ErrorCode::none) return answer;
    if (replicas.size() != assignments.front().size())
      return {ErrorCode::invalid_replica_assignment,
              "The manual partition assignment includes a partition with " +
                  std::to_string(replicas.size()) +
                  " replica(s), but this is not consistent with previous partitions, which have " +
                  std::to_string(assignments.front().size()) + " replica(s)."};
  }
  return {};
}

// Metrics write a dot as an underscore, so two names that differ only in that would be one.
std::optional<std::string> Controller::colliding_topic(const std::string& name) const {
  const auto flat = [](std::string text) {
    std::ranges::replace(text, '.', '_');
    return text;
  };
  if (name.find_first_of("._") == std::string::npos) return std::nullopt;
  for (const auto& [other, topic] : image_.topics)
    if (flat(other) == flat(name)) return other;
  return std::nullopt;
}

ControllerAnswer Controller::create_topic(const NewTopic& topic, bool is_validate_only,
                                          TopicImage* created) {
  if (auto problem = topic_name_problem(topic.name))
    return {ErrorCode::invalid_topic_exception, *problem};
  if (image_.topics.contains(topic.name))
    return {ErrorCode::topic_already_exists, "Topic '" + topic.name + "' already exists."};
  if (std::optional<std::string> other = colliding_topic(topic.name))
    return {ErrorCode::invalid_topic_exception,
            "Topic '" + topic.name + "' collides with existing topic: " + *other};
  std::vector<std::vector<int>> assignments = topic.assignments;
  if (ControllerAnswer answer = check_assignments(assignments); answer.error != ErrorCode::none)
    return answer;
  if (assignments.empty()) {
    if (topic.partition_count < 1)
      return {ErrorCode::invalid_partitions,
              "Number of partitions was set to an invalid non-positive value."};
    if (topic.replication_factor < 1)
      return {ErrorCode::invalid_replication_factor,
              "Replication factor must be larger than 0, or -1 to use the default value."};
    if (topic.replication_factor > settings_.broker_count)
      return {ErrorCode::invalid_replication_factor,
              "Unable to replicate the partition " + std::to_string(topic.replication_factor) +
                  " time(s): The target replication factor of " +
                  std::to_string(topic.replication_factor) + " cannot be reached because only " +
                  std::to_string(settings_.broker_count) +
                  " broker(s) are registered or some brokers have all their log directories "
                  "cordoned."};
    for (int i = 0; i < topic.partition_count; ++i)
      assignments.push_back(choose_replicas(i, topic.replication_factor));
  }
  TopicImage image{topic.name, random_uuid(random_), topic.config, {}, 0};
  for (std::vector<int>& replicas : assignments) add_partition(image, std::move(replicas));
  if (created != nullptr) *created = image;
  if (is_validate_only) return {};
  image_.names_by_id[image.id] = image.name;
  image_.topics.emplace(image.name, std::move(image));
  changed();
  return {};
}

ControllerAnswer Controller::delete_topic(const std::string& name) {
  const auto found = image_.topics.find(name);
  if (found == image_.topics.end())
    return {ErrorCode::unknown_topic_or_partition,
            "This server does not host this topic-partition."};
  image_.names_by_id.erase(found->second.id);
  image_.topics.erase(found);
  changed();
  return {};
}

ControllerAnswer Controller::create_partitions(
    const std::string& name, int total_count,
    const std::optional<std::vector<std::vector<int>>>& assignments, bool is_validate_only) {
  const auto found = image_.topics.find(name);
  if (found == image_.topics.end()) return {ErrorCode::unknown_topic_or_partition, ""};
  TopicImage& topic = found->second;
  const int count = static_cast<int>(topic.partitions.size());
  if (total_count == count)
    return {ErrorCode::invalid_partitions,
            "Topic already has " + std::to_string(count) + " partition(s)."};
  if (total_count < count)
    return {ErrorCode::invalid_partitions,
            "The topic " + name + " currently has " + std::to_string(count) + " partition(s); " +
                std::to_string(total_count) + " would not be an increase."};
  if (assignments && static_cast<int>(assignments->size()) != total_count - count)
    return {ErrorCode::invalid_replica_assignment,
            "Attempted to add " + std::to_string(total_count - count) +
                " additional partition(s), but only " + std::to_string(assignments->size()) +
                " assignment(s) were specified."};
  if (assignments)
    if (ControllerAnswer answer = check_assignments(*assignments); answer.error != ErrorCode::none)
      return answer;
  if (is_validate_only) return {};
  const int factor = static_cast<int>(topic.partitions.front().replicas.size());
  for (int i = count; i < total_count; ++i)
    add_partition(topic, assignments ? (*assignments)[static_cast<std::size_t>(i - count)]
                                     : choose_replicas(i, factor));
  changed();
  return {};
}

ControllerAnswer Controller::reorder_replicas(const TopicPartition& partition,
                                              std::vector<int> replicas) {
  if (ControllerAnswer answer = check_replicas(replicas); answer.error != ErrorCode::none)
    return answer;
  PartitionImage& image =
      image_.topics.at(partition.topic).partitions[static_cast<std::size_t>(partition.partition)];
  if (!std::ranges::is_permutation(image.replicas, replicas))
    return {ErrorCode::invalid_replica_assignment,
            "This cluster does not move replicas between brokers."};
  image.replicas = std::move(replicas);
  changed();
  return {};
}

ControllerAnswer Controller::create_internal_topic(const std::string& name) {
  return create_topic(internal_topic_of(name, settings_), false);
}

std::shared_ptr<const MetadataImage> Controller::image() {
  if (told_ == nullptr || told_->version != image_.version)
    told_ = std::make_shared<const MetadataImage>(image_);
  return told_;
}

void Controller::set_address(int broker_id, const std::string& listener, Endpoint endpoint) {
  BrokerAddress& address = image_.addresses.at(static_cast<std::size_t>(broker_id - 1));
  address.listeners[listener] = std::move(endpoint);
  list_brokers();
}

std::int64_t Controller::take_producer_id_block() {
  const std::int64_t first = next_producer_id_;
  next_producer_id_ += producer_id_block_size;
  return first;
}

void Controller::add_to(Digest& digest) const {
  image_.add_to(digest);
  digest.add(next_producer_id_);
  for (const auto& [id, session] : sessions_) {
    digest.add(session.is_fenced);
    digest.add(session.wants_to_register);
    digest.add(session.ends ? session.ends->time_since_epoch().count() : std::int64_t{-1});
  }
}

}  // namespace fencepost::minibroker
