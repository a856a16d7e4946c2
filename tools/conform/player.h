// Plays a program's steps to one side: sends requests, asks again where the answer says that this
// helps, and waits until what a step has begun is over.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/conform/bindings.h"
#include "tools/conform/side.h"

namespace fencepost::conform {

// What came back, ready to be compared.
struct Answer {
  std::string text;
  std::string request = {};  // Kafka's JSON form, as it was sent
  bool is_busy = false;      // to the last attempt: nothing more can be learned from this program
  bool is_sent = true;       // false: the request cannot be written in that version
};

class Player {
 public:
  // Names of this play begin with `prefix`. The side must outlive the player.
  Player(Side& side, const Acquaintance& known, std::string prefix);
  ~Player();
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;

  Side& side() { return side_; }
  // The connection that a step goes over: members of groups have their own.
  static std::string connection_of(const Step& step);
  // Whether its answer may have to wait for other members.
  static bool may_wait(const Step& step);
  // Whether a request on that connection is not answered yet.
  bool is_waiting(const std::string& connection) const;
  // Sends the request of the step; its connection must not be waiting.
  void begin(const Step& step);
  // Waits for the answer of a connection, at most that long. Nothing: none yet.
  std::optional<Answer> take(const std::string& connection, Duration patience);
  // The request of the step is known to have been dealt with although it is not answered: what
  // comes after it on another connection comes after it.
  void make_sure_it_waits(const Step& step);
  // Waits until the cluster has done what the step just taken has asked for: markers are written,
  // new topics have leaders, a configuration has arrived.
  void settle(const Step& step);

 private:
  struct Asking;
  asio::awaitable<void> ask(std::shared_ptr<Asking> asking);
  client::Task<std::shared_ptr<client::Connection>> connect(const Step& step, std::string request);
  client::Task<SharedBytes> exchange(const Step& step, std::string request, Frame body);
  // One request of our own, outside of the program. Discarded when there is no answer.
  nlohmann::json ask_quietly(Step step);
  void settle_transaction(const Step& step);
  void settle_topics(const Step& step);
  bool has_leaders(const std::string& topic, std::size_t partition_count);

  Side& side_;
  const Acquaintance& known_;
  Bindings bindings_;
  std::map<std::string, std::shared_ptr<Asking>> waiting_;
  std::shared_ptr<const nlohmann::json> last_;  // the answer taken last
  std::map<std::string, std::shared_ptr<client::Connection>> connections_;
};

}  // namespace fencepost::conform
