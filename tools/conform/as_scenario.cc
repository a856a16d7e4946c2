#include "tools/conform/as_scenario.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "protocol/base/base64.h"
#include "protocol/records/record_batch.h"

namespace fencepost::conform {

using nlohmann::json;
using protocol::ApiKey;

namespace {

constexpr std::string_view program_mark = "#! ";

// The arguments of a verb, in the order in which they were added.
class Arguments {
 public:
  void add(const std::string& name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + name + ": " + value;
  }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string name_of(const json& symbol) {
  const std::string text = symbol.is_string() ? symbol.get<std::string>() : std::string();
  return text.starts_with("~") ? text.substr(1) : text;
}

// One step and what was really sent, on the way to a line of the file. Nothing when no verb says
// it.
class Writing {
 public:
  Writing(const Step& step, const Exchange& exchange)
      : step_(step),
        body_(json::parse(step.body)),
        sent_(json::parse(exchange.request, nullptr, false)) {}

  std::optional<std::string> arguments() {
    if (!sent_.is_object() || !write()) return std::nullopt;
    if (step_.api != ApiKey::write_txn_markers) out_.add("version", std::to_string(step_.version));
    return out_.text();
  }

 private:
  bool write() {
    switch (step_.api) {
      case ApiKey::init_producer_id:
        return init_producer_id();
      case ApiKey::add_partitions_to_txn:
        return add_partitions();
      case ApiKey::produce:
        return produce();
      case ApiKey::add_offsets_to_txn:
        out_.add("group", name_of(body_["groupId"]));
        return producer();
      case ApiKey::txn_offset_commit:
        out_.add("add_offsets", "false");
        return producer() && offsets();
      case ApiKey::end_txn:
        out_.add("result", body_.value("committed", false) ? "commit" : "abort");
        return producer();
      case ApiKey::offset_commit:
        return offsets();
      case ApiKey::list_offsets:
        return list_offsets();
      case ApiKey::fetch:
        return fetch();
      case ApiKey::describe_transactions:
        out_.add("transactional_id", name_of(body_["transactionalIds"][0]));
        return body_["transactionalIds"].size() == 1;
      case ApiKey::describe_producers:
        return describe_producers();
      default:
        return false;
    }
  }

  bool init_producer_id() {
    if (body_.contains("producerId") || body_.contains("enable2Pc")) return false;
    const bool has_id = body_["transactionalId"].is_string();
    out_.add("transactional_id", has_id ? name_of(body_["transactionalId"]) : "null");
    out_.add("transaction_timeout",
             std::to_string(body_.value("transactionTimeoutMs", 60'000)) + "ms");
    return !has_id || body_["transactionalId"] != "";
  }

  // The identity of the actor, unless the step says another epoch. Another id has no name here.
  bool producer() {
    const std::string id = body_.value("producerId", std::string());
    const std::string epoch = body_.value("producerEpoch", std::string());
    if (epoch != "$epoch " + step_.actor)
      out_.add("producer_epoch", std::to_string(sent_["producerEpoch"].get<int>()));
    return id == "$producer " + step_.actor;
  }

  bool add_partitions() {
    if (!body_.contains("v3AndBelowTopics")) return false;
    std::string list;
    for (const json& topic : body_["v3AndBelowTopics"])
      for (const json& index : topic["partitions"])
        list += fmt::format("{}{}-{}", list.empty() ? "" : ", ", name_of(topic["name"]),
                            index.get<int>());
    out_.add("partitions", "[" + list + "]");
    const std::string epoch = body_.value("v3AndBelowProducerEpoch", std::string());
    if (epoch != "$epoch " + step_.actor)
      out_.add("producer_epoch", std::to_string(sent_["v3AndBelowProducerEpoch"].get<int>()));
    return body_["v3AndBelowProducerId"] == "$producer " + step_.actor;
  }

  bool produce() {
    const json& topics = body_["topicData"];
    if (topics.size() != 1 || topics[0]["partitionData"].size() != 1) return false;
    const json& partition = topics[0]["partitionData"][0];
    const json& plan = partition["records"]["$batch"];
    if (plan.contains("damage") || plan.contains("codec")) return false;
    const auto bytes =
        parse_base64(sent_["topicData"][0]["partitionData"][0]["records"].get<std::string>());
    const auto batch = protocol::RecordBatchView::open(SharedBytes(bytes.value_or(ByteVector())));
    if (!batch) return false;
    out_.add("to", fmt::format("{}-{}", name_of(topics[0]["name"]), partition["index"].get<int>()));
    std::string records;
    const int count = plan.value("records", 1);
    for (int i = 0; i < count; ++i) records += fmt::format("{}k{}=v{}", i == 0 ? "" : ", ", i, i);
    out_.add("records", "[" + records + "]");
    if (plan.value("sequence", std::string("next")) != "next")
      out_.add("base_sequence", std::to_string(batch->header().base_sequence));
    if (plan.contains("epoch"))
      out_.add("producer_epoch", std::to_string(batch->header().producer_epoch));
    if (!body_["transactionalId"].is_string()) out_.add("transactional", "false");
    if (body_.value("acks", -1) != -1) out_.add("acks", std::to_string(body_.value("acks", -1)));
    out_.add("add_partitions", "false");
    return plan.value("transactional", false) == body_["transactionalId"].is_string();
  }

  // Offsets outside of a membership: there is no word for what another actor was given.
  bool offsets() {
    const json& topics = body_["topics"];
    const bool has_member = body_.contains("memberId") || body_.contains("groupInstanceId");
    if (has_member || !topics.is_array()) return false;
    std::string list;
    for (const json& topic : topics)
      for (const json& one : topic["partitions"])
        list += fmt::format("{}{}-{}: {}", list.empty() ? "" : ", ", name_of(topic["name"]),
                            one["partitionIndex"].get<int>(), one["committedOffset"].get<int>());
    out_.add("offsets", "{" + list + "}");
    out_.add("group", name_of(body_["groupId"]));
    return true;
  }

  bool isolation() {
    out_.add("isolation",
             body_.value("isolationLevel", 0) == 1 ? "read_committed" : "read_uncommitted");
    return true;
  }

  bool list_offsets() {
    const json& topics = body_["topics"];
    if (topics.size() != 1 || topics[0]["partitions"].size() != 1) return false;
    const json& one = topics[0]["partitions"][0];
    const std::int64_t at = one["timestamp"].get<std::int64_t>();
    if ((at != -1 && at != -2) || one.contains("currentLeaderEpoch")) return false;
    out_.add("of",
             fmt::format("{}-{}", name_of(topics[0]["name"]), one["partitionIndex"].get<int>()));
    out_.add("at", at == -1 ? "latest" : "earliest");
    return isolation();
  }

  bool fetch() {
    const json& topics = body_["topics"];
    if (!step_.actor.empty() || topics.size() != 1 || topics[0]["partitions"].size() != 1)
      return false;
    const json& one = topics[0]["partitions"][0];
    if (one.contains("currentLeaderEpoch") || one.contains("lastFetchedEpoch")) return false;
    out_.add("from",
             fmt::format("{}-{}", name_of(topics[0]["topic"]), one["partition"].get<int>()));
    out_.add("offset", std::to_string(one.value("fetchOffset", 0)));
    return isolation();
  }

  bool describe_producers() {
    const json& topic = body_["topics"][0];
    if (topic["partitionIndexes"].size() != 1) return false;
    out_.add("of",
             fmt::format("{}-{}", name_of(topic["name"]), topic["partitionIndexes"][0].get<int>()));
    return true;
  }

  const Step& step_;
  json body_;
  json sent_;
  Arguments out_;
};

// The first error that is one; "NONE".
std::string first_error(const json& answer) {
  std::string found = "NONE";
  if (answer.is_array())
    for (const json& item : answer)
      if (found == "NONE") found = first_error(item);
  if (!answer.is_object()) return found;
  for (const auto& [key, item] : answer.items()) {
    if (found != "NONE") break;
    found =
        key.ends_with("rrorCode") && item.is_string() ? item.get<std::string>() : first_error(item);
  }
  return found;
}

std::string step_text(const Step& step, const Exchange& exchange, bool is_last) {
  const auto arguments = Writing(step, exchange).arguments();
  const std::string verb = protocol::snake_case(protocol::to_string(step.api));
  if (!arguments)
    return fmt::format("  # no verb says this: {} v{} {}\n", protocol::to_string(step.api),
                       step.version, step.body);
  const std::string error = first_error(json::parse(exchange.answer, nullptr, false));
  std::string text =
      fmt::format("  - {}.{}: {}\n", step.actor.empty() ? "R" : step.actor, verb, *arguments);
  if (error != "NONE" || is_last) text += "    expect: " + error + "\n";
  return text;
}

bool creates_the_topics(const Step& step) {
  return step.api == ApiKey::create_topics && step.body.find("assignments") != std::string::npos;
}

}  // namespace

std::string scenario_text(const Program& program, const Played& played, const Names& names) {
  const Difference& difference = *played.difference;
  const Step& last = program.steps[difference.step];
  std::string text = fmt::format(
      "# Found by fencepost conform, seed {}: the shortest program that differs.\n"
      "title: {} v{} is answered differently by {} and {}\n",
      program.seed, protocol::to_string(last.api), last.version, "A", "B");
  text += fmt::format("look:\n  - \"A is {}, B is {}\"\n", names.one, names.other);
  text += fmt::format("as_version: \"{}\"\n", names.as_version);
  text += "topics:\n  x: {partitions: 2}\n  y: {partitions: 2}\nsteps:\n";
  text += "  - note: what is not said by a verb stands in a comment\n";
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (!creates_the_topics(program.steps[i]) || i == difference.step)
      text += step_text(program.steps[i],
                        i < played.exchanges.size() ? played.exchanges[i] : Exchange(),
                        i == difference.step);
  text += fmt::format("# A: {}\n# B: {}\n", difference.one, difference.other);
  text += "# The program itself, for fencepost conform --replay:\n";
  for (const Step& step : program.steps) text += std::string(program_mark) + to_line(step) + "\n";
  return text;
}

Result<Program> read_program(std::string_view text) {
  Program program;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!line.starts_with(program_mark)) continue;
    Result<Step> step = parse_step(line.substr(program_mark.size()));
    if (!step)
      return Error{ErrorKind::malformed, fmt::format("line {}: {}", number, step.error().text)};
    program.steps.push_back(std::move(*step));
  }
  if (program.steps.empty())
    return Error{ErrorKind::malformed, "there is no program in it: no line begins with '#! '"};
  return program;
}

}  // namespace fencepost::conform
