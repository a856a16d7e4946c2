// UpdateFeatures (KIP-584): all updates of a request are good, or none is made.
#include <algorithm>

#include "minibroker/handlers/authorization.h"
#include "minibroker/handlers/handlers.h"

namespace fencepost::minibroker::handlers {

using namespace protocol;

namespace {

using Update = UpdateFeaturesRequest::FeatureUpdateKey;

enum class UpgradeType : std::int8_t { upgrade = 1, safe_downgrade = 2, unsafe_downgrade = 3 };

UpgradeType type_of(const Update& update, std::int16_t version) {
  if (version > 0) return static_cast<UpgradeType>(update.upgrade_type);
  return update.allow_downgrade ? UpgradeType::safe_downgrade : UpgradeType::upgrade;
}

// What is wrong with an update, in Kafka's words; empty when it is good.
std::string problem_of(const Update& update, UpgradeType type, const Turn& turn) {
  const std::string version = std::to_string(update.max_version_level);
  const std::string invalid =
      "Invalid update version " + version + " for feature " + update.feature + ". ";
  const std::string controller =
      "Local controller " + std::to_string(turn.controller.controller_id());
  if (type < UpgradeType::upgrade || type > UpgradeType::unsafe_downgrade)
    return invalid + "The controller does not support the given upgrade type.";
  if (update.max_version_level < 0) return invalid + "A feature version cannot be less than 0.";
  const std::vector<Feature> features = turn.controller.settings().era.features();
  const auto feature = std::ranges::find(features, update.feature, &Feature::name);
  if (feature == features.end()) return invalid + controller + " does not support this feature.";
  const std::int16_t level = update.max_version_level;
  if (level != 0 && (level < feature->level_min || level > feature->level_max))
    return invalid + controller + " only supports versions " + std::to_string(feature->level_min) +
           "-" + std::to_string(feature->level_max);
  if (level >= feature->level) return {};
  if (type == UpgradeType::upgrade)
    return invalid +
           "Can't downgrade the version of this feature without setting the upgrade type to "
           "either safe or unsafe downgrade.";
  if (update.feature == "metadata.version")
    return "Unsupported metadata.version downgrade from " + std::to_string(feature->level) +
           " to " + version +
           ". Refusing to perform the requested downgrade because it might delete metadata "
           "information.";
  return {};
}

}  // namespace

void update_features(Broker& broker, Turn& turn, const RequestContext& context,
                     const UpdateFeaturesRequest& request) {
  UpdateFeaturesResponse response;
  response.error_message = std::nullopt;
  if (!allows_cluster(turn, context, Operation::alter)) {
    response.error_code = ErrorCode::cluster_authorization_failed;
    response.error_message = cluster_denied_message;
    return broker.reply(context, response);
  }
  turn.controller.catch_up();
  for (const Update& update : request.feature_updates) {
    const std::string problem = problem_of(update, type_of(update, context.api_version), turn);
    if (problem.empty()) continue;
    response.error_code = ErrorCode::invalid_update_version;
    response.error_message =
        "The update failed for all features since the following feature had an error: " + problem;
    return broker.reply(context, response);
  }
  for (const Update& update : request.feature_updates) {
    ControllerAnswer answer;
    if (!request.validate_only)
      answer = turn.controller.set_feature_level(update.feature, update.max_version_level);
    if (answer.error != ErrorCode::none) {
      response.error_code = answer.error;
      response.error_message = answer.message;
      return broker.reply(context, response);
    }
    auto& result = response.results.emplace_back();
    result.feature = update.feature;
    result.error_message = "NONE";
  }
  broker.reply(context, response);
}

}  // namespace fencepost::minibroker::handlers
