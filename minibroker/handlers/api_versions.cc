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

// Clients before version 4 take a lowest level of 0 for an error (KAFKA-17011).
bool can_read_level_zero(std::int16_t version) {
  return version >= 4;
}

}  // namespace

void api_versions(Broker& broker, Turn&, const RequestContext& context,
                  const ApiVersionsRequest& request) {
  if (context.api_version >= 3 &&
      (request.client_software_name.empty() || request.client_software_version.empty()))
    return refuse_api_versions(broker, context, ErrorCode::invalid_request);
  const Era& era = broker.era();
  ApiVersionsResponse response;
  for (const Api& api : apis())
    if (!era.versions_of(api.key).is_empty()) response.api_keys.push_back(version_of(api, era));
  if (era.has_transaction_version) {
    const std::int16_t level = era.bumps_epoch_at_end ? 2 : 0;
    if (can_read_level_zero(context.api_version))
      response.supported_features.push_back({"transaction.version", 0, 2, {}});
    if (level > 0) response.finalized_features.push_back({"transaction.version", level, level, {}});
    response.finalized_features_epoch = 0;
  }
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
