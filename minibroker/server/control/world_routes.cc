// Routes that do something to brokers, links, leaders and time.
#include <algorithm>
#include <array>

#include "minibroker/election_words.h"
#include "minibroker/server/control/routes.h"
#include "minibroker/sim/cut_points.h"
#include "protocol/base/nearest.h"

namespace fencepost::minibroker::server {

namespace {

using protocol::ErrorCode;
using sim::Party;
using sim::Unsynced;

Unsynced unsynced_of(const ControlValues& values) {
  return values.text("unsynced").value_or("kept") == "lost" ? Unsynced::lost : Unsynced::kept;
}

// ---- brokers

ControlAnswer change_broker(ControlledCluster& controlled, const ControlValues& values) {
  Cluster& cluster = controlled.cluster();
  const int id = *values.number("broker");
  const std::string action = *values.text("action");
  const Instant now = controlled.now();
  bool is_done = false;
  if (action == "crash") is_done = cluster.crash(id, unsynced_of(values), now);
  if (action == "restart") is_done = cluster.restart(id, now);
  if (action == "pause") is_done = cluster.pause(id, now);
  if (action == "resume") is_done = cluster.resume(id, now);
  if (action == "sync") is_done = cluster.sync(id);
  const std::vector<BrokerState> brokers = cluster.brokers();
  const auto broker = std::ranges::find(brokers, id, &BrokerState::id);
  if (broker == brokers.end()) return refuse(404, "there is no broker " + std::to_string(id));
  if (is_done) return answer(to_json(*broker));
  return conflict("broker " + std::to_string(id) + " is in no state to " + action);
}

ControlAnswer truncate(ControlledCluster& controlled, const ControlValues& values) {
  if (controlled.cluster().truncate(*values.number("broker"), *values.text("topic"),
                                    *values.number("partition"), *values.integer("offset")))
    return answer(Json::object());
  return conflict("only a broker that is down can lose the end of a log that it has");
}

ControlAnswer plan_crash(ControlledCluster& controlled, const ControlValues& values) {
  const std::string point = *values.text("point");
  const auto points = sim::cut_points();
  if (std::ranges::find(points, point) == points.end())
    return refuse(400, "no cut point is called '" + point + "'" + did_you_mean(point, points),
                  "point");
  const std::uint64_t id =
      controlled.cluster().crash_at({point, values.number("broker"), values.text("subject"),
                                     values.number("skip").value_or(0), unsynced_of(values)});
  return answer({{"id", id}}, 201);
}

ControlAnswer cancel_crash(ControlledCluster& controlled, const ControlValues& values) {
  const std::int64_t id = *values.integer("id");
  if (controlled.cluster().cancel_crash(static_cast<std::uint64_t>(id)))
    return answer(Json::object());
  return refuse(404, "no crash " + std::to_string(id) + " waits: it has happened, or never was");
}

ControlAnswer list_cut_points(ControlledCluster&, const ControlValues&) {
  Json names = Json::array();
  for (std::string_view point : sim::cut_points()) names.push_back(point);
  return answer({{"cut_points", std::move(names)}});
}

// ---- links

ControlAnswer change_link(ControlledCluster& controlled, const ControlValues& values) {
  Cluster& cluster = controlled.cluster();
  const Party one = sim::parse_party(*values.text("one"));
  const Party other = sim::parse_party(*values.text("other"));
  const std::string action = *values.text("action");
  const Instant now = controlled.now();
  if (action == "cut") {
    cluster.cut(one, other, now);
  } else if (action == "slow") {
    if (!values.has("latency_ms")) return refuse(400, "is missing: one way", "latency_ms");
    cluster.slow(one, other, *values.duration("latency_ms"));
  } else if (!cluster.heal(one, other, now)) {
    return conflict("the link between " + to_string(one) + " and " + to_string(other) +
                    " is neither cut nor slow");
  }
  return answer(Json::object());
}

ControlAnswer heal_links(ControlledCluster& controlled, const ControlValues&) {
  controlled.cluster().heal_all(controlled.now());
  return answer(Json::object());
}

// ---- leaders and coordinators

ControlAnswer elected(ErrorCode error) {
  if (error == ErrorCode::none) return answer(Json::object());
  return conflict("the controller answers " + to_string(error));
}

ControlAnswer elect(ControlledCluster& controlled, const ControlValues& values) {
  return elected(controlled.cluster().elect(*values.text("topic"), *values.number("partition"),
                                            election_of(values.text("kind").value_or("")),
                                            values.number("broker").value_or(-1),
                                            controlled.now()));
}

ControlAnswer move_coordinator(ControlledCluster& controlled, const ControlValues& values) {
  const bool is_group = *values.text("type") == "group";
  return elected(controlled.cluster().move_coordinator(
      is_group ? CoordinatorType::group : CoordinatorType::transaction, *values.text("key"),
      values.number("broker").value_or(-1), controlled.now()));
}

// ---- time

ControlAnswer advance(ControlledCluster& controlled, const ControlValues& values) {
  if (!controlled.has_manual_clock())
    return conflict("the clock is real; start with --clock manual");
  controlled.advance(*values.duration("advance_ms"));
  return answer({{"now_ms", to_timestamp(controlled.now())}});
}

ControlField unsynced_field() {
  return {"unsynced",      FieldPlace::body,
          FieldType::text, "What becomes of what was not synced; kept unless said",
          false,           {"kept", "lost"}};
}

std::vector<ControlRoute> broker_routes() {
  const auto body = FieldPlace::body;
  const ControlField broker = path_field("broker", FieldType::integer, "The broker's id");
  return {
      {"POST",
       "/v1/brokers/{broker}",
       "Crash, restart, pause or resume a broker, or sync its disk",
       {broker,
        {"action",
         body,
         FieldType::text,
         "What to do",
         true,
         {"crash", "restart", "pause", "resume", "sync"}},
        unsynced_field()},
       change_broker},
      {"POST",
       "/v1/brokers/{broker}/truncate",
       "Lose the end of one log of a broker that is down",
       {broker,
        {"topic", body, FieldType::text, "The topic's name", true},
        {"partition", body, FieldType::integer, "The partition's number", true},
        {"offset", body, FieldType::integer, "The first offset that is lost", true}},
       truncate},
      {"GET",
       "/v1/cut-points",
       "The named moments at which a broker can be made to crash",
       {},
       list_cut_points},
      {"POST",
       "/v1/crashes",
       "Crash a broker when it comes to a cut point, once",
       {{"point", body, FieldType::text, "One of the cut points", true},
        {"broker", body, FieldType::integer, "Only this broker"},
        {"subject", body, FieldType::text,
         "Only of this transactional id; of markers and offsets the partition, as orders-0"},
        {"skip", body, FieldType::integer, "How many such moments pass before"},
        unsynced_field()},
       plan_crash},
      {"DELETE",
       "/v1/crashes/{id}",
       "Call off a crash that has not happened",
       {path_field("id", FieldType::integer, "The crash's id")},
       cancel_crash},
  };
}

std::vector<ControlRoute> link_routes() {
  const auto body = FieldPlace::body;
  constexpr std::string_view party = "controller, clients, broker-N, or a client.id";
  const std::vector<ControlField> election = {
      path_field("topic", FieldType::text, "The topic's name"),
      path_field("partition", FieldType::integer, "The partition's number"),
      {"kind",
       body,
       FieldType::text,
       "clean unless said",
       false,
       {preferred_election, clean_election, unclean_election}},
      {"broker", body, FieldType::integer, "The new leader; the first that may, unless said"}};
  return {
      {"POST",
       "/v1/links",
       "Cut, slow or heal a link, both ways",
       {{"one", body, FieldType::text, party, true},
        {"other", body, FieldType::text, party, true},
        {"action", body, FieldType::text, "What to do", true, {"cut", "slow", "heal"}},
        {"latency_ms", body, FieldType::milliseconds, "Of slow: one way"}},
       change_link},
      {"DELETE", "/v1/links", "Heal every link", {}, heal_links},
      {"POST", "/v1/partitions/{topic}/{partition}/elect", "Elect a leader", election, elect},
      {"POST",
       "/v1/coordinators",
       "Move the coordinator of a transactional id or group to another broker",
       {{"type", body, FieldType::text, "Of what", true, {"transaction", "group"}},
        {"key", body, FieldType::text, "The transactional id or group id", true},
        {"broker", body, FieldType::integer, "The new one; the first that may, unless said"}},
       move_coordinator},
      {"POST",
       "/v1/clock",
       "Let time pass, where the clock is manual",
       {{"advance_ms", body, FieldType::milliseconds, "How much", true}},
       advance},
  };
}

}  // namespace

std::vector<ControlRoute> world_routes() {
  std::vector<ControlRoute> routes = broker_routes();
  std::ranges::move(link_routes(), std::back_inserter(routes));
  return routes;
}

}  // namespace fencepost::minibroker::server
