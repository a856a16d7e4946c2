// CreateTopics, CreatePartitions and DeleteTopics: the controller decides, for each topic by
// itself.
#include <algorithm>
#include <set>

#include "minibroker/described_config.h"
#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"
#include "minibroker/topic_configuration.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

constexpr const char* metadata_topic = "__cluster_metadata";
// Of all topics of a request together.
constexpr std::int64_t new_partitions_max = 10'000;

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

ControllerAnswer check_assignments(const Creatable& topic) {
  if (topic.assignments.empty()) return {};
  if (topic.replication_factor != -1)
    return {ErrorCode::invalid_request,
            "A manual partition assignment was specified, but replication factor was not set to "
            "-1."};
  if (topic.num_partitions != -1)
    return {ErrorCode::invalid_request,
            "A manual partition assignment was specified, but numPartitions was not set to -1."};
  std::set<std::int32_t> indexes;
  for (const auto& assignment : topic.assignments)
    if (!indexes.insert(assignment.partition_index).second)
      return {ErrorCode::invalid_replica_assignment,
              "Found multiple manual partition assignments for partition " +
                  std::to_string(assignment.partition_index)};
  if (*indexes.begin() != 0 ||
      *indexes.rbegin() != static_cast<std::int32_t>(topic.assignments.size()) - 1)
    return {ErrorCode::invalid_replica_assignment,
            "partitions should be a consecutive 0-based integer sequence"};
  return {};
}

ControllerAnswer check_configs(const Creatable& topic) {
  for (const auto& config : topic.configs) {
    if (!config.value)
      return {ErrorCode::invalid_config,
              "Null value not supported for topic configs: " + config.name};
    if (auto problem = topic_config_problem(config.name, *config.value))
      return {ErrorCode::invalid_config, *problem};
  }
  return {};
}

// Who may create a topic is asked after what is wrong with the request itself.
ControllerAnswer check_authorization(const Turn& turn, const RequestContext& context,
                                     const Creatable& topic) {
  const bool is_allowed = allows_cluster(turn, context, Operation::create) ||
                          allows_topic(turn, context, Operation::create, topic.name);
  if (is_allowed) return {};
  return {ErrorCode::topic_authorization_failed, "Authorization failed."};
}

// What is looked at before the controller decides.
ControllerAnswer check(const Turn& turn, const RequestContext& context, const Creatable& topic,
                       const std::vector<Creatable>& all) {
  if (std::ranges::count(all, topic.name, &Creatable::name) > 1)
    return {ErrorCode::invalid_request, "Duplicate topic name."};
  if (topic.name == metadata_topic)
    return {ErrorCode::invalid_request,
            "Creation of internal topic " + topic.name + " is prohibited."};
  ControllerAnswer answer = check_authorization(turn, context, topic);
  if (answer.error != ErrorCode::none) return answer;
  if (auto problem = topic_name_problem(topic.name))
    return {ErrorCode::invalid_topic_exception, *problem};
  if (turn.controller.find_topic(topic.name) != nullptr)
    return {ErrorCode::topic_already_exists, "Topic '" + topic.name + "' already exists."};
  answer = check_configs(topic);
  return answer.error == ErrorCode::none ? check_assignments(topic) : answer;
}

bool asks_for_too_much(const Broker& broker, const std::vector<Creatable>& topics) {
  std::int64_t count = 0;
  for (const Creatable& topic : topics) {
    if (!topic.assignments.empty())
      count += static_cast<std::int64_t>(topic.assignments.size());
    else
      count += topic.num_partitions == -1 ? broker.settings().num_partitions : topic.num_partitions;
  }
  return count > new_partitions_max;
}

void describe(const Broker& broker, const Turn& turn, const TopicImage& image, Created& out) {
  out.topic_id = image.id;
  out.num_partitions = static_cast<std::int32_t>(image.partitions.size());
  out.replication_factor = static_cast<std::int16_t>(image.partitions.front().replicas.size());
  for (const DescribedConfig& config : describe_topic(turn.controller, broker.id(), image)) {
    auto& described = out.configs->emplace_back();
    described.name = config.name;
    described.value = config.value;
    described.config_source = static_cast<std::int8_t>(config.source);
  }
}

// One topic of the request, as it was asked for.
ControllerAnswer create(Broker& broker, Turn& turn, const RequestContext& context,
                        const Creatable& topic, const CreateTopicsRequest& request, Created& out) {
  ControllerAnswer answer = check(turn, context, topic, request.topics);
  if (answer.error != ErrorCode::none) return answer;
  TopicImage image;
  answer = turn.controller.create_topic(to_new_topic(topic, broker.settings()),
                                        request.validate_only, &image);
  if (answer.error != ErrorCode::none) return answer;
  if (allows_topic(turn, context, Operation::describe_configs, topic.name)) {
    describe(broker, turn, image, out);
  } else {
    out.topic_id = image.id;
    out.topic_config_error_code = ErrorCode::topic_authorization_failed;
  }
  return answer;
}

}  // namespace

void create_topics(Broker& broker, Turn& turn, const RequestContext& context,
                   const CreateTopicsRequest& request) {
  CreateTopicsResponse response;
  const bool is_too_much = asks_for_too_much(broker, request.topics);
  std::set<std::string> answered;
  for (const Creatable& topic : request.topics) {
    if (!is_too_much && !answered.insert(topic.name).second) continue;
    Created& result = response.topics.emplace_back();
    result.name = topic.name;
    const ControllerAnswer answer =
        is_too_much ? ControllerAnswer{ErrorCode::policy_violation,
                                       "Excessively large number of partitions per request."}
                    : create(broker, turn, context, topic, request, result);
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (answer.error != ErrorCode::none) result.error_message = answer.message;
  }
  broker.reply(context, response);
}

void create_partitions(Broker& broker, Turn& turn, const RequestContext& context,
                       const CreatePartitionsRequest& request) {
  CreatePartitionsResponse response;
  std::set<std::string> answered;
  for (const auto& topic : request.topics) {
    if (!answered.insert(topic.name).second) continue;
    const auto is_same = [&](const auto& other) { return other.name == topic.name; };
    const bool is_twice = std::ranges::count_if(request.topics, is_same) > 1;
    std::optional<std::vector<std::vector<int>>> assignments;
    if (topic.assignments) assignments.emplace();
    if (topic.assignments)
      for (const auto& assignment : *topic.assignments)
        assignments->push_back(assignment.broker_ids);
    ControllerAnswer answer;
    if (is_twice)
      answer = {ErrorCode::invalid_request, "Duplicate topic name."};
    else if (!allows_topic(turn, context, Operation::alter, topic.name))
      answer.error = ErrorCode::topic_authorization_failed;
    else
      answer = turn.controller.create_partitions(topic.name, topic.count, assignments,
                                                 request.validate_only);
    auto& result = response.results.emplace_back();
    result.name = topic.name;
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (!answer.message.empty()) result.error_message = answer.message;
  }
  broker.reply(context, response);
}

namespace {

// A topic that is to be deleted, by name or by id, and what is wrong with asking for it.
struct Deletion {
  std::optional<std::string> name;
  Uuid id;
  ControllerAnswer refused = {};
};

std::vector<Deletion> deletions_of(const DeleteTopicsRequest& request) {
  std::vector<Deletion> deletions;
  for (const std::string& name : request.topic_names) deletions.push_back({name, {}});
  for (const auto& topic : request.topics) {
    Deletion& deletion = deletions.emplace_back(Deletion{topic.name, topic.topic_id});
    if (topic.name && topic.topic_id != Uuid{})
      deletion.refused = {ErrorCode::invalid_request,
                          "You may not specify both topic name and topic id."};
    if (!topic.name && topic.topic_id == Uuid{})
      deletion.refused = {ErrorCode::invalid_request, "Neither topic name nor id were specified."};
  }
  return deletions;
}

// Names that stand there twice are answered once; a name and its id are the same topic.
void refuse_duplicates(const Turn& turn, std::vector<Deletion>& deletions) {
  std::vector<Deletion> kept;
  for (const Deletion& deletion : deletions) {
    const auto is_same = [&](const Deletion& other) {
      return other.name == deletion.name && other.id == deletion.id;
    };
    if (const auto first = std::ranges::find_if(kept, is_same); first != kept.end()) {
      first->refused = {ErrorCode::invalid_request,
                        deletion.name ? "Duplicate topic name." : "Duplicate topic id."};
      continue;
    }
    kept.push_back(deletion);
  }
  deletions.clear();
  for (const Deletion& deletion : kept) {
    const TopicImage* image = deletion.name ? turn.controller.find_topic(*deletion.name) : nullptr;
    const auto is_by_id = [&](const Deletion& other) {
      return image != nullptr && !other.name && other.id == image->id;
    };
    const bool is_named = deletion.name && deletion.refused.error == ErrorCode::none;
    if (is_named && std::ranges::any_of(kept, is_by_id)) continue;
    deletions.push_back(deletion);
    const TopicImage* by_id = deletion.name ? nullptr : turn.controller.find_topic(deletion.id);
    const auto names_it = [&](const Deletion& other) {
      return by_id != nullptr && other.name == by_id->name &&
             other.refused.error == ErrorCode::none;
    };
    if (std::ranges::any_of(kept, names_it))
      deletions.back().refused = {
          ErrorCode::invalid_request,
          "The provided topic name maps to an ID that was already supplied."};
  }
}

struct Denial {
  bool is_denied = false;
  bool may_see_name = true;
};

// A topic that the client may not delete. One that he may not describe either is not known to him
// by name, and whether it exists is not disclosed.
Denial denial_of(const Turn& turn, const RequestContext& context, const Deletion& deletion,
                 const TopicImage* image) {
  const std::optional<std::string> name =
      image != nullptr ? std::optional(image->name) : deletion.name;
  if (!name || deletion.refused.error != ErrorCode::none) return {};
  if (allows_cluster(turn, context, Operation::delete_)) return {};
  const bool may_describe = allows_topic(turn, context, Operation::describe, *name);
  const bool may_see_name = may_describe || deletion.name.has_value();
  if (image == nullptr) return {!may_describe, may_see_name};
  return {!allows_topic(turn, context, Operation::delete_, *name), may_see_name};
}

ControllerAnswer remove(Turn& turn, const Deletion& deletion, const TopicImage* image) {
  if (deletion.refused.error != ErrorCode::none) return deletion.refused;
  if (image != nullptr) return turn.controller.delete_topic(std::string(image->name));
  if (deletion.name)
    return {ErrorCode::unknown_topic_or_partition,
            "This server does not host this topic-partition."};
  return {ErrorCode::unknown_topic_id, "This server does not host this topic ID."};
}

}  // namespace

void delete_topics(Broker& broker, Turn& turn, const RequestContext& context,
                   const DeleteTopicsRequest& request) {
  DeleteTopicsResponse response;
  std::vector<Deletion> deletions = deletions_of(request);
  refuse_duplicates(turn, deletions);
  for (const Deletion& deletion : deletions) {
    auto& result = response.responses.emplace_back();
    const TopicImage* image = deletion.name ? turn.controller.find_topic(*deletion.name)
                                            : turn.controller.find_topic(deletion.id);
    const Denial denial = denial_of(turn, context, deletion, image);
    result.name = image != nullptr ? image->name : deletion.name;
    result.topic_id = image != nullptr ? image->id : deletion.id;
    if (denial.is_denied) {
      if (!denial.may_see_name) result.name = std::nullopt;
      if (deletion.name) result.topic_id = {};
    }
    const ControllerAnswer answer =
        denial.is_denied
            ? ControllerAnswer{ErrorCode::topic_authorization_failed, topic_denied_message}
            : remove(turn, deletion, image);
    result.error_code = answer.error;
    result.error_message = std::nullopt;
    if (!answer.message.empty()) result.error_message = answer.message;
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
