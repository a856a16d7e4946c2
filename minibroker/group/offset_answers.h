// The answers to OffsetCommit and TxnOffsetCommit, which have the same shape: an error code for
// each partition.
#pragma once

#include <string>

#include "protocol/error_code.h"

namespace fencepost::minibroker {

// The request layer knows the id of a topic that was asked for by name, but not always the name of
// one that was asked for by id.
template <class AnswerTopic, class RequestTopic>
bool is_same_topic(const AnswerTopic& answer, const RequestTopic& asked) {
  return answer.name == asked.name && (!asked.name.empty() || answer.topic_id == asked.topic_id);
}

// Adds the partition's error under its topic. `topic` is one of the request's.
template <class Response, class RequestTopic>
void add_error(Response& response, const RequestTopic& topic, std::int32_t partition_index,
               protocol::ErrorCode error) {
  auto found = response.topics.begin();
  while (found != response.topics.end() && !is_same_topic(*found, topic)) ++found;
  if (found == response.topics.end()) {
    found = response.topics.emplace(found);
    found->name = topic.name;
    found->topic_id = topic.topic_id;
  }
  auto& partition = found->partitions.emplace_back();
  partition.partition_index = partition_index;
  partition.error_code = error;
}

template <class Response, class Request>
void add_error_to_all(Response& response, const Request& request, protocol::ErrorCode error) {
  for (const auto& topic : request.topics)
    for (const auto& it : topic.partitions) add_error(response, topic, it.partition_index, error);
}

// What was accepted could not be written after all.
template <class Response>
void fail_accepted(Response& response, protocol::ErrorCode error) {
  for (auto& topic : response.topics)
    for (auto& it : topic.partitions)
      if (it.error_code == protocol::ErrorCode::none) it.error_code = error;
}

}  // namespace fencepost::minibroker
