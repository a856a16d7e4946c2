// Which messages the simulated network holds, drops, delays or loses. A rule aims by API, client
// id, topic or transactional.id and takes effect a stated number of times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/api.h"
#include "protocol/base/digest.h"
#include "protocol/base/time.h"
#include "protocol/error_code.h"

namespace fencepost::minibroker::sim {

enum class FaultAction {
  hold,        // the request waits until its name is released
  drop,        // the request never arrives; the connection stays
  lose_reply,  // the request takes effect; its answer is lost and the connection closed
  hold_reply,  // the request takes effect; its answer waits until its name is released
  delay,       // the request arrives later
  duplicate,   // the request arrives twice; the second answer is dropped
  reorder,     // the request arrives after the next one that the rule matches
  error,       // the request has no effect; it is answered with an error
  close,       // the request has no effect; the connection is closed
};

// "lose_reply"; all names, in the order of the actions.
std::string_view to_string(FaultAction action);
std::optional<FaultAction> parse_fault_action(std::string_view name);
std::span<const std::string_view> fault_action_names();

// What a request is, as far as rules can see it.
struct MessageFacts {
  protocol::ApiKey api_key = protocol::ApiKey::api_versions;
  std::string client_id;
  std::vector<std::string> topics;  // named in the request
  std::vector<std::string> transactional_ids;
  int from_broker = -1;  // -1: from a client
  int to_broker = -1;
};

struct FaultRule {
  std::uint64_t id = 0;  // given by add()
  FaultAction action = FaultAction::hold;
  std::string name;  // of what is held; names the rule in messages
  std::optional<protocol::ApiKey> api_key = {};
  std::optional<std::string> client_id = {};
  std::optional<std::string> topic = {};
  std::optional<std::string> transactional_id = {};
  std::optional<int> from_broker = {};
  std::optional<int> to_broker = {};
  int count = 1;  // how many messages it takes; -1: all until it is removed
  Duration delay{};
  protocol::ErrorCode error = protocol::ErrorCode::none;
  int hits = 0;  // how many messages it has taken

  bool matches(const MessageFacts& facts) const;
};

class FaultPlan {
 public:
  // The rule's id. An `error` needs an API of which can_answer_with_error() holds.
  std::uint64_t add(FaultRule rule);
  // Ends the rule of that name, or id; what it holds stays held. False when there is none.
  bool remove(const std::string& name);
  bool remove(std::uint64_t id);
  void clear() { rules_.clear(); }
  // The first rule that matches and has not used up its count; counts the hit.
  std::optional<FaultRule> take(const MessageFacts& facts);
  // Those that have used up their count stay, with their hits, until they are removed.
  const std::vector<FaultRule>& rules() const { return rules_; }
  const FaultRule* find(std::uint64_t id) const;
  bool has_active() const;

  void add_to(Digest& digest) const;

 private:
  std::vector<FaultRule> rules_;
  std::uint64_t last_id_ = 0;
};

}  // namespace fencepost::minibroker::sim
