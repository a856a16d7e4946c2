// The verbs of a producer. Below transaction version 2, produce and txn_offset_commit first send
// what a client of that age sends first, once in a transaction.
#include "fencing/generation_fence.h"
#include "tools/scenario/attempts.h"

namespace fencepost::scenario {

namespace {

using client::CallOptions;
using client::ProducerOverrides;
using client::TransactionalSession;
using namespace protocol;  // the messages

// The versions from which the brokers add partitions and offsets to the transaction (KIP-890).
constexpr std::int64_t produce_adds_partitions_since = 12;
constexpr std::int64_t commit_adds_offsets_since = 5;
// The version from which an offset commit shows the member (KIP-447).
constexpr std::int64_t commit_shows_member_since = 3;

ProducerOverrides overrides_of(const StepRun& run, CallOptions options) {
  ProducerOverrides overrides;
  overrides.producer_id = run.arguments().integer("producer_id");
  if (const auto epoch = run.arguments().integer("producer_epoch"))
    overrides.producer_epoch = static_cast<std::int16_t>(*epoch);
  overrides.call = options;
  return overrides;
}

CallOptions without_version(CallOptions options) {
  options.version_max.reset();
  options.own_connection = false;
  options.timeout.reset();
  return options;
}

// The actor's session, or one with the transactional id that the step gives.
TransactionalSession& session_of(StepRun& run) {
  Actor& actor = *run.actor;
  const Arguments& arguments = run.arguments();
  if (actor.sessions.empty() || arguments.has("transactional_id")) {
    std::optional<std::string> id;
    if (const auto given = arguments.text("transactional_id")) id = run.naming->real(*given);
    const bool is_same = !actor.sessions.empty() && actor.sessions.back()->transactional_id() == id;
    if (!is_same) {
      auto session = std::make_unique<TransactionalSession>(actor.client, id);
      if (!actor.sessions.empty()) session->set_identity(actor.sessions.back()->identity());
      actor.sessions.push_back(std::move(session));
    }
  }
  return *actor.sessions.back();
}

client::ProducerIdentity identity_of(const StepRun& run, const TransactionalSession& session) {
  client::ProducerIdentity identity = session.identity();
  identity.id = run.arguments().integer("producer_id").value_or(identity.id);
  identity.epoch =
      static_cast<std::int16_t>(run.arguments().integer("producer_epoch").value_or(identity.epoch));
  return identity;
}

asio::awaitable<void> init_producer_id(StepRun& run) {
  TransactionalSession& session = session_of(run);
  const Duration timeout =
      run.arguments().duration("transaction_timeout").value_or(std::chrono::seconds(60));
  run.actor->added_partitions.clear();
  run.actor->added_groups.clear();
  const Call<InitProducerIdResponse> call = [&run, &session, timeout](CallOptions options) {
    return session.init_producer_id(timeout, overrides_of(run, options));
  };
  const Result<InitProducerIdResponse> response =
      co_await attempt<InitProducerIdResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (!response) co_return;
  if (run.answer.outcome == "NONE") run.actor->leave_transaction();
  run.answer.set("producer_id", number_node(response->producer_id));
  run.answer.set("producer_epoch", number_node(response->producer_epoch));
}

asio::awaitable<void> add_partitions(StepRun& run, TransactionalSession& session,
                                     const std::vector<TopicPartition>& partitions, bool is_step) {
  std::vector<client::TopicPartition> real;
  for (const TopicPartition& it : partitions) real.push_back(run.naming->real(it));
  const Call<AddPartitionsToTxnResponse> call = [&run, &session, real,
                                                 is_step](CallOptions options) {
    return session.add_partitions_to_txn(
        real, overrides_of(run, is_step ? options : without_version(options)));
  };
  const Result<AddPartitionsToTxnResponse> response =
      co_await attempt<AddPartitionsToTxnResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  run.actor->added_partitions.insert(partitions.begin(), partitions.end());
}

asio::awaitable<void> add_offsets(StepRun& run, TransactionalSession& session,
                                  const std::string& group, bool is_step) {
  const Call<AddOffsetsToTxnResponse> call = [&run, &session, group, is_step](CallOptions options) {
    return session.add_offsets_to_txn(
        run.naming->real(group), overrides_of(run, is_step ? options : without_version(options)));
  };
  const Result<AddOffsetsToTxnResponse> response =
      co_await attempt<AddOffsetsToTxnResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (run.answer.outcome == "NONE") run.actor->added_groups.insert(group);
}

// Whether the client has to send the Add request itself, by version and by what the file says.
bool must_add(const StepRun& run, const TransactionalSession& session, const char* argument,
              std::int64_t brokers_add_since) {
  const auto version = run.arguments().integer("version");
  const bool is_old = session.needs_add_partitions() || (version && *version < brokers_add_since);
  return is_old && session.transactional_id().has_value() &&
         run.arguments().boolean(argument).value_or(true);
}

NewRecord record_of(const StepRun& run, const KeyValue& it) {
  NewRecord record;
  record.timestamp = no_timestamp;
  if (const auto age = run.arguments().duration("age"))
    record.timestamp = to_timestamp(run.world->clock().now() - *age);
  if (it.key) record.key = SharedBytes::copy_of(*it.key);
  if (it.value) record.value = SharedBytes::copy_of(*it.value);
  return record;
}

std::vector<KeyValue> written_records(const StepRun& run) {
  std::vector<KeyValue> records = run.arguments().records("records");
  if (records.empty())
    records.push_back({run.arguments().text("key"), run.arguments().text("value")});
  return records;
}

client::ProduceCall produce_call(const StepRun& run, CallOptions options) {
  const Arguments& arguments = run.arguments();
  client::ProduceCall call;
  call.partition = run.naming->real(arguments.partitions("to").front());
  for (const KeyValue& it : written_records(run)) call.records.push_back(record_of(run, it));
  if (const auto sequence = arguments.integer("base_sequence"))
    call.base_sequence = static_cast<std::int32_t>(*sequence);
  call.is_transactional = arguments.boolean("transactional").value_or(true);
  call.acks = static_cast<std::int16_t>(arguments.integer("acks").value_or(-1));
  call.overrides = overrides_of(run, options);
  return call;
}

asio::awaitable<void> produce(StepRun& run) {
  TransactionalSession& session = session_of(run);
  const TopicPartition partition = run.arguments().partitions("to").front();
  const bool is_transactional = run.arguments().boolean("transactional").value_or(true);
  if (is_transactional && run.actor->added_partitions.count(partition) == 0 &&
      must_add(run, session, "add_partitions", produce_adds_partitions_since)) {
    const std::vector<TopicPartition> added{partition};
    co_await add_partitions(run, session, added, false);
    if (run.answer.outcome != "NONE") co_return;
  }
  const client::ProducerIdentity identity = identity_of(run, session);
  const int transaction = run.actor->use_transaction();
  const Call<ProduceResponse> call = [&run, &session](CallOptions options) {
    return session.produce(produce_call(run, options));
  };
  const Result<ProduceResponse> response = co_await attempt<ProduceResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  std::int64_t offset = -1;
  for (const auto& topic : response->responses)
    for (const auto& it : topic.partition_responses) offset = it.base_offset;
  run.answer.set("offset", number_node(offset));
  run.deeds.writes.push_back({run.actor->name, identity.id, identity.epoch, partition, offset,
                              transaction, written_records(run), run.is_in_background()});
}

// What the commit shows of the member.
client::GroupMetadata shown_member(const StepRun& run, const std::string& group) {
  const Arguments& arguments = run.arguments();
  client::GroupMetadata metadata;
  const auto member = run.actor->members.find(group);
  if (member != run.actor->members.end()) metadata = member->second->metadata();
  const auto consumer = run.actor->consumers.find(group);
  if (consumer != run.actor->consumers.end()) {
    metadata.generation = consumer->second.epoch;
    metadata.member_id = consumer->second.member_id;
  }
  metadata.group_id = run.naming->real(group);
  if (const auto generation = arguments.integer("generation"))
    metadata.generation = static_cast<std::int32_t>(*generation);
  if (const auto member_id = arguments.text("member_id")) metadata.member_id = *member_id;
  if (arguments.has("group_instance_id"))
    metadata.group_instance_id = arguments.text("group_instance_id");
  const auto version = arguments.integer("version");
  if (version && *version < commit_shows_member_since)
    metadata = {metadata.group_id, client::unknown_generation, "", std::nullopt};
  return metadata;
}

asio::awaitable<void> txn_offset_commit(StepRun& run) {
  TransactionalSession& session = session_of(run);
  const Arguments& arguments = run.arguments();
  const std::string group = arguments.text("group").value_or(run.actor->group);
  run.actor->group = group;
  const client::GroupMetadata metadata = shown_member(run, group);
  const fencing::GenerationFence fence([metadata] { return metadata; });
  const bool is_fenced = arguments.boolean("fence").value_or(run.fence == Fence::generation);
  if (is_fenced && fence.check().outcome == fencing::FenceOutcome::unknown_generation) {
    run.answer.outcome = "REFUSED_LOCALLY";
    run.answer.detail = "the generation is unknown; nothing was sent";
    co_return;
  }
  if (run.actor->added_groups.count(group) == 0 &&
      must_add(run, session, "add_offsets", commit_adds_offsets_since)) {
    co_await add_offsets(run, session, group, false);
    if (run.answer.outcome != "NONE") co_return;
  }
  std::vector<client::CommittedOffset> offsets;
  for (const auto& [partition, offset] : arguments.offsets("offsets"))
    offsets.push_back({run.naming->real(partition), offset});
  const Call<TxnOffsetCommitResponse> call = [&run, &session, metadata,
                                              offsets](CallOptions options) {
    return session.txn_offset_commit(metadata, offsets, overrides_of(run, options));
  };
  const Result<TxnOffsetCommitResponse> response =
      co_await attempt<TxnOffsetCommitResponse>(run, call);
  run.answer = response ? answer_of(client::first_error(*response)) : answer_of(response.error());
  const auto member = run.actor->members.find(group);
  if (response && run.answer.outcome != "NONE" && member != run.actor->members.end())
    run.deeds.refusals.push_back({run.actor->name, group, member->second->member_id(),
                                  member->second->generation(), run.answer.outcome});
}

asio::awaitable<void> end_txn(StepRun& run) {
  TransactionalSession& session = session_of(run);
  const bool is_commit = run.arguments().text("result") == "commit";
  const int transaction = run.actor->use_transaction();
  const Call<EndTxnResponse> call = [&run, &session, is_commit](CallOptions options) {
    return session.end_txn(is_commit, overrides_of(run, options));
  };
  const Result<EndTxnResponse> response = co_await attempt<EndTxnResponse>(run, call);
  run.answer = response ? answer_of(response->error_code) : answer_of(response.error());
  if (run.answer.outcome != "NONE") co_return;
  run.actor->added_partitions.clear();
  run.actor->added_groups.clear();
  run.deeds.ends.push_back({run.actor->name, transaction, is_commit});
  if (transaction == run.actor->transaction) run.actor->leave_transaction();
  run.answer.set("producer_id", number_node(session.identity().id));
  run.answer.set("producer_epoch", number_node(session.identity().epoch));
}

}  // namespace

asio::awaitable<bool> perform_producer_verb(StepRun& run) {
  const std::string_view verb = run.step->verb->name;
  if (verb == "init_producer_id") {
    co_await init_producer_id(run);
  } else if (verb == "add_partitions_to_txn") {
    const std::vector<TopicPartition> partitions = run.arguments().partitions("partitions");
    co_await add_partitions(run, session_of(run), partitions, true);
  } else if (verb == "produce") {
    co_await produce(run);
  } else if (verb == "add_offsets_to_txn") {
    const std::string group = run.arguments().text("group").value_or(run.actor->group);
    run.actor->group = group;
    co_await add_offsets(run, session_of(run), group, true);
  } else if (verb == "txn_offset_commit") {
    co_await txn_offset_commit(run);
  } else if (verb == "end_txn") {
    co_await end_txn(run);
  } else {
    co_return false;
  }
  co_return true;
}

}  // namespace fencepost::scenario
