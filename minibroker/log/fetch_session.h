// Fetch sessions (KIP-227): a broker remembers what a reader asks for, so that the next request
// names only what has changed, and the answer only the partitions that have something to say. The
// slots are few; what is not used, or worth less, gives way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "protocol/base/digest.h"
#include "protocol/base/random.h"
#include "protocol/base/time.h"
#include "protocol/base/uuid.h"
#include "protocol/error_code.h"
#include "protocol/messages/fetch.h"

namespace fencepost::minibroker {

// A partition that is asked for. By id, the name is empty while no topic has the id.
struct FetchTarget {
  std::string topic;
  Uuid topic_id;
  protocol::FetchRequest::FetchPartition wanted;
};

struct FetchAnswer {
  std::string topic;
  Uuid topic_id;
  protocol::FetchResponse::PartitionData data;
};

// What a request is part of.
struct FetchContext {
  enum class Kind {
    refused,      // `error` is the whole answer
    sessionless,  // everything is asked for and answered
    full,         // likewise, and a session begins if there is a slot for it
    incremental,  // the session's partitions are asked for, what is new is answered
  };
  Kind kind = Kind::sessionless;
  protocol::ErrorCode error = protocol::ErrorCode::none;
  std::int32_t session_id = 0;
  std::int32_t epoch = 0;  // that the session has while this request is answered
  bool has_topic_ids = false;
  bool is_from_follower = false;
  std::vector<FetchTarget> targets;
};

class FetchSessions {
 public:
  FetchSessions(std::size_t slots_max, Random random) : slots_max_(slots_max), random_(random) {}

  // Follows what the request says of its session. `find_name` (a function from Uuid to std::string,
  // empty for what is unknown) names the topics of requests with topic ids.
  template <class FindName>
  FetchContext begin(const protocol::FetchRequest& request, std::int16_t api_version,
                     bool is_from_follower, FindName find_name, Instant now) {
    std::vector<FetchTarget> targets;
    for (const auto& topic : request.topics) {
      const std::string name =
          api_version >= topic_ids_version_min ? find_name(topic.topic_id) : topic.topic;
      for (const auto& wanted : topic.partitions) targets.push_back({name, topic.topic_id, wanted});
    }
    FetchContext context = begin(request, api_version, std::move(targets), now);
    context.is_from_follower = is_from_follower;
    for (FetchTarget& target : context.targets)
      if (target.topic.empty() && context.has_topic_ids) target.topic = find_name(target.topic_id);
    return context;
  }

  // The session id to answer with, or the error that takes the answer's place. Leaves in `answers`
  // what is to be sent.
  std::pair<protocol::ErrorCode, std::int32_t> end(const FetchContext& context,
                                                   std::vector<FetchAnswer>& answers, Instant now);

  std::size_t size() const { return sessions_.size(); }
  void add_to(Digest& digest) const;

  static constexpr std::int16_t topic_ids_version_min = 13;

 private:
  // Of partitions by id the name is left out, of partitions by name the id.
  using Key = std::tuple<Uuid, std::string, std::int32_t>;
  struct Partition {
    FetchTarget target;
    // As the reader was last told; -1 makes them news.
    std::int64_t high_watermark = -1;
    std::int64_t log_start_offset = -1;
  };
  // In the order in which they are asked for: what had records goes to the end, so that every
  // partition has its turn.
  struct Session {
    std::map<Key, std::uint64_t> places = {};
    std::map<std::uint64_t, Partition> partitions = {};
    std::uint64_t last_place = 0;
    std::int32_t epoch = 1;
    bool has_topic_ids = false;
    bool is_from_follower = false;
    Instant created;
    Instant used;
    std::size_t counted_size = 0;  // when it was last used

    Partition* find(const Key& key);
    void put(FetchTarget target, std::int64_t high_watermark, std::int64_t log_start_offset);
    void remove(const Key& key);
    void move_to_end(const Key& key);
  };

  static Key key_of(const std::string& topic, const Uuid& topic_id, std::int32_t partition);
  FetchContext begin(const protocol::FetchRequest& request, std::int16_t api_version,
                     std::vector<FetchTarget> targets, Instant now);
  FetchContext go_on(const protocol::FetchRequest& request, bool has_topic_ids,
                     std::vector<FetchTarget> targets, Instant now);
  std::int32_t create(const FetchContext& context, const std::vector<FetchAnswer>& answers,
                      Instant now);
  bool make_room(bool is_from_follower, std::size_t size, Instant now);
  void keep_news(Session& session, std::vector<FetchAnswer>& answers) const;
  std::int32_t new_id();

  std::size_t slots_max_;
  Random random_;
  std::map<std::int32_t, Session> sessions_;
};

}  // namespace fencepost::minibroker
