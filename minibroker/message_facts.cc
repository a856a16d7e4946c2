#include "minibroker/message_facts.h"

#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/headers.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

void add_facts(const ProduceRequest& request, sim::MessageFacts& facts) {
  if (request.transactional_id) facts.transactional_ids.push_back(*request.transactional_id);
  for (const auto& topic : request.topic_data) facts.topics.push_back(topic.name);
}
void add_facts(const FetchRequest& request, sim::MessageFacts& facts) {
  for (const auto& topic : request.topics) facts.topics.push_back(topic.topic);
}
void add_facts(const ListOffsetsRequest& request, sim::MessageFacts& facts) {
  for (const auto& topic : request.topics) facts.topics.push_back(topic.name);
}
void add_facts(const InitProducerIdRequest& request, sim::MessageFacts& facts) {
  if (request.transactional_id) facts.transactional_ids.push_back(*request.transactional_id);
}
void add_facts(const AddPartitionsToTxnRequest& request, sim::MessageFacts& facts) {
  facts.transactional_ids.push_back(request.v3_and_below_transactional_id);
  for (const auto& topic : request.v3_and_below_topics) facts.topics.push_back(topic.name);
  for (const auto& transaction : request.transactions) {
    facts.transactional_ids.push_back(transaction.transactional_id);
    for (const auto& topic : transaction.topics) facts.topics.push_back(topic.name);
  }
}
void add_facts(const AddOffsetsToTxnRequest& request, sim::MessageFacts& facts) {
  facts.transactional_ids.push_back(request.transactional_id);
}
void add_facts(const EndTxnRequest& request, sim::MessageFacts& facts) {
  facts.transactional_ids.push_back(request.transactional_id);
}
void add_facts(const TxnOffsetCommitRequest& request, sim::MessageFacts& facts) {
  facts.transactional_ids.push_back(request.transactional_id);
  for (const auto& topic : request.topics) facts.topics.push_back(topic.name);
}
void add_facts(const WriteTxnMarkersRequest& request, sim::MessageFacts& facts) {
  for (const auto& marker : request.markers)
    for (const auto& topic : marker.topics) facts.topics.push_back(topic.name);
}

template <class Request>
void read_facts(Reader& reader, int version, sim::MessageFacts& facts) {
  Request request;
  if (Codec<Request>::decode(reader, version, request)) add_facts(request, facts);
}

void read_body_facts(Reader& reader, int version, sim::MessageFacts& facts) {
  switch (facts.api_key) {
    case ApiKey::produce:
      return read_facts<ProduceRequest>(reader, version, facts);
    case ApiKey::fetch:
      return read_facts<FetchRequest>(reader, version, facts);
    case ApiKey::list_offsets:
      return read_facts<ListOffsetsRequest>(reader, version, facts);
    case ApiKey::init_producer_id:
      return read_facts<InitProducerIdRequest>(reader, version, facts);
    case ApiKey::add_partitions_to_txn:
      return read_facts<AddPartitionsToTxnRequest>(reader, version, facts);
    case ApiKey::add_offsets_to_txn:
      return read_facts<AddOffsetsToTxnRequest>(reader, version, facts);
    case ApiKey::end_txn:
      return read_facts<EndTxnRequest>(reader, version, facts);
    case ApiKey::txn_offset_commit:
      return read_facts<TxnOffsetCommitRequest>(reader, version, facts);
    case ApiKey::write_txn_markers:
      return read_facts<WriteTxnMarkersRequest>(reader, version, facts);
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

sim::MessageFacts facts_of(const SharedBytes& frame) {
  sim::MessageFacts facts;
  Reader reader(frame);
  int version = 0;
  if (read_header(reader, frame, facts, version)) read_body_facts(reader, version, facts);
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
