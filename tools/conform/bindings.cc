// Filling in a request, and learning from an answer. bindings_shown.cc has the way back.
#include "tools/conform/bindings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "protocol/base/uuid.h"
#include "protocol/catalog.h"
#include "protocol/json.h"
#include "tools/conform/batch.h"
#include "tools/conform/complete.h"

namespace fencepost::conform {

using nlohmann::json;

namespace {

// "$epoch t +1" in its parts.
struct Symbol {
  std::string kind;
  std::string of;
  std::int64_t plus = 0;
};

Symbol parse_symbol(const std::string& text) {
  std::istringstream in(text.substr(1));
  Symbol symbol;
  in >> symbol.kind >> symbol.of >> symbol.plus;
  return symbol;
}

// An id that no cluster gives: of a topic that is not there.
std::string id_of_nothing(const std::string& name) {
  Uuid id;
  std::ranges::copy(name.substr(0, id.bytes.size()), id.bytes.begin());
  return to_string(id);
}

bool is_builder(const json& value, const char* name) {
  return value.is_object() && value.size() == 1 && value.begin().key() == name;
}

}  // namespace

// One request being filled in.
class Filling {
 public:
  explicit Filling(Bindings& bindings) : bindings_(bindings) {}

  void fill(json& value, const std::string& place) {
    if (value.is_string()) {
      fill_text(value);
    } else if (is_builder(value, "$batch")) {
      value = batch(value.begin().value(), place);
    } else if (is_builder(value, "$embedded")) {
      value = embedded(value.begin().value());
    } else if (value.is_array()) {
      for (json& item : value) fill(item, place);
    } else if (value.is_object()) {
      const std::string here = place_of(value, place);
      for (auto& [key, item] : value.items()) fill(item, here);
    }
  }

  std::optional<Error> error;

 private:
  // Topic and partition, as far as they are known at this depth.
  static std::string place_of(const json& object, const std::string& place) {
    if (object.contains("partitionData") && object.contains("name"))
      return object["name"].get<std::string>();
    if (object.contains("records") && object.contains("index"))
      return place + "-" + std::to_string(object["index"].get<int>());
    return place;
  }

  void fill_text(json& value) {
    const std::string text = value.get<std::string>();
    if (text.starts_with("~")) value = bindings_.real(text.substr(1));
    if (!text.starts_with("$")) return;
    const Symbol symbol = parse_symbol(text);
    value = meaning(symbol);
    if (value.is_discarded()) {
      value = nullptr;
      error = Error{ErrorKind::malformed, "no symbol is called " + text};
    }
  }

  json meaning(const Symbol& it) {
    if (it.kind == "producer") return bindings_.producers_[it.of].id;
    if (it.kind == "former") return bindings_.producers_[it.of].former_id;
    if (it.kind == "epoch")
      return std::clamp<std::int64_t>(bindings_.producers_[it.of].epoch + it.plus, -1, 32767);
    if (it.kind == "member") return bindings_.members_[it.of].id;
    if (it.kind == "generation") return bindings_.members_[it.of].generation + it.plus;
    if (it.kind == "earlier") return bindings_.members_[it.of].earlier_generation;
    if (it.kind == "owned") {
      const std::string& owned = bindings_.members_[it.of].owned;
      return owned.empty() ? json::array() : json::parse(owned);
    }
    if (it.kind == "session") return bindings_.sessions_[it.of].id;
    if (it.kind == "session_epoch") return bindings_.sessions_[it.of].epoch + it.plus;
    if (it.kind == "topic") {
      const auto found = bindings_.topic_ids_.find(it.of);
      return found == bindings_.topic_ids_.end() ? id_of_nothing(it.of) : found->second;
    }
    if (it.kind == "broker") return bindings_.broker_id_;
    return json(json::value_t::discarded);
  }

  json batch(const json& wanted, const std::string& place) {
    BatchPlan plan;
    const std::string producer = wanted.value("producer", std::string());
    plan.record_count = wanted.value("records", 1);
    plan.codec = wanted.value("codec", std::string("none"));
    plan.damage = wanted.value("damage", std::string());
    plan.timestamp = wanted.value("timestamp", std::int64_t{1000});
    plan.is_transactional = wanted.value("transactional", false);
    plan.value = producer;
    const std::string sequence = wanted.value("sequence", std::string("next"));
    if (!producer.empty()) {
      const auto& identity = bindings_.producers_[producer];
      plan.producer_id = identity.id;
      plan.producer_epoch = static_cast<std::int16_t>(identity.epoch + wanted.value("epoch", 0));
      const auto [next, last_count] = bindings_.sequences_[producer][place];
      plan.base_sequence = next;
      if (sequence == "repeat") {
        plan.base_sequence = std::max(0, next - last_count);
        plan.record_count = last_count;
      }
      if (sequence == "overlap") plan.base_sequence = std::max(0, next - plan.record_count);
      if (sequence == "gap") plan.base_sequence = next + 3;
      if (sequence == "zero") plan.base_sequence = 0;
    }
    if (sequence == "next" || sequence == "zero")
      bindings_.sent_batches_.push_back(
          {producer, place, {plan.base_sequence + plan.record_count, plan.record_count}});
    return to_base64(build(plan).view());
  }

  // A message that stands behind its version in the bytes of another one.
  json embedded(json wanted) {
    fill(wanted, std::string());
    const std::string name = wanted.value("type", std::string());
    const int version = wanted.value("version", 0);
    const protocol::MessageType* type = protocol::find_message_type(name);
    if (type == nullptr) {
      error = Error{ErrorKind::malformed, "no message is called " + name};
      return nullptr;
    }
    json data = wanted.value("data", json::object());
    complete(data, type->describe(), version);
    const auto document = protocol::JsonDocument::parse(data.dump());
    if (!document) {
      error = document.error();
      return nullptr;
    }
    const Result<Frame> body = type->from_json(document->root(), version);
    if (!body) {
      error = body.error();
      return nullptr;
    }
    ByteVector bytes{0, static_cast<std::uint8_t>(version)};
    const SharedBytes flat = body->flatten();
    bytes.insert(bytes.end(), flat.view().begin(), flat.view().end());
    return to_base64(bytes);
  }

  Bindings& bindings_;
};

Result<std::string> Bindings::request(const Step& step) {
  json body = json::parse(step.body, nullptr, false);
  if (!body.is_object()) return Error{ErrorKind::malformed, "the body is not an object"};
  sent_batches_.clear();
  Filling filling(*this);
  filling.fill(body, std::string());
  if (filling.error) return *filling.error;
  const protocol::Api* api = protocol::find_api(step.api);
  complete(body, api->request.describe(), step.version);
  return body.dump();
}

// ---- learning

void Bindings::learn_producer(const std::string& actor, const json& answer) {
  const std::int64_t id = answer.value("producerId", std::int64_t{-1});
  const auto epoch = static_cast<std::int16_t>(answer.value("producerEpoch", -1));
  if (answer.value("errorCode", -1) != 0 || id < 0) return;
  Producer& producer = producers_[actor];
  if (producer.id != id || producer.epoch != epoch) sequences_[actor].clear();
  producer.former_id = producer.id;
  producer.id = id;
  producer.epoch = epoch;
  std::int64_t known = 0;
  for (const auto& [other, symbol] : producer_symbols_)
    known += symbol.starts_with(actor + "#") ? 1 : 0;
  producer_symbols_.try_emplace(id, actor + "#" + std::to_string(known));
}

void Bindings::learn_sequences(const json& answer) {
  for (const json& topic : answer.value("responses", json::array())) {
    std::string name = topic.value("name", std::string());
    for (const auto& [known, id] : topic_ids_)
      if (id == topic.value("topicId", std::string())) name = real(known);
    for (const json& partition : topic.value("partitionResponses", json::array())) {
      if (partition.value("errorCode", -1) != 0) continue;
      const std::string place = name + "-" + std::to_string(partition.value("index", -1));
      for (const SentBatch& batch : sent_batches_) {
        const bool is_it =
            !batch.producer.empty() &&
            "~" + place.substr(std::min(prefix_.size(), place.size())) == batch.place;
        if (is_it) sequences_[batch.producer][batch.place] = batch.sequence;
      }
    }
  }
}

void Bindings::learn_classic_member(const std::string& actor, const json& answer) {
  constexpr int member_id_required = 79;
  const int code = answer.value("errorCode", -1);
  const std::string id = answer.value("memberId", std::string());
  if ((code != 0 && code != member_id_required) || id.empty()) return;
  Member& member = members_[actor];
  member.id = id;
  if (code == 0) {
    member.earlier_generation = member.generation;
    member.generation = answer.value("generationId", -1);
  }
  const auto is_of_actor = [&actor](const auto& it) { return it.second.starts_with(actor + "#"); };
  const auto known = std::ranges::count_if(member_symbols_, is_of_actor);
  member_symbols_.try_emplace(id, actor + "#" + std::to_string(known));
}

void Bindings::learn_consumer_member(const std::string& actor, const json& answer) {
  constexpr int unknown_member_id = 25;
  constexpr int fenced_member_epoch = 110;
  const int code = answer.value("errorCode", -1);
  Member& member = members_[actor];
  if (code == unknown_member_id || code == fenced_member_epoch) {
    member.generation = 0;
    member.owned.clear();
  }
  if (code != 0) return;
  const std::string id = answer.contains("memberId") && answer["memberId"].is_string()
                             ? answer["memberId"].get<std::string>()
                             : std::string();
  if (!id.empty() && id != member.id) {
    member.id = id;
    if (!id.starts_with(prefix_)) {
      const auto known = std::to_string(member_symbols_.size());
      member_symbols_.try_emplace(id, actor + "#" + known);
    }
  }
  const int epoch = answer.value("memberEpoch", -1);
  if (epoch != member.generation) {
    member.earlier_generation = member.generation;
    member.generation = std::max(epoch, 0);
  }
  if (epoch < 0) member.owned.clear();
  const auto assignment = answer.find("assignment");
  if (assignment != answer.end() && assignment->is_object())
    member.owned = assignment->value("topicPartitions", json::array()).dump();
}

void Bindings::learn_topics(const json& answer) {
  for (const json& topic : answer.value("topics", json::array())) {
    const auto name = topic.find("name");
    const bool is_ours =
        name != topic.end() && name->is_string() && name->get<std::string>().starts_with(prefix_);
    const std::string id = topic.value("topicId", to_string(Uuid()));
    if (is_ours && topic.value("errorCode", -1) == 0 && id != to_string(Uuid()))
      topic_ids_[name->get<std::string>().substr(prefix_.size())] = id;
  }
}

void Bindings::learn(const Step& step, const json& answer) {
  using protocol::ApiKey;
  switch (step.api) {
    case ApiKey::init_producer_id:
    case ApiKey::end_txn:
      return learn_producer(step.actor, answer);
    case ApiKey::produce:
      return learn_sequences(answer);
    case ApiKey::join_group:
      return learn_classic_member(step.actor, answer);
    case ApiKey::consumer_group_heartbeat:
      return learn_consumer_member(step.actor, answer);
    case ApiKey::create_topics:
    case ApiKey::metadata:
      return learn_topics(answer);
    case ApiKey::fetch: {
      if (step.actor.empty() || answer.value("errorCode", -1) != 0) return;
      Session& session = sessions_[step.actor];
      const std::int32_t id = answer.value("sessionId", 0);
      session.epoch = id == session.id ? session.epoch + 1 : 1;
      session.id = id;
      return;
    }
    default:
      return;
  }
}

}  // namespace fencepost::conform
