#include "minibroker/message_facts.h"

#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_transactions.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/headers.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/metadata.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/offset_for_leader_epoch.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

// Takes down what a request names, by name or by number.
class FactsOf {
 public:
  FactsOf(sim::MessageFacts& facts, const NamesByNumber& names) : facts_(facts), names_(names) {}

  void operator()(const ProduceRequest& it) {
    if (it.transactional_id) add_transaction(*it.transactional_id);
    for (const auto& topic : it.topic_data) add_topic(topic.name, topic.topic_id);
  }
  void operator()(const FetchRequest& it) {
    for (const auto& topic : it.topics) add_topic(topic.topic, topic.topic_id);
  }
  void operator()(const InitProducerIdRequest& it) {
    if (it.transactional_id) add_transaction(*it.transactional_id);
  }
  void operator()(const AddPartitionsToTxnRequest& it) {
    add_transaction(it.v3_and_below_transactional_id);
    add_topics(it.v3_and_below_topics);
    for (const auto& transaction : it.transactions) {
      add_transaction(transaction.transactional_id);
      add_topics(transaction.topics);
    }
  }
  void operator()(const AddOffsetsToTxnRequest& it) { add_transaction(it.transactional_id); }
  void operator()(const EndTxnRequest& it) { add_transaction(it.transactional_id); }
  void operator()(const TxnOffsetCommitRequest& it) {
    add_transaction(it.transactional_id);
    for (const auto& topic : it.topics) add_topic(topic.name, topic.topic_id);
  }
  void operator()(const OffsetCommitRequest& it) {
    for (const auto& topic : it.topics) add_topic(topic.name, topic.topic_id);
  }
  void operator()(const OffsetFetchRequest& it) {
    if (it.topics) add_topics(*it.topics);
    for (const auto& group : it.groups)
      if (group.topics)
        for (const auto& topic : *group.topics) add_topic(topic.name, topic.topic_id);
  }
  // A marker says whose it is by producer id alone.
  void operator()(const WriteTxnMarkersRequest& it) {
    for (const auto& marker : it.markers) {
      add_transaction(names_.transactional_id(marker.producer_id));
      add_topics(marker.topics);
    }
  }
  void operator()(const FindCoordinatorRequest& it) {
    if (it.key_type != transaction_key_type) return;
    add_transaction(it.key);
    for (const std::string& key : it.coordinator_keys) add_transaction(key);
  }
  void operator()(const DescribeTransactionsRequest& it) {
    for (const std::string& id : it.transactional_ids) add_transaction(id);
  }
  void operator()(const ListOffsetsRequest& it) { add_topics(it.topics); }
  void operator()(const OffsetForLeaderEpochRequest& it) {
    for (const auto& topic : it.topics) add_topic(topic.topic, {});
  }
  void operator()(const DeleteRecordsRequest& it) { add_topics(it.topics); }
  void operator()(const DescribeProducersRequest& it) { add_topics(it.topics); }
  void operator()(const MetadataRequest& it) {
    if (!it.topics) return;
    for (const auto& topic : *it.topics) add_topic(topic.name.value_or(""), topic.topic_id);
  }

 private:
  static constexpr std::int8_t transaction_key_type = 1;

  template <class Topics>
  void add_topics(const Topics& topics) {
    for (const auto& topic : topics) add_topic(topic.name, {});
  }
  void add_topic(const std::string& name, const Uuid& id) {
    facts_.topics.push_back(name.empty() ? names_.topic(id) : name);
  }
  void add_transaction(const std::string& id) {
    if (!id.empty()) facts_.transactional_ids.push_back(id);
  }

  sim::MessageFacts& facts_;
  const NamesByNumber& names_;
};

template <class Request>
void read_facts(Reader& reader, int version, FactsOf add) {
  Request request;
  if (Codec<Request>::decode(reader, version, request)) add(request);
}

void read_body_facts(Reader& reader, int version, ApiKey api_key, FactsOf add) {
  switch (api_key) {
    case ApiKey::produce:
      return read_facts<ProduceRequest>(reader, version, add);
    case ApiKey::fetch:
      return read_facts<FetchRequest>(reader, version, add);
    case ApiKey::list_offsets:
      return read_facts<ListOffsetsRequest>(reader, version, add);
    case ApiKey::metadata:
      return read_facts<MetadataRequest>(reader, version, add);
    case ApiKey::offset_commit:
      return read_facts<OffsetCommitRequest>(reader, version, add);
    case ApiKey::offset_fetch:
      return read_facts<OffsetFetchRequest>(reader, version, add);
    case ApiKey::find_coordinator:
      return read_facts<FindCoordinatorRequest>(reader, version, add);
    case ApiKey::delete_records:
      return read_facts<DeleteRecordsRequest>(reader, version, add);
    case ApiKey::init_producer_id:
      return read_facts<InitProducerIdRequest>(reader, version, add);
    case ApiKey::offset_for_leader_epoch:
      return read_facts<OffsetForLeaderEpochRequest>(reader, version, add);
    case ApiKey::add_partitions_to_txn:
      return read_facts<AddPartitionsToTxnRequest>(reader, version, add);
    case ApiKey::add_offsets_to_txn:
      return read_facts<AddOffsetsToTxnRequest>(reader, version, add);
    case ApiKey::end_txn:
      return read_facts<EndTxnRequest>(reader, version, add);
    case ApiKey::write_txn_markers:
      return read_facts<WriteTxnMarkersRequest>(reader, version, add);
    case ApiKey::txn_offset_commit:
      return read_facts<TxnOffsetCommitRequest>(reader, version, add);
    case ApiKey::describe_producers:
      return read_facts<DescribeProducersRequest>(reader, version, add);
    case ApiKey::describe_transactions:
      return read_facts<DescribeTransactionsRequest>(reader, version, add);
    default:
      return;  // nothing in it that a rule could aim at
  }
}

std::string client_id_of(Purpose purpose, int broker_id) {
  const std::string broker = "broker-" + std::to_string(broker_id);
  switch (purpose) {
    case Purpose::replication:
      return broker + "-fetcher";
    case Purpose::markers:
      return broker + "-txn-markers";
    case Purpose::verification:
      return broker + "-txn-verification";
  }
  return broker;
}

}  // namespace

namespace {

// Reads key, version and client id; `reader` is at the body then. False for what is no request.
bool read_header(Reader& reader, const SharedBytes& frame, sim::MessageFacts& facts, int& version) {
  Reader prefix(frame);
  facts.api_key = static_cast<ApiKey>(prefix.int16());
  version = prefix.int16();
  const Api* api = find_api(facts.api_key);
  if (prefix.failed() || api == nullptr || !api->versions().contains(version)) return false;
  RequestHeader header;
  if (!Codec<RequestHeader>::decode(reader, request_header_version(*api, version), header))
    return false;
  facts.client_id = header.client_id.value_or("");
  return true;
}

}  // namespace

sim::MessageFacts facts_of(const SharedBytes& frame, const NamesByNumber& names) {
  sim::MessageFacts facts;
  Reader reader(frame);
  int version = 0;
  if (read_header(reader, frame, facts, version))
    read_body_facts(reader, version, facts.api_key, FactsOf(facts, names));
  return facts;
}

std::string client_id_of(const SharedBytes& frame) {
  sim::MessageFacts facts;
  Reader reader(frame);
  int version = 0;
  (void)read_header(reader, frame, facts, version);
  return facts.client_id;
}

std::int32_t correlation_id_of(const SharedBytes& frame) {
  Reader reader(frame);
  reader.skip(4);
  return reader.int32();
}

Frame broker_request_frame(const BrokerRequest& request, int from_broker) {
  const Api* api = find_api(request.api_key);
  RequestHeader header;
  header.request_api_key = static_cast<std::int16_t>(request.api_key);
  header.request_api_version = request.api_version;
  header.correlation_id = static_cast<std::int32_t>(request.token);
  header.client_id = client_id_of(request.purpose, from_broker);
  Writer writer;
  const Result<void> written = Codec<RequestHeader>::encode(
      writer, header, request_header_version(*api, request.api_version));
  CHECK(written.ok());
  Frame frame = writer.finish();
  frame.append(request.body);
  return frame;
}

}  // namespace fencepost::minibroker
