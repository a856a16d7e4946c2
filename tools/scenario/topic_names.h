// Which topic an id stands for, learned from the Metadata answers that pass by: newer requests name
// topics by id alone, and a person wants the name.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "protocol/base/uuid.h"
#include "protocol/messages/metadata.h"

namespace fencepost::scenario {

class TopicNames {
 public:
  void learn(const protocol::MetadataResponse& metadata) {
    for (const auto& topic : metadata.topics)
      if (topic.name && !topic.name->empty()) known_.emplace_back(topic.topic_id, *topic.name);
  }
  std::string name(const std::string& name, const Uuid& id) const {
    if (!name.empty()) return name;
    for (const auto& [known_id, known_name] : known_)
      if (known_id == id) return known_name;
    return "?";
  }

 private:
  std::vector<std::pair<Uuid, std::string>> known_;
};

}  // namespace fencepost::scenario
