// What a session's requests name, and what the answers make of it.
#include "client/fetch_session.h"

#include "tests/catch.h"

using namespace fencepost;
using namespace fencepost::client;
using protocol::ErrorCode;
using protocol::FetchRequest;
using protocol::FetchResponse;

namespace {

const Uuid topic_id{{7}};

FetchSession::Wanted at(std::int64_t offset, Uuid id = topic_id) {
  FetchSession::Wanted wanted;
  wanted.topic_id = id;
  wanted.fetch_offset = offset;
  return wanted;
}

FetchRequest ask(FetchSession& session, const FetchSession::Partitions& wanted) {
  FetchRequest request;
  session.fill(wanted, &request);
  return request;
}

bool take(FetchSession& session, std::int32_t id, ErrorCode code = ErrorCode::none) {
  FetchResponse response;
  response.session_id = id;
  response.error_code = code;
  return session.take(response);
}

// "a-0@5 a-1@0 forget b-0"
std::string text_of(const FetchRequest& request) {
  std::string text;
  for (const auto& topic : request.topics)
    for (const auto& it : topic.partitions)
      text += topic.topic + "-" + std::to_string(it.partition) + "@" +
              std::to_string(it.fetch_offset) + " ";
  for (const auto& topic : request.forgotten_topics_data)
    for (const std::int32_t it : topic.partitions)
      text += "forget " + topic.topic + "-" + std::to_string(it) + " ";
  return text;
}

// A session of a-0 and a-1, as the broker gives it.
FetchSession opened() {
  FetchSession session;
  ask(session, {{{"a", 0}, at(5)}, {{"a", 1}, at(0)}});
  CHECK(take(session, 33));
  return session;
}

}  // namespace

TEST_CASE("A session begins with everything, in epoch 0 and without an id", "[client]") {
  FetchSession session;
  const FetchRequest request = ask(session, {{{"a", 0}, at(5)}, {{"a", 1}, at(0)}});
  CHECK(text_of(request) == "a-0@5 a-1@0 ");
  CHECK(request.topics.size() == 1);
  CHECK(request.session_id == 0);
  CHECK(request.session_epoch == 0);
  CHECK_FALSE(session.was_incremental());
}

TEST_CASE("Within a session a request names what has changed", "[client]") {
  FetchSession session = opened();
  FetchRequest request = ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK(text_of(request) == "a-0@6 ");
  CHECK(request.session_id == 33);
  CHECK(request.session_epoch == 1);
  CHECK(session.was_incremental());
  CHECK(take(session, 33));
  request = ask(session, {{{"a", 0}, at(6)}, {{"b", 0}, at(1)}});
  CHECK(text_of(request) == "b-0@1 forget a-1 ");
  CHECK(request.session_epoch == 2);
}

TEST_CASE("A topic created anew is forgotten by its old id and asked for by the new one",
          "[client]") {
  FetchSession session = opened();
  const Uuid other{{8}};
  const FetchRequest request = ask(session, {{{"a", 0}, at(5, other)}, {{"a", 1}, at(0, other)}});
  CHECK(text_of(request) == "a-0@5 a-1@0 forget a-0 forget a-1 ");
  CHECK(request.topics.at(0).topic_id == other);
  CHECK(request.forgotten_topics_data.at(0).topic_id == topic_id);
}

TEST_CASE("A session that the broker does not know is begun anew, in full", "[client]") {
  FetchSession session = opened();
  ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK_FALSE(take(session, 0, ErrorCode::fetch_session_id_not_found));
  const FetchRequest request = ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK(text_of(request) == "a-0@6 a-1@0 ");
  CHECK(request.session_id == 0);
  CHECK(request.session_epoch == 0);
}

TEST_CASE("A session whose epoch is not the broker's is ended and begun anew", "[client]") {
  FetchSession session = opened();
  ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK_FALSE(take(session, 0, ErrorCode::invalid_fetch_session_epoch));
  FetchRequest request = ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK(text_of(request) == "a-0@6 a-1@0 ");
  CHECK(request.session_id == 33);
  CHECK(request.session_epoch == 0);
  CHECK(take(session, 34));
  request = ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK(request.session_id == 34);
  CHECK(request.session_epoch == 1);
  CHECK(text_of(request).empty());
}

TEST_CASE("After no answer the next request ends the session, whose state is unknown", "[client]") {
  FetchSession session = opened();
  ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  session.lose();
  const FetchRequest request = ask(session, {{{"a", 0}, at(6)}, {{"a", 1}, at(0)}});
  CHECK(text_of(request) == "a-0@6 a-1@0 ");
  CHECK(request.session_id == 33);
  CHECK(request.session_epoch == 0);
}

TEST_CASE("A broker without a slot for a session is asked in full each time", "[client]") {
  FetchSession session;
  for (int i = 0; i < 2; ++i) {
    const FetchRequest request = ask(session, {{{"a", 0}, at(5)}});
    CHECK(text_of(request) == "a-0@5 ");
    CHECK(request.session_epoch == 0);
    CHECK(take(session, 0));
    CHECK_FALSE(session.is_open());
  }
}

TEST_CASE("A session by topic ids does not go on by names", "[client]") {
  FetchSession session = opened();
  const FetchRequest request = ask(session, {{{"a", 0}, at(5, Uuid())}});
  CHECK(text_of(request) == "a-0@5 ");
  CHECK(request.session_id == 33);
  CHECK(request.session_epoch == 0);
}

TEST_CASE("The last request of a session has its id and epoch -1", "[client]") {
  const FetchSession session = opened();
  CHECK(session.last_request().session_id == 33);
  CHECK(session.last_request().session_epoch == -1);
  CHECK(session.last_request().topics.empty());
}
