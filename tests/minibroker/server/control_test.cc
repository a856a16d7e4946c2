// The control API without its HTTP: what it shows, what it does, and how it refuses.
#include "minibroker/server/control/api.h"

#include <asio/ip/tcp.hpp>

#include <future>
#include <mutex>
#include <nlohmann/json.hpp>

#include "minibroker/server/control/http.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/produce.h"
#include "tests/minibroker/cluster_fixture.h"

#include "tests/catch.h"

namespace fencepost::minibroker::server {

using namespace protocol;

namespace {

ClusterSettings three_brokers() {
  ClusterSettings settings;
  settings.broker_count = 3;
  settings.topics = {{"orders", 2, 3, {}}};
  return settings;
}

class Controlled : public ControlledCluster {
 public:
  Cluster& cluster() override { return clients.cluster; }
  Instant now() const override { return clients.now; }
  bool has_manual_clock() const override { return is_manual; }
  void advance(Duration duration) override { clients.advance(duration); }

  ControlAnswer ask(std::string method, std::string path, std::string body = "",
                    std::map<std::string, std::string> query = {}) {
    return answer_control(*this,
                          {std::move(method), std::move(path), std::move(query), std::move(body)});
  }
  nlohmann::json get(std::string path) {
    const ControlAnswer answer = ask("GET", std::move(path));
    REQUIRE(answer.status == 200);
    return nlohmann::json::parse(answer.body);
  }
  std::string error_of(const ControlAnswer& answer) {
    const auto json = nlohmann::json::parse(answer.body);
    return json.value("field", "") + ": " + json.at("error").get<std::string>();
  }

  ClusterFixture clients{three_brokers()};
  bool is_manual = true;
};

InitProducerIdRequest transactional(const std::string& id) {
  InitProducerIdRequest request;
  request.transactional_id = id;
  request.transaction_timeout_ms = 60000;
  return request;
}

int coordinator_of(Controlled& world, const std::string& id) {
  FindCoordinatorRequest request;
  request.key_type = 1;
  request.coordinator_keys = {id};
  return world.clients.call(1, request, 4).coordinators.at(0).node_id;
}

}  // namespace

TEST_CASE("The control API shows a partition with its batches and producers", "[control]") {
  Controlled world;
  const auto all = world.get("/v1/partitions");
  REQUIRE(all.at("partitions").size() == 2);
  const int leader = all["partitions"][0]["leader_id"];
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 1000;
  NewRecord record;
  record.value = SharedBytes::copy_of("hello");
  request.topic_data.push_back({"orders", {}, {{0, Records{build_batch({}, {record})}, {}}}, {}});
  CHECK(
      world.clients.call(leader, request, 9).responses.at(0).partition_responses.at(0).error_code ==
      ErrorCode::none);

  const auto partition = world.get("/v1/partitions/orders/0");
  CHECK(partition.at("log_end_offset") == 1);
  CHECK(partition.at("high_watermark") == 1);
  CHECK(partition.at("batches").at(0).at("state") == "plain");
  CHECK(partition.at("producers").empty());
  CHECK(world.ask("GET", "/v1/partitions/orders/7").status == 404);
}

TEST_CASE("A rule of the control API holds a request until it is released", "[control]") {
  Controlled world;
  const int coordinator = coordinator_of(world, "t");
  const ControlAnswer added = world.ask(
      "POST", "/v1/faults",
      R"({"action": "hold", "name": "late", "api": "InitProducerId", "transactional_id": "t"})");
  REQUIRE(added.status == 201);
  CHECK(nlohmann::json::parse(added.body).at("id") == 1);
  CHECK(world.ask("GET", "/v1/faults/1", "", {{"until_hits", "1"}}).is_waiting);

  world.clients.send(world.clients.to(coordinator), transactional("t"), 4);
  world.clients.settle();
  CHECK_FALSE(world.ask("GET", "/v1/faults/1", "", {{"until_hits", "1"}}).is_waiting);
  CHECK(world.get("/v1/faults/1").at("held") == 1);
  CHECK(world.ask("GET", "/v1/transactions/t").status == 404);

  CHECK(world.ask("POST", "/v1/held/late/release").status == 200);
  world.advance(milliseconds(10));
  CHECK(world.get("/v1/transactions/t").at("state") == "Empty");
  CHECK(world.ask("POST", "/v1/held/late/release").status == 409);
  CHECK(world.ask("DELETE", "/v1/faults/1").status == 200);
  CHECK(world.ask("DELETE", "/v1/faults/1").status == 404);
}

TEST_CASE("The control API crashes, restarts and pauses brokers as their state allows",
          "[control]") {
  Controlled world;
  CHECK(world.ask("POST", "/v1/brokers/2", R"({"action": "crash", "unsynced": "lost"})").status ==
        200);
  CHECK(world.get("/v1/cluster").at("brokers").at(1).at("state") == "down");
  CHECK(world.error_of(world.ask("POST", "/v1/brokers/2", R"({"action": "pause"})")) ==
        ": broker 2 is in no state to pause");
  CHECK(world.ask("POST", "/v1/brokers/2", R"({"action": "restart"})").status == 200);
  CHECK(world.ask("POST", "/v1/brokers/9", R"({"action": "crash"})").status == 404);
}

TEST_CASE("The control API moves a manual clock, and never a real one", "[control]") {
  Controlled world;
  const std::int64_t before = world.get("/v1/cluster").at("now_ms");
  CHECK(world.ask("POST", "/v1/clock", R"({"advance_ms": 1500})").status == 200);
  CHECK(world.get("/v1/cluster").at("now_ms") == before + 1500);
  world.is_manual = false;
  CHECK(world.ask("POST", "/v1/clock", R"({"advance_ms": 1500})").status == 409);
}

TEST_CASE("The control API says which value is wrong, and what would be right", "[control]") {
  Controlled world;
  const auto refused = [&](const char* path, const char* body) {
    const ControlAnswer answer = world.ask("POST", path, body);
    CHECK(answer.status == 400);
    return world.error_of(answer);
  };
  CHECK(refused("/v1/faults", R"({"action": "drop", "topik": "a"})") ==
        "topik: is not known here; did you mean topic");
  CHECK(refused("/v1/faults", R"({"api": "EndTxn"})") == "action: is missing");
  CHECK(refused("/v1/faults", R"({"action": "drop", "api": "EndTxm"})") ==
        "api: no API is called 'EndTxm'; did you mean EndTxn");
  CHECK(refused("/v1/faults", R"({"action": "hold"})") ==
        "name: is missing: what is held is released by it");
  CHECK(refused("/v1/faults", R"({"action": "drop", "count": "two"})") ==
        "count: has to be a whole number, not \"two\"");
  CHECK(refused("/v1/clock", R"({"advance_ms": -1})") ==
        "advance_ms: has to be at least 0, not -1");
  CHECK(refused("/v1/clock", "advance_ms=1") == "body: has to be a JSON object");
  CHECK(refused("/v1/crashes", R"({"point": "before_marker_s"})") ==
        "point: no cut point is called 'before_marker_s'; did you mean before_markers");
  CHECK(world.ask("GET", "/v1/fault").status == 404);
  CHECK(world.ask("PUT", "/v1/faults").status == 405);
}

TEST_CASE("A request that waits is answered 503 when the server ends", "[control]") {
  Controlled world;
  std::promise<void> has_come;
  std::once_flag once;
  auto server = ControlServer::listen(0, world, [&](const std::function<void()>& work) {
    work();
    std::call_once(once, [&has_come] { has_come.set_value(); });
  });
  REQUIRE(server.ok());
  asio::ip::tcp::iostream connection("127.0.0.1", std::to_string((*server)->port()));
  connection << "GET /v1/transactions/t?until_state=Ongoing HTTP/1.1\r\nHost: test\r\n\r\n"
             << std::flush;
  has_come.get_future().wait();
  server->reset();
  std::string version, status;
  connection >> version >> status;
  CHECK(status == "503");
}

TEST_CASE("The OpenAPI document names every route and each of its fields", "[control]") {
  const auto document = nlohmann::json::parse(open_api_document());
  CHECK(document.at("openapi") == "3.0.3");
  for (const ControlRoute& route : control_routes()) {
    INFO(route.method << " " << route.path);
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(std::tolower(c));
    const auto& operation = document.at("paths").at(std::string(route.path)).at(method);
    for (const ControlField& field : route.fields) {
      INFO(field.name);
      if (field.place == FieldPlace::body) {
        CHECK(operation.at("requestBody")
                  .at("content")
                  .at("application/json")
                  .at("schema")
                  .at("properties")
                  .contains(std::string(field.name)));
      } else {
        bool is_named = false;
        for (const auto& it : operation.at("parameters"))
          is_named = is_named || it.at("name") == field.name;
        CHECK(is_named);
      }
    }
  }
  CHECK(document.at("paths").contains("/v1/events"));
}

}  // namespace fencepost::minibroker::server
