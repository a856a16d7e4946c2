// Every golden request of every version, from who may do nothing and from who may do everything:
// each answer can carry what it has to say in its version.
#include <optional>

#include "protocol/messages/sasl_handshake.h"
#include "tests/golden.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker {
namespace {

using namespace protocol;

struct Sender {
  Sender(bool has_authorizer, std::string user) : user_(std::move(user)) {
    ClusterSettings settings;
    settings.topics = {{"foo"}};
    settings.authorizer.is_enabled = has_authorizer;
    settings.authorizer.super_users = {"User:admin"};
    fixture_.emplace(settings);
  }

  // Each on a connection of its own, without waiting: what is answered later may be answered never.
  void send(const Api& api, int version, const SharedBytes& body) {
    security::Origin origin;
    origin.principal = "User:" + user_;
    RequestHeader header;
    header.request_api_key = static_cast<std::int16_t>(api.key);
    header.request_api_version = static_cast<std::int16_t>(version);
    header.client_id = "test";
    Writer writer;
    CHECK(Codec<RequestHeader>::encode(writer, header, request_header_version(api, version)).ok());
    Frame frame = writer.finish();
    frame.append(body);
    Cluster& cluster = fixture_->cluster;
    const ConnectionId connection = cluster.connect(1, origin);
    cluster.receive(connection, frame.flatten(), fixture_->now);
    count_ += cluster.take_output().empty() ? 0 : 1;
    cluster.disconnect(connection);
  }
  int count() const { return count_; }

 private:
  std::string user_;
  std::optional<ClusterFixture> fixture_;
  int count_ = 0;
};

int answers_to_all(Sender sender) {
  for (const std::string_view file : {"messages.tsv.gz", "unknown-tags.tsv.gz"})
    for (const golden::Row& row : golden::rows(file))
      if (const Api* api = find_api(row[0]); row[2] == "request" && api != nullptr)
        sender.send(*api, std::stoi(row[1]), golden::from_hex(row[3]));
  return sender.count();
}

TEST_CASE("a refusal has room in every version of every answer", "[security][acl]") {
  CHECK(answers_to_all({true, "nobody"}) > 900);
}

TEST_CASE("an answer has room in every version, with and without an authorizer",
          "[security][acl]") {
  CHECK(answers_to_all({true, "admin"}) > 900);
  CHECK(answers_to_all({false, "anybody"}) > 900);
}

// librdkafka's AlterUserScramCredentials has one.
TEST_CASE("bytes behind a request do not close the connection", "[security][acl]") {
  SaslHandshakeRequest request;
  request.mechanism = "PLAIN";
  Frame body = *Codec<SaslHandshakeRequest>::encode(request, 1);
  body.append(SharedBytes::copy_of(std::string_view("more")));
  ClusterFixture fixture{ClusterSettings{}};
  RequestHeader header;
  header.request_api_key = static_cast<std::int16_t>(ApiKey::sasl_handshake);
  header.request_api_version = 1;
  Writer writer;
  CHECK(Codec<RequestHeader>::encode(writer, header, 1).ok());
  Frame frame = writer.finish();
  frame.append(body);
  fixture.cluster.receive(fixture.to(1), frame.flatten(), fixture.now);
  const std::vector<Output> output = fixture.cluster.take_output();
  REQUIRE(output.size() == 1);
  CHECK_FALSE(output[0].is_close);
}

}  // namespace
}  // namespace fencepost::minibroker
