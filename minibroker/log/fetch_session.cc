#include "minibroker/log/fetch_session.h"

#include <algorithm>
#include <limits>

namespace fencepost::minibroker {

using protocol::ErrorCode;
using protocol::FetchRequest;
using Kind = FetchContext::Kind;

namespace {

constexpr std::int32_t first_epoch = 0;
constexpr std::int32_t final_epoch = -1;
// Kafka's min.incremental.fetch.session.eviction.ms, which is no configuration.
constexpr Duration eviction_age = std::chrono::minutes(2);

std::int32_t next_epoch(std::int32_t epoch) {
  if (epoch < 0) return final_epoch;
  return epoch == std::numeric_limits<std::int32_t>::max() ? 1 : epoch + 1;
}

}  // namespace

// ---- one session

FetchSessions::Key FetchSessions::key_of(const std::string& topic, const Uuid& topic_id,
                                         std::int32_t partition) {
  return topic_id == Uuid() ? Key{topic_id, topic, partition} : Key{topic_id, {}, partition};
}

FetchSessions::Partition* FetchSessions::Session::find(const Key& key) {
  const auto place = places.find(key);
  return place == places.end() ? nullptr : &partitions.at(place->second);
}

void FetchSessions::Session::put(FetchTarget target, std::int64_t high_watermark,
                                 std::int64_t log_start_offset) {
  const Key key = key_of(target.topic, target.topic_id, target.wanted.partition);
  if (!places.emplace(key, last_place + 1).second) return;
  partitions[++last_place] = {std::move(target), high_watermark, log_start_offset};
}

void FetchSessions::Session::remove(const Key& key) {
  const auto place = places.find(key);
  if (place == places.end()) return;
  partitions.erase(place->second);
  places.erase(place);
}

void FetchSessions::Session::move_to_end(const Key& key) {
  std::uint64_t& place = places.at(key);
  auto node = partitions.extract(place);
  node.key() = place = ++last_place;
  partitions.insert(std::move(node));
}

// ---- a request begins

FetchContext FetchSessions::begin(const FetchRequest& request, std::int16_t api_version,
                                  std::vector<FetchTarget> targets, Instant now) {
  const bool has_topic_ids = api_version >= topic_ids_version_min;
  if (targets.size() > 1) {  // asked for twice, a partition is where it is first, as it is last
    std::map<Key, std::size_t> places;
    std::vector<FetchTarget> once;
    for (FetchTarget& target : targets) {
      const Key key = key_of(target.topic, target.topic_id, target.wanted.partition);
      const auto [place, is_new] = places.emplace(key, once.size());
      if (is_new)
        once.push_back(std::move(target));
      else
        once[place->second].wanted = std::move(target.wanted);
    }
    targets = std::move(once);
  }
  FetchContext context;
  const bool is_full = request.session_epoch == first_epoch || request.session_epoch == final_epoch;
  if (is_full) {
    sessions_.erase(request.session_id);
    context.kind = request.session_epoch == final_epoch ? Kind::sessionless : Kind::full;
    context.targets = std::move(targets);
  } else {
    context = go_on(request, has_topic_ids, std::move(targets), now);
  }
  context.has_topic_ids = has_topic_ids;
  return context;
}

FetchContext FetchSessions::go_on(const FetchRequest& request, bool has_topic_ids,
                                  std::vector<FetchTarget> targets, Instant now) {
  const auto refuse = [](ErrorCode error) {
    FetchContext context;
    context.kind = Kind::refused;
    context.error = error;
    return context;
  };
  const auto found = sessions_.find(request.session_id);
  if (found == sessions_.end()) return refuse(ErrorCode::fetch_session_id_not_found);
  Session& session = found->second;
  if (session.epoch != request.session_epoch) return refuse(ErrorCode::invalid_fetch_session_epoch);
  if (session.has_topic_ids != has_topic_ids)
    return refuse(ErrorCode::fetch_session_topic_id_error);
  std::vector<FetchTarget> asked = targets;
  for (FetchTarget& target : targets) {
    const Key key = key_of(target.topic, target.topic_id, target.wanted.partition);
    if (Partition* known = session.find(key))
      known->target.wanted = std::move(target.wanted);
    else
      session.put(std::move(target), -1, -1);
  }
  for (const auto& topic : request.forgotten_topics_data)
    for (const std::int32_t partition : topic.partitions)
      session.remove(key_of(topic.topic, topic.topic_id, partition));
  FetchContext context;
  if (session.partitions.empty()) {
    sessions_.erase(found);
    context.targets = std::move(asked);
    return context;
  }
  session.used = now;
  session.counted_size = session.partitions.size();
  session.epoch = next_epoch(session.epoch);
  context.kind = Kind::incremental;
  context.session_id = request.session_id;
  context.epoch = session.epoch;
  for (const auto& [place, partition] : session.partitions)
    context.targets.push_back(partition.target);
  return context;
}

// ---- its answer

std::pair<ErrorCode, std::int32_t> FetchSessions::end(const FetchContext& context,
                                                      std::vector<FetchAnswer>& answers,
                                                      Instant now) {
  switch (context.kind) {
    case Kind::refused:
      answers.clear();
      return {context.error, 0};
    case Kind::sessionless:
      return {ErrorCode::none, 0};
    case Kind::full:
      return {ErrorCode::none, create(context, answers, now)};
    case Kind::incremental:
      break;
  }
  const auto found = sessions_.find(context.session_id);
  if (found == sessions_.end()) return {ErrorCode::none, context.session_id};
  if (found->second.epoch != context.epoch) {
    answers.clear();
    return {ErrorCode::invalid_fetch_session_epoch, context.session_id};
  }
  keep_news(found->second, answers);
  return {ErrorCode::none, context.session_id};
}

void FetchSessions::keep_news(Session& session, std::vector<FetchAnswer>& answers) const {
  std::erase_if(answers, [&](const FetchAnswer& answer) {
    const auto& data = answer.data;
    const Key key = key_of(answer.topic, answer.topic_id, data.partition_index);
    Partition* known = session.find(key);
    if (known == nullptr) return false;
    const bool has_records = data.records && !data.records->bytes.empty();
    const bool is_news = has_records || known->high_watermark != data.high_watermark ||
                         known->log_start_offset != data.log_start_offset ||
                         data.error_code != ErrorCode::none || data.diverging_epoch.end_offset >= 0;
    // When an error goes away, that is news too.
    known->high_watermark = data.error_code == ErrorCode::none ? data.high_watermark : -1;
    known->log_start_offset = data.log_start_offset;
    if (has_records) session.move_to_end(key);
    return !is_news;
  });
}

std::int32_t FetchSessions::create(const FetchContext& context,
                                   const std::vector<FetchAnswer>& answers, Instant now) {
  if (!make_room(context.is_from_follower, answers.size(), now)) return 0;
  Session session;
  session.has_topic_ids = context.has_topic_ids;
  session.is_from_follower = context.is_from_follower;
  session.created = session.used = now;
  std::map<Key, const FetchTarget*> targets;
  for (const FetchTarget& target : context.targets)
    targets[key_of(target.topic, target.topic_id, target.wanted.partition)] = &target;
  for (const FetchAnswer& answer : answers)
    session.put(*targets.at(key_of(answer.topic, answer.topic_id, answer.data.partition_index)),
                answer.data.high_watermark, answer.data.log_start_offset);
  session.counted_size = session.partitions.size();
  const std::int32_t id = new_id();
  sessions_.emplace(id, std::move(session));
  return id;
}

// A session that has not been used for two minutes gives way to any; one that is older than that,
// to one that is worth more: followers before clients, then by the number of partitions.
bool FetchSessions::make_room(bool is_from_follower, std::size_t size, Instant now) {
  if (sessions_.size() < slots_max_) return true;
  if (sessions_.empty()) return false;
  const auto by_use = [](const auto& entry) { return std::pair(entry.second.used, entry.first); };
  const auto oldest = std::ranges::min_element(sessions_, {}, by_use);
  if (now - oldest->second.used > eviction_age) {
    sessions_.erase(oldest);
    return true;
  }
  using Worth = std::tuple<bool, std::size_t, std::int32_t>;
  std::optional<Worth> least;
  for (const auto& [id, session] : sessions_) {
    const bool is_settled = now - session.created > eviction_age;
    if (!is_settled && (session.is_from_follower || !is_from_follower)) continue;
    const Worth worth{session.is_from_follower, session.counted_size, id};
    if (!least || worth < *least) least = worth;
  }
  if (!least || Worth{is_from_follower, size, 0} < *least) return false;
  sessions_.erase(std::get<2>(*least));
  return true;
}

std::int32_t FetchSessions::new_id() {
  constexpr std::uint64_t ids = std::numeric_limits<std::int32_t>::max();
  std::int32_t id = 0;
  while (id == 0 || sessions_.contains(id)) id = static_cast<std::int32_t>(random_.below(ids));
  return id;
}

void FetchSessions::add_to(Digest& digest) const {
  for (const auto& [id, session] : sessions_) {
    digest.add(id);
    digest.add(session.epoch);
    for (const auto& [place, partition] : session.partitions) {
      digest.add(static_cast<std::int64_t>(place));
      digest.add(partition.target.wanted.fetch_offset);
      digest.add(partition.high_watermark);
    }
  }
}

}  // namespace fencepost::minibroker
