#include "minibroker/broker.h"

#include "minibroker/handlers/handlers.h"
#include "protocol/messages/headers.h"

namespace fencepost::minibroker {

namespace {

transaction::TransactionSettings transaction_settings(const ClusterSettings& settings) {
  transaction::TransactionSettings out;
  out.partition_count = settings.transaction_state_log_num_partitions;
  out.max_timeout = settings.transaction_max_timeout;
  out.abort_sweep_interval = settings.transaction_abort_timed_out_transaction_cleanup_interval;
  out.first_producer_epoch = static_cast<std::int16_t>(settings.first_producer_epoch);
  out.expiration = settings.transactional_id_expiration;
  return out;
}

GroupSettings group_settings(const ClusterSettings& settings) {
  GroupSettings out;
  out.offsets_partition_count = settings.offsets_topic_num_partitions;
  out.min_session_timeout = settings.group_min_session_timeout;
  out.max_session_timeout = settings.group_max_session_timeout;
  out.initial_rebalance_delay = settings.group_initial_rebalance_delay;
  out.max_size = settings.group_max_size;
  out.consumer.session_timeout = settings.group_consumer_session_timeout;
  out.consumer.heartbeat_interval = settings.group_consumer_heartbeat_interval;
  out.consumer.assignment_interval = settings.group_consumer_assignment_interval;
  out.consumer.regex_refresh_interval = settings.group_consumer_regex_refresh_interval;
  out.consumer.max_size = settings.group_consumer_max_size;
  out.consumer.assignors = split_at_commas(settings.group_consumer_assignors);
  out.consumer.migration_policy = *migration_policy(settings.group_consumer_migration_policy);
  out.offset_metadata_max_bytes = settings.offset_metadata_max_bytes;
  return out;
}

}  // namespace

Broker::Broker(int id, const ClusterSettings& settings)
    : id_(id),
      settings_(settings),
      nonces_(settings.seed ^ settings.sasl.entropy, "nonces-" + std::to_string(id)),
      replicas_(id, settings),
      transactions_(transaction_settings(settings), settings.era, settings.start),
      groups_(group_settings(settings), settings.era,
              settings.seed + static_cast<std::uint64_t>(id)),
      fetch_sessions_(static_cast<std::size_t>(settings.max_incremental_fetch_session_cache_slots),
                      Random(settings.seed + static_cast<std::uint64_t>(id), "fetch sessions")),
      maintenance_(settings) {}

void Broker::connect(std::int64_t connection, security::Origin origin) {
  Connection& opened = connections_[connection];
  if (security::uses_sasl(origin.protocol)) opened.sasl.emplace();
  opened.identity = std::make_shared<const security::Identity>(
      security::Identity{std::move(origin.principal), std::move(origin.address),
                         std::move(origin.listener), origin.is_broker});
}

std::size_t Broker::waiting_bytes(std::int64_t connection) const {
  const auto found = connections_.find(connection);
  return found == connections_.end() ? 0 : found->second.waiting_bytes;
}

security::SaslSession* Broker::sasl_session(std::int64_t connection) {
  const auto found = connections_.find(connection);
  return found != connections_.end() && found->second.sasl ? &*found->second.sasl : nullptr;
}

bool Broker::has_to_authenticate(std::int64_t connection) const {
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.sasl) return false;
  return found->second.sasl->state != security::SaslSession::State::complete;
}

void Broker::authenticate(std::int64_t connection, std::string principal) {
  Connection& authenticated = connections_.at(connection);
  security::Identity identity = *authenticated.identity;
  identity.principal = std::move(principal);
  authenticated.identity = std::make_shared<const security::Identity>(std::move(identity));
}

std::string Broker::next_nonce() {
  constexpr std::size_t nonce_bytes = 18;
  return to_base64(security::random_bytes(nonces_, nonce_bytes).view());
}

void Broker::disconnect(std::int64_t connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second.is_gone = true;
  std::erase_if(fetches_,
                [&](const auto& entry) { return entry.second.request.connection == connection; });
  const bool is_done = !found->second.is_busy && found->second.waiting.empty();
  if (is_done || found->second.is_stuck) connections_.erase(found);
}

void Broker::receive(Turn& turn, std::int64_t connection, SharedBytes frame) {
  // A request may outlive its connection in the network: it was sent before the client left.
  const auto [entry, is_late] = connections_.try_emplace(connection);
  if (is_late) {
    entry->second.is_gone = true;
    entry->second.identity = std::make_shared<const security::Identity>();
  }
  entry->second.waiting_bytes += frame.size();
  entry->second.waiting.push_back(std::move(frame));
  if (!entry->second.is_busy && entry->second.waiting.size() == 1) ready_.push_back(connection);
  handle_ready(turn);
}

void Broker::handle_ready(Turn& turn) {
  settle(turn);
  while (!ready_.empty()) {
    const std::int64_t id = ready_.front();
    ready_.pop_front();
    const auto found = connections_.find(id);
    if (found == connections_.end() || found->second.is_busy || found->second.waiting.empty())
      continue;
    Connection& connection = found->second;
    const SharedBytes frame = std::move(connection.waiting.front());
    connection.waiting.pop_front();
    connection.waiting_bytes -= frame.size();
    connection.is_busy = true;
    handlers::dispatch(*this, turn, id, connection.identity, frame);
    settle(turn);
  }
}

void Broker::finish(std::int64_t connection) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  found->second.is_busy = false;
  if (!found->second.waiting.empty())
    ready_.push_back(connection);
  else if (found->second.is_gone)
    connections_.erase(found);
}

void Broker::send(Reply reply) {
  const protocol::Api* api = protocol::find_api(reply.request.api_key);
  protocol::Writer writer;
  const protocol::ResponseHeader header{reply.request.correlation_id, {}};
  const Result<void> written = protocol::Codec<protocol::ResponseHeader>::encode(
      writer, header, protocol::response_header_version(*api, reply.request.api_version));
  CHECK(written.ok());
  answers_.push_back({reply.request.connection, reply.request.correlation_id, writer.finish(),
                      std::move(reply.body), false});
  finish(reply.request.connection);
}

void Broker::send_raw(const RequestContext& request, const SharedBytes& bytes) {
  answers_.push_back({request.connection, request.correlation_id, {}, Frame(bytes), false});
  finish(request.connection);
}

void Broker::finish_silently(const RequestContext& request) {
  finish(request.connection);
}

void Broker::leave_unanswered(const RequestContext& request) {
  const auto found = connections_.find(request.connection);
  if (found == connections_.end()) return;
  found->second.is_stuck = true;
  if (found->second.is_gone) connections_.erase(found);
}

void Broker::close(const RequestContext& request) {
  answers_.push_back({request.connection, request.correlation_id, {}, {}, true});
  connections_.erase(request.connection);
}

void Broker::follow_settings(const MetadataImage& image) {
  settings_version_ = image.settings_version;
  settings_ = image.settings_of(id_);
  replicas_.change_settings(settings_);
  transactions_.change_settings(transaction_settings(settings_), settings_.era);
  groups().change_settings(group_settings(settings_), settings_.era);
  maintenance_.change_settings(settings_);
}

void Broker::apply_metadata(Turn& turn) {
  if (metadata_version_ == turn.controller.version()) return;
  metadata_version_ = turn.controller.version();
  if (settings_version_ != turn.controller.image()->settings_version)
    follow_settings(*turn.controller.image());
  std::map<std::string, TopicFacts> topics;
  for (const auto& [name, image] : turn.controller.topics())
    topics[name] = {image.id, static_cast<std::int32_t>(image.partitions.size())};
  groups().set_authorizer(turn.controller.image()->authorizer);
  groups().update_topics(topics, metadata_version_);
  follow_roles(turn, replicas_.apply(*turn.controller.image(), turn.now));
  for (const TopicPartition& partition : replicas_.take_configured()) {
    maintenance_.forget(partition);
    maintenance_.on_changed(partition, replicas_.find(partition)->log, turn.now);
  }
  start_replica_fetches(turn.now);
  handle_ready(turn);
}

std::optional<Instant> Broker::next_deadline() const {
  std::optional<Instant> next = replicas_.next_deadline();
  const auto consider = [&next](std::optional<Instant> deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  consider(transactions_.next_deadline());
  if (!group_deadline_) group_deadline_ = groups_.next_deadline();
  consider(*group_deadline_);
  consider(maintenance_.next_deadline());
  if (!resumes_.empty()) consider(resumes_.begin()->first);
  for (const auto& [id, fetch] : fetches_) consider(fetch.deadline);
  for (const auto& [token, sent] : sent_) consider(sent.deadline);
  for (const auto& [partition, until] : fetch_backoffs_) consider(until);
  for (const auto& [partition, load] : loads_) consider(load.done);
  return next;
}

void Broker::advance(Turn& turn) {
  load_due(turn.now);
  replicas_.expire_waits(turn.now);
  replicas_.shrink_in_sync_replicas(turn.controller, turn.now);
  std::vector<std::uint64_t> late;
  for (const auto& [token, sent] : sent_)
    if (sent.deadline <= turn.now) late.push_back(token);
  give_up(turn, late);
  retry_replica_fetches(turn.now);
  transactions_.advance_to(turn.now);
  groups().advance_to(turn.now);
  maintain_logs(turn);
  while (!resumes_.empty() && resumes_.begin()->first <= turn.now) {
    const OperationId operation = resumes_.begin()->second;
    resumes_.erase(resumes_.begin());
    resume(turn, operation);
  }
  std::vector<OperationId> due;
  for (const auto& [id, fetch] : fetches_)
    if (fetch.deadline <= turn.now) due.push_back(id);
  for (OperationId id : due) {
    handlers::answer_fetch(*this, turn, fetches_.at(id), handlers::FetchMoment::at_deadline);
    fetches_.erase(id);
  }
  handle_ready(turn);
}

}  // namespace fencepost::minibroker
