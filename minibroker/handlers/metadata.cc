// Metadata: brokers, topics and leaders. Unknown topics are created when both the request and the
// broker allow it.
#include <algorithm>
#include <iterator>
#include <set>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/described_partition.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Topic = MetadataResponse::MetadataResponseTopic;

Topic describe(const ControllerView& controller, const TopicImage& image) {
  Topic out;
  out.name = image.name;
  out.topic_id = image.id;
  out.is_internal = image.is_internal();
  for (std::size_t i = 0; i < image.partitions.size(); ++i)
    describe_partition(out.partitions.emplace_back(), i, image.partitions[i], controller);
  return out;
}

Topic refuse(std::optional<std::string> name, const Uuid& id, ErrorCode error) {
  Topic out;
  out.error_code = error;
  out.name = std::move(name);
  out.topic_id = id;
  return out;
}

// A topic that is not there, or not yet: `may_create` says whether asking for it creates it.
Topic missing(Broker& broker, Turn& turn, const std::string& name, bool may_create) {
  if (topic_name_problem(name)) return refuse(name, {}, ErrorCode::invalid_topic_exception);
  if (!may_create) return refuse(name, {}, ErrorCode::unknown_topic_or_partition);
  if (name == consumer_offsets_topic || name == transaction_state_topic) {
    const TopicImage* internal = turn.controller.internal_topic(name);
    if (internal == nullptr) return refuse(name, {}, ErrorCode::leader_not_available);
    return describe(turn.controller, *internal);
  }
  const ClusterSettings& settings = broker.settings();
  const ControllerAnswer answer = turn.controller.create_topic(
      {name, settings.num_partitions, settings.default_replication_factor, {}, {}}, false);
  if (answer.error != ErrorCode::none) return refuse(name, {}, answer.error);
  return describe(turn.controller, *turn.controller.find_topic(name));
}

using RequestTopic = MetadataRequest::MetadataRequestTopic;

// Names and ids came with version 10, but only from 12 on may a name be null or an id be set.
bool is_allowed(const RequestContext& context, const std::vector<RequestTopic>& asked) {
  return context.api_version >= 12 || std::ranges::all_of(asked, [](const RequestTopic& topic) {
           return topic.name.has_value() && topic.topic_id == Uuid{};
         });
}

// Each topic once. One id is enough for all names to be passed over; what is not known by its id
// comes first, what the client may not see last, without its name.
std::vector<Topic> by_id(const Turn& turn, const RequestContext& context,
                         const std::vector<RequestTopic>& asked) {
  std::vector<Topic> unknown, known, denied;
  std::set<Uuid> seen;
  for (const RequestTopic& topic : asked) {
    if (topic.topic_id == Uuid{} || !seen.insert(topic.topic_id).second) continue;
    const TopicImage* image = turn.controller.find_topic(topic.topic_id);
    if (image == nullptr)
      unknown.push_back(refuse(std::nullopt, topic.topic_id, ErrorCode::unknown_topic_id));
    else if (allows_topic(turn, context, Operation::describe, image->name))
      known.push_back(describe(turn.controller, *image));
    else
      denied.push_back(refuse(std::nullopt, topic.topic_id, ErrorCode::topic_authorization_failed));
  }
  std::ranges::move(known, std::back_inserter(unknown));
  std::ranges::move(denied, std::back_inserter(unknown));
  return unknown;
}

// Each topic once: what is there, what is not, what the client may not create, and what he may not
// see. Whether that exists is not disclosed.
std::vector<Topic> by_name(Broker& broker, Turn& turn, const RequestContext& context,
                           const std::vector<RequestTopic>& asked, bool may_create) {
  std::vector<Topic> topics, uncreatable, denied;
  std::vector<std::string> absent;
  std::set<std::string> seen;
  for (const RequestTopic& topic : asked) {
    const std::string name = topic.name.value_or("");
    if (!seen.insert(name).second) continue;
    if (!allows_topic(turn, context, Operation::describe, name))
      denied.push_back(refuse(name, {}, ErrorCode::topic_authorization_failed));
    else if (const TopicImage* image = turn.controller.find_topic(name))
      topics.push_back(describe(turn.controller, *image));
    else if (may_create && !allows_cluster(turn, context, Operation::create) &&
             !allows_topic(turn, context, Operation::create, name))
      uncreatable.push_back(refuse(name, {}, ErrorCode::topic_authorization_failed));
    else
      absent.push_back(name);
  }
  for (const std::string& name : absent) topics.push_back(missing(broker, turn, name, may_create));
  std::ranges::move(uncreatable, std::back_inserter(topics));
  std::ranges::move(denied, std::back_inserter(topics));
  return topics;
}

std::vector<Topic> topics_of(Broker& broker, Turn& turn, const RequestContext& context,
                             const MetadataRequest& request) {
  const bool wants_all = !request.topics || (context.api_version == 0 && request.topics->empty());
  if (wants_all) {
    std::vector<Topic> topics;
    for (const auto& [name, image] : turn.controller.topics())
      if (allows_topic(turn, context, Operation::describe, name))
        topics.push_back(describe(turn.controller, image));
    return topics;
  }
  if (std::ranges::any_of(*request.topics,
                          [](const RequestTopic& topic) { return topic.topic_id != Uuid{}; }))
    return by_id(turn, context, *request.topics);
  return by_name(broker, turn, context, *request.topics,
                 broker.settings().auto_create_topics_enable && request.allow_auto_topic_creation);
}

// 0: who may not describe the cluster is told of no operation at all.
std::int32_t cluster_operations(const Turn& turn, const RequestContext& context) {
  if (!allows_cluster(turn, context, Operation::describe)) return 0;
  return allowed_operations(turn, context, ResourceType::cluster, security::cluster_name);
}

}  // namespace

void metadata(Broker& broker, Turn& turn, const RequestContext& context,
              const MetadataRequest& request) {
  MetadataResponse response;
  if (request.topics && !is_allowed(context, *request.topics)) {
    for (const RequestTopic& topic : *request.topics)
      response.topics.push_back(
          refuse(topic.name.value_or(""), topic.topic_id, ErrorCode::invalid_request));
    return broker.reply(context, response);
  }
  for (const BrokerAddress& address : turn.controller.brokers()) {
    const Endpoint& endpoint = address.on(context.identity->listener);
    response.brokers.push_back({address.id, endpoint.host, endpoint.port, std::nullopt, {}});
  }
  response.cluster_id = turn.controller.cluster_id();
  response.controller_id = turn.controller.controller_id();
  response.topics = topics_of(broker, turn, context, request);
  if (request.include_cluster_authorized_operations)
    response.cluster_authorized_operations = cluster_operations(turn, context);
  if (request.include_topic_authorized_operations)
    for (Topic& topic : response.topics)
      if (topic.error_code != ErrorCode::topic_authorization_failed)
        topic.topic_authorized_operations =
            allowed_operations(turn, context, ResourceType::topic, topic.name.value_or(""));
  broker.reply(context, response);
}

void describe_cluster(Broker& broker, Turn& turn, const RequestContext& context,
                      const DescribeClusterRequest& request) {
  constexpr std::int8_t brokers_endpoint = 1, controllers_endpoint = 2;
  DescribeClusterResponse response;
  response.endpoint_type = brokers_endpoint;
  if (request.endpoint_type != brokers_endpoint) {
    const bool is_controller = request.endpoint_type == controllers_endpoint;
    response.error_code =
        is_controller ? ErrorCode::mismatched_endpoint_type : ErrorCode::unsupported_endpoint_type;
    response.error_message =
        is_controller ? "The request was sent to an endpoint of type BROKER, but we wanted an "
                        "endpoint of type CONTROLLER"
                      : "Unsupported endpoint type " + std::to_string(request.endpoint_type);
    return broker.reply(context, response);
  }
  response.error_message = std::nullopt;
  if (request.include_cluster_authorized_operations)
    response.cluster_authorized_operations = cluster_operations(turn, context);
  response.cluster_id = turn.controller.cluster_id();
  response.controller_id = turn.controller.controller_id();
  for (const BrokerAddress& address : turn.controller.brokers()) {
    auto& described = response.brokers.emplace_back();
    described.broker_id = address.id;
    described.host = address.on(context.identity->listener).host;
    described.port = address.on(context.identity->listener).port;
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
