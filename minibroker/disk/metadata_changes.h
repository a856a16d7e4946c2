// The cluster's metadata as records of __cluster_metadata, in Kafka's own form: what changed from
// one image to the next becomes records, and the records one after another give the image again.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "minibroker/metadata_image.h"
#include "protocol/base/result.h"

namespace fencepost::minibroker {

// The partition that they are in, of a topic that clients do not see.
inline constexpr const char* cluster_metadata_topic = "__cluster_metadata";

// What outlives the controller's process.
struct DurableMetadata {
  // Without settings where it was put together from records.
  std::shared_ptr<const MetadataImage> image;
  std::map<std::string, std::int16_t, std::less<>> feature_levels;  // those above 0
  std::int64_t next_producer_id = 0;
  std::map<security::Acl, Uuid> acl_ids;  // those that have records
};

// Ids of the rules of the image: those that they have, and for new ones what follows from the rule.
std::map<security::Acl, Uuid> acl_ids_of(const MetadataImage& image,
                                         const std::map<security::Acl, Uuid>& known);
std::map<std::string, std::int16_t, std::less<>> feature_levels_of(const MetadataImage& image);

// What of the brokers only their registrations tell.
struct BrokerIdentities {
  std::map<int, Uuid> directory_ids;
  std::int64_t epoch = 0;  // of all brokers in this life of the cluster; rises with each
};

// The values of the records that make `before` what `after` is, in an order in which each can be
// understood; none when nothing of it has changed.
std::vector<SharedBytes> metadata_changes(const DurableMetadata& before,
                                          const DurableMetadata& after,
                                          const BrokerIdentities& identities);

// Puts records together.
class MetadataReplay {
 public:
  // The next record. Errors: malformed, for one that cannot be read or is about something that is
  // not there; unsupported_version for a type that this cluster has no use for.
  Result<void> apply(const SharedBytes& value);
  DurableMetadata take();
  std::set<Uuid> take_deleted_topics() { return std::move(deleted_topics_); }

 private:
  template <class Record>
  Result<void> apply_as(const SharedBytes& body, std::uint32_t version);
  template <class Record>
  Result<void> take_over(const Record& record);
  Result<TopicImage*> topic_of(const Uuid& id);
  ConfigMap* config_of(std::int8_t type, const std::string& name);

  MetadataImage image_;
  std::map<std::string, std::int16_t, std::less<>> feature_levels_;
  std::int64_t next_producer_id_ = 0;
  std::set<Uuid> deleted_topics_;
  security::Credentials credentials_;
  std::map<Uuid, security::Acl> acls_;
};

}  // namespace fencepost::minibroker
