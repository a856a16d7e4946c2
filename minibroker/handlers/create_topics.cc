// CreateTopics, CreatePartitions and DeleteTopics: the controller decides, for each topic by
// itself.
#include <algorithm>

#include "minibroker/handlers/handlers.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr std::int8_t source_topic_config = 1;
constexpr std::int8_t source_default_config = 5;

using Creatable = CreateTopicsRequest::CreatableTopic;
using Created = CreateTopicsResponse::CreatableTopicResult;

// What is asked for, with the broker's defaults for -1.
NewTopic to_new_topic(const Creatable& topic, const ClusterSettings& settings) {
  NewTopic out;
  out.name = topic.name;
  out.partition_count = topic.num_partitions == -1 ? settings.num_partitions : topic.num_partitions;
  out.replication_factor = topic.replication_factor == -1 ? settings.default_replication_factor
                                                          : topic.replication_factor;
  out.assignments.resize(topic.assignments.size());
  for (const auto& assignment : topic.assignments) {
    const auto index = static_cast<std::size_t>(assignment.partition_index);
    if (index < out.assignments.size()) out.assignments[index] = assignment.broker_ids;
  }
  for (const auto& config : topic.configs)
    if (config.value) out.config[config.name] = *config.value;
  return out;
}

ControllerAnswer check(const Creatable& topic, const std::vector<Creatable>& all) {
  if (std::ranges::count(all, topic.name, &Creatable::name) > 1)
    return {ErrorCode::invalid_request, "Duplicate topic name."};
  if (!topic.assignments.empty() && (topic.num_partitions != -1 || topic.replication_factor != -1))
    return {ErrorCode::invalid_request,
            "Both numPartitions or replicationFactor and replicasAssignments were set. Both "
            "cannot be used at the same time."};
  for (const auto& config : topic.configs) {
    if (!config.value)
      return {ErrorCode::invalid_config,
              "Null value not supported for topic configs: " + config.name};
    if (auto problem = topic_config_problem(config.name, *config.value))
      return {ErrorCode::invalid_config, *problem};
  }
  return {};
}

void describe(const TopicImage& image, Created& out) {
  out.topic_id = image.id;
  out.num_partitions = static_cast<std::int32_t>(image.partitions.size());
  out.replication_factor = static_cast<std::int16_t>(image.partitions.front().replicas.size());
  for (const TopicConfig& config : topic_configs()) {
    auto& described = out.configs->emplace_back();
    const auto set = image.config.find(std::string(config.name));
    described.name = config.name;
    described.value = set == image.config.end() ? std::string(config.default_value) : set->second;
    described.config_source =
        set == image.config.end() ? source_default_config : source_topic_config;
  }
}

}  // namespace

void create_topics(Broker& broker, Turn& turn, const RequestContext& context,
                   const CreateTopicsRequest& request) {
  CreateTopicsResponse response;
  std::vector<std::string> answered;
  for (const Creatable& topic : request.topics) {
    if (std::ranges::find(answered, topic.name) != answered.end()) continue;
    answered.push_back(topic.name);
    Created& result = response.topics.emplace_back();
    result.name = topic.name;
    ControllerAnswer answer = check(topic, request.topics);
    if (answer.error == ErrorCode::none)
      answer = turn.controller.create_topic(to_new_topic(topic, broker.settings()),
                                            request.validate_only);
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (answer.error != ErrorCode::none) result.error_message = answer.message;
    const TopicImage* image = turn.controller.find_topic(topic.name);
    if (answer.error == ErrorCode::none && image != nullptr) describe(*image, result);
  }
  broker.reply(context, response);
}

void create_partitions(Broker& broker, Turn& turn, const RequestContext& context,
                       const CreatePartitionsRequest& request) {
  CreatePartitionsResponse response;
  for (const auto& topic : request.topics) {
    std::vector<std::vector<int>> assignments;
    if (topic.assignments)
      for (const auto& assignment : *topic.assignments)
        assignments.push_back(assignment.broker_ids);
    const ControllerAnswer answer = turn.controller.create_partitions(
        topic.name, topic.count, assignments, request.validate_only);
    auto& result = response.results.emplace_back();
    result.name = topic.name;
    result.error_code = answer.error;
    if (answer.error != ErrorCode::none) result.error_message = answer.message;
  }
  broker.reply(context, response);
}

void delete_topics(Broker& broker, Turn& turn, const RequestContext& context,
                   const DeleteTopicsRequest& request) {
  DeleteTopicsResponse response;
  const auto remove = [&](std::optional<std::string> name, Uuid id, ErrorCode unknown) {
    auto& result = response.responses.emplace_back();
    const TopicImage* image =
        name ? turn.controller.find_topic(*name) : turn.controller.find_topic(id);
    result.name = image != nullptr ? image->name : std::move(name);
    result.topic_id = image != nullptr ? image->id : id;
    result.error_code = image == nullptr ? unknown : ErrorCode::none;
    if (image != nullptr)
      result.error_code = turn.controller.delete_topic(std::string(image->name)).error;
  };
  for (const std::string& name : request.topic_names)
    remove(name, {}, ErrorCode::unknown_topic_or_partition);
  for (const auto& topic : request.topics)
    remove(topic.name, topic.topic_id,
           topic.name ? ErrorCode::unknown_topic_or_partition : ErrorCode::unknown_topic_id);
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
