#include "minibroker/error_answers.h"

#include <algorithm>
#include <array>

#include "protocol/codec.h"
#include "protocol/messages/add_offsets_to_txn.h"
#include "protocol/messages/add_partitions_to_txn.h"
#include "protocol/messages/end_txn.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/headers.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/produce.h"
#include "protocol/messages/sync_group.h"
#include "protocol/messages/txn_offset_commit.h"
#include "protocol/messages/write_txn_markers.h"

namespace fencepost::minibroker {

using namespace protocol;

namespace {

ProduceResponse refuse(const ProduceRequest& request, int, ErrorCode error) {
  ProduceResponse response;
  for (const auto& topic : request.topic_data) {
    auto& answered = response.responses.emplace_back();
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (const auto& partition : topic.partition_data) {
      auto& result = answered.partition_responses.emplace_back();
      result.index = partition.index;
      result.error_code = error;
      result.base_offset = -1;
    }
  }
  return response;
}

FetchResponse refuse(const FetchRequest& request, int version, ErrorCode error) {
  FetchResponse response;
  response.error_code = error;
  if (version >= 13) return response;
  for (const auto& topic : request.topics) {
    auto& answered = response.responses.emplace_back();
    answered.topic = topic.topic;
    for (const auto& partition : topic.partitions) {
      auto& result = answered.partitions.emplace_back();
      result.partition_index = partition.partition;
      result.error_code = error;
      result.high_watermark = -1;
      result.records = Records{};
    }
  }
  return response;
}

// Offsets by topic and partition, in ListOffsets, OffsetCommit and TxnOffsetCommit.
template <class Response, class Request>
Response refuse_partitions(const Request& request, ErrorCode error) {
  Response response;
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    if constexpr (requires { answered.topic_id = topic.topic_id; })
      answered.topic_id = topic.topic_id;
    for (const auto& partition : topic.partitions) {
      auto& result = answered.partitions.emplace_back();
      result.partition_index = partition.partition_index;
      result.error_code = error;
    }
  }
  return response;
}

ListOffsetsResponse refuse(const ListOffsetsRequest& request, int, ErrorCode error) {
  return refuse_partitions<ListOffsetsResponse>(request, error);
}
OffsetCommitResponse refuse(const OffsetCommitRequest& request, int, ErrorCode error) {
  return refuse_partitions<OffsetCommitResponse>(request, error);
}
TxnOffsetCommitResponse refuse(const TxnOffsetCommitRequest& request, int, ErrorCode error) {
  return refuse_partitions<TxnOffsetCommitResponse>(request, error);
}

AddPartitionsToTxnResponse refuse(const AddPartitionsToTxnRequest& request, int version,
                                  ErrorCode error) {
  AddPartitionsToTxnResponse response;
  if (version >= 4) {
    response.error_code = error;
    return response;
  }
  for (const auto& topic : request.v3_and_below_topics) {
    auto& answered = response.results_by_topic_v3_and_below.emplace_back();
    answered.name = topic.name;
    for (std::int32_t partition : topic.partitions)
      answered.results_by_partition.push_back({partition, error, {}});
  }
  return response;
}

WriteTxnMarkersResponse refuse(const WriteTxnMarkersRequest& request, int, ErrorCode error) {
  WriteTxnMarkersResponse response;
  for (const auto& marker : request.markers) {
    auto& answered = response.markers.emplace_back();
    answered.producer_id = marker.producer_id;
    for (const auto& topic : marker.topics) {
      auto& marked = answered.topics.emplace_back();
      marked.name = topic.name;
      for (std::int32_t partition : topic.partition_indexes)
        marked.partitions.push_back({partition, error, {}});
    }
  }
  return response;
}

FindCoordinatorResponse refuse(const FindCoordinatorRequest& request, int version,
                               ErrorCode error) {
  FindCoordinatorResponse response;
  if (version < 4) {
    response.error_code = error;
    response.node_id = -1;
    response.port = -1;
    return response;
  }
  for (const std::string& key : request.coordinator_keys) {
    auto& answered = response.coordinators.emplace_back();
    answered.key = key;
    answered.node_id = -1;
    answered.port = -1;
    answered.error_code = error;
  }
  return response;
}

// The APIs whose answers have one error of their own.
template <class Response, class Request>
Response refuse_whole(const Request&, ErrorCode error) {
  Response response;
  response.error_code = error;
  return response;
}

InitProducerIdResponse refuse(const InitProducerIdRequest& request, int, ErrorCode error) {
  InitProducerIdResponse response = refuse_whole<InitProducerIdResponse>(request, error);
  response.producer_id = -1;
  response.producer_epoch = -1;
  return response;
}
AddOffsetsToTxnResponse refuse(const AddOffsetsToTxnRequest& request, int, ErrorCode error) {
  return refuse_whole<AddOffsetsToTxnResponse>(request, error);
}
EndTxnResponse refuse(const EndTxnRequest& request, int, ErrorCode error) {
  return refuse_whole<EndTxnResponse>(request, error);
}
JoinGroupResponse refuse(const JoinGroupRequest& request, int, ErrorCode error) {
  JoinGroupResponse response = refuse_whole<JoinGroupResponse>(request, error);
  response.member_id = request.member_id;
  response.protocol_name = "";
  return response;
}
SyncGroupResponse refuse(const SyncGroupRequest& request, int, ErrorCode error) {
  return refuse_whole<SyncGroupResponse>(request, error);
}
HeartbeatResponse refuse(const HeartbeatRequest& request, int, ErrorCode error) {
  return refuse_whole<HeartbeatResponse>(request, error);
}
LeaveGroupResponse refuse(const LeaveGroupRequest& request, int, ErrorCode error) {
  return refuse_whole<LeaveGroupResponse>(request, error);
}

template <class Request>
std::optional<Frame> answer_of(const SharedBytes& body, int version, ErrorCode error) {
  const Result<Request> request = Codec<Request>::decode(body, version);
  if (!request) return std::nullopt;
  const auto response = refuse(*request, version, error);
  using Response = std::remove_const_t<decltype(response)>;
  Result<Frame> encoded = Codec<Response>::encode(response, version);
  CHECK(encoded.ok());
  return std::move(*encoded);
}

struct Row {
  ApiKey key;
  std::optional<Frame> (*answer)(const SharedBytes& body, int version, ErrorCode error);
};

constexpr std::array rows{
    Row{ApiKey::produce, answer_of<ProduceRequest>},
    Row{ApiKey::fetch, answer_of<FetchRequest>},
    Row{ApiKey::list_offsets, answer_of<ListOffsetsRequest>},
    Row{ApiKey::offset_commit, answer_of<OffsetCommitRequest>},
    Row{ApiKey::find_coordinator, answer_of<FindCoordinatorRequest>},
    Row{ApiKey::join_group, answer_of<JoinGroupRequest>},
    Row{ApiKey::heartbeat, answer_of<HeartbeatRequest>},
    Row{ApiKey::leave_group, answer_of<LeaveGroupRequest>},
    Row{ApiKey::sync_group, answer_of<SyncGroupRequest>},
    Row{ApiKey::init_producer_id, answer_of<InitProducerIdRequest>},
    Row{ApiKey::add_partitions_to_txn, answer_of<AddPartitionsToTxnRequest>},
    Row{ApiKey::add_offsets_to_txn, answer_of<AddOffsetsToTxnRequest>},
    Row{ApiKey::end_txn, answer_of<EndTxnRequest>},
    Row{ApiKey::write_txn_markers, answer_of<WriteTxnMarkersRequest>},
    Row{ApiKey::txn_offset_commit, answer_of<TxnOffsetCommitRequest>},
};

struct Prefix {
  ApiKey key;
  std::int16_t version;
  std::int32_t correlation_id;
};

Prefix prefix_of(const SharedBytes& frame) {
  Reader reader(frame);
  const auto key = static_cast<ApiKey>(reader.int16());
  const std::int16_t version = reader.int16();
  return {key, version, reader.int32()};
}

}  // namespace

bool can_answer_with_error(ApiKey key) {
  return std::ranges::find(rows, key, &Row::key) != rows.end();
}

std::optional<Frame> error_answer(const SharedBytes& request_frame, ErrorCode error) {
  const Prefix prefix = prefix_of(request_frame);
  const auto row = std::ranges::find(rows, prefix.key, &Row::key);
  if (row == rows.end() || !find_api(prefix.key)->versions().contains(prefix.version))
    return std::nullopt;
  Reader reader(request_frame);
  RequestHeader header;
  const int header_version = request_header_version(*find_api(prefix.key), prefix.version);
  if (!Codec<RequestHeader>::decode(reader, header_version, header)) return std::nullopt;
  return row->answer(request_frame.slice(reader.offset(), reader.remaining()), prefix.version,
                     error);
}

Frame answer_header(const SharedBytes& request_frame) {
  const Prefix prefix = prefix_of(request_frame);
  Writer writer;
  const ResponseHeader header{prefix.correlation_id, {}};
  const Result<void> written = Codec<ResponseHeader>::encode(
      writer, header, response_header_version(*find_api(prefix.key), prefix.version));
  CHECK(written.ok());
  return writer.finish();
}

}  // namespace fencepost::minibroker
