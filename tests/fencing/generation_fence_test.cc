// The fence: what is refused here, what the broker refuses, and that both are told apart.
#include "fencing/generation_fence.h"

#include "tests/catch.h"
#include "tests/client/world.h"

using namespace fencepost;
using namespace fencepost::fencing;
using protocol::ApiKey;
using protocol::ErrorCode;
using protocol::TxnOffsetCommitRequest;

namespace {

struct FenceWorld : client::World {
  FenceWorld() {
    serve_topic("in", 1);
    broker.on<TxnOffsetCommitRequest>([this](const TxnOffsetCommitRequest& request, int) {
      generations.push_back(request.generation_id_or_member_epoch);
      protocol::TxnOffsetCommitResponse response;
      auto& topic = response.topics.emplace_back();
      topic.name = "in";
      topic.partitions.emplace_back().error_code = code;
      return std::optional(response);
    });
  }
  FenceVerdict commit() {
    std::vector<client::CommittedOffset> offsets{{{"in", 0}, 5}};
    return run(fence.commit(session, offsets)).value();
  }

  ErrorCode code = ErrorCode::none;
  std::vector<std::int32_t> generations;
  client::GroupMetadata live{"g", 3, "m"};
  client::TransactionalSession session{cluster, "t"};
  GenerationFence fence{[this] { return live; }};
};

}  // namespace

TEST_CASE("An unknown generation is refused here and nothing is sent", "[fencing]") {
  FenceWorld world;
  world.live.generation = client::unknown_generation;
  CHECK(world.fence.check().outcome == FenceOutcome::unknown_generation);
  CHECK(world.commit().outcome == FenceOutcome::unknown_generation);
  CHECK(world.broker.received.empty());
}

TEST_CASE("The generation is read anew for each commit", "[fencing]") {
  FenceWorld world;
  CHECK(world.commit() == FenceVerdict{});
  world.live.generation = 4;
  CHECK(world.commit().outcome == FenceOutcome::accepted);
  CHECK(world.generations == std::vector<std::int32_t>{3, 4});
}

TEST_CASE("Every way of being told that another owner exists is one outcome", "[fencing]") {
  FenceWorld world;
  for (const ErrorCode code : {ErrorCode::illegal_generation, ErrorCode::unknown_member_id,
                               ErrorCode::fenced_instance_id, ErrorCode::stale_member_epoch}) {
    world.code = code;
    CHECK(world.commit() == FenceVerdict{FenceOutcome::fenced, code});
  }
}

TEST_CASE("Other errors are refusals, not fencing", "[fencing]") {
  FenceWorld world;
  for (const ErrorCode code : {ErrorCode::concurrent_transactions, ErrorCode::not_coordinator,
                               ErrorCode::group_authorization_failed}) {
    world.code = code;
    CHECK(world.commit() == FenceVerdict{FenceOutcome::refused, code});
  }
}
