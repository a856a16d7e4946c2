#include "minibroker/group/topic_directory.h"

namespace fencepost::minibroker {

std::set<std::string> TopicDirectory::update(const std::map<std::string, TopicFacts>& topics,
                                             std::int64_t version) {
  std::set<std::string> changed;
  const bool is_first = version_ < 0;
  version_ = version;
  if (is_first) version_with_new_topics_ = version;
  for (auto it = topics_.begin(); it != topics_.end();) {
    const auto now = topics.find(it->first);
    const bool is_same_topic = now != topics.end() && now->second.id == it->second.id;
    if (is_same_topic) {
      if (now->second.partition_count != it->second.partition_count) changed.insert(it->first);
      it->second = now->second;
      ++it;
      continue;
    }
    changed.insert(it->first);
    names_.erase(it->second.id);
    it = topics_.erase(it);
  }
  for (const auto& [name, facts] : topics) {
    if (!topics_.try_emplace(name, facts).second) continue;
    names_[facts.id] = name;
    changed.insert(name);
    version_with_new_topics_ = version;
  }
  return changed;
}

}  // namespace fencepost::minibroker
