// ApiVersions: the versions of the era, and its finalized features.
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

// Brokers of Kafka 4 say 0 for Produce although they refuse it below 3: old librdkafka chooses its
// compression by it (KAFKA-18659).
constexpr std::int16_t advertised_produce_version_min = 0;

ApiVersionsResponse::ApiVersion version_of(const Api& api, const Era& era) {
  const Versions versions = era.versions_of(api.key);
  ApiVersionsResponse::ApiVersion out;
  out.api_key = static_cast<std::int16_t>(api.key);
  out.min_version = api.key == ApiKey::produce ? advertised_produce_version_min
                                               : static_cast<std::int16_t>(versions.first);
  out.max_version = static_cast<std::int16_t>(versions.last);
  return out;
}

// A client says which cluster and broker it means, or neither (KIP-1242).
ErrorCode check_meant(const ApiVersionsRequest& request, const Broker& broker, const Turn& turn) {
  if (request.cluster_id.has_value() != (request.node_id >= 0)) return ErrorCode::invalid_request;
  if (!request.cluster_id) return ErrorCode::none;
  const bool is_meant =
      *request.cluster_id == turn.controller.cluster_id() && request.node_id == broker.id();
  return is_meant ? ErrorCode::none : ErrorCode::rebootstrap_required;
}

// Clients before version 4 take a lowest level of 0 for an error (KAFKA-17011).
bool can_read_level_zero(std::int16_t version) {
  return version >= 4;
}

}  // namespace

void api_versions(Broker& broker, Turn& turn, const RequestContext& context,
                  const ApiVersionsRequest& request) {
  if (context.api_version >= 3 &&
      (request.client_software_name.empty() || request.client_software_version.empty()))
    return refuse_api_versions(broker, context, ErrorCode::invalid_request);
  if (const ErrorCode error = check_meant(request, broker, turn); error != ErrorCode::none)
    return refuse_api_versions(broker, context, error);
  const Era& era = broker.era();
  ApiVersionsResponse response;
  for (const Api& api : apis())
    if (is_served(api.key) && !era.versions_of(api.key).is_empty())
      response.api_keys.push_back(version_of(api, era));
  for (const Feature& feature : era.features()) {
    const std::string name(feature.name);
    if (feature.level_min > 0 || can_read_level_zero(context.api_version))
      response.supported_features.push_back({name, feature.level_min, feature.level_max, {}});
    if (feature.level > 0)
      response.finalized_features.push_back({name, feature.level, feature.level, {}});
  }
  if (!response.finalized_features.empty())
    response.finalized_features_epoch = turn.controller.version();
  // Before authenticating a client may ask once.
  if (security::SaslSession* session = broker.sasl_session(context.connection))
    if (session->state == security::SaslSession::State::handshake_or_versions)
      session->state = security::SaslSession::State::handshake;
  broker.reply(context, response);
}

void refuse_api_versions(Broker& broker, const RequestContext& context, ErrorCode error) {
  ApiVersionsResponse response;
  response.error_code = error;
  if (error == ErrorCode::unsupported_version)
    response.api_keys.push_back(version_of(*find_api(ApiKey::api_versions), broker.era()));
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
