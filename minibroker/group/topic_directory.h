// What the group coordinator knows of the cluster's topics: names, ids and partition counts. The
// broker brings it up to date whenever the metadata has changed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "protocol/base/uuid.h"

namespace fencepost::minibroker {

// Topics by name, with their ids.
using TopicIds = std::map<std::string, Uuid>;

struct TopicFacts {
  Uuid id;
  std::int32_t partition_count = 0;
  bool operator==(const TopicFacts&) const = default;
};

class TopicDirectory {
 public:
  const TopicFacts* find(const std::string& name) const {
    const auto found = topics_.find(name);
    return found == topics_.end() ? nullptr : &found->second;
  }
  // Null for a topic that is gone.
  const std::string* name_of(const Uuid& id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, TopicFacts>& topics() const { return topics_; }

  // Of the metadata, and of the one that last brought a new topic.
  std::int64_t version() const { return version_; }
  std::int64_t version_with_new_topics() const { return version_with_new_topics_; }

  // Takes the newer metadata over; the names of the topics that are new, changed or gone.
  std::set<std::string> update(const std::map<std::string, TopicFacts>& topics,
                               std::int64_t version);

 private:
  std::map<std::string, TopicFacts> topics_;
  std::map<Uuid, std::string> names_;
  std::int64_t version_ = -1;
  std::int64_t version_with_new_topics_ = -1;
};

}  // namespace fencepost::minibroker
