// The design, as a state store.
#include "fencing/example/state_store.h"

namespace fencepost::fencing::example {

namespace {

class FencedStore : public StateStore {
 public:
  FencedStore(asio::any_io_executor executor, client::ClusterClient& cluster,
              GenerationFence::LiveMetadata live, PartitionOwnerOptions options)
      : owner_(std::move(executor), cluster, std::move(live), std::move(options)) {}

  client::Task<TakenOver> take_over() override { co_return co_await owner_.take_over(); }
  asio::awaitable<std::vector<WriteOutcome>> write_all(std::vector<Snapshot> snapshots) override {
    co_return co_await owner_.writer().write_all(std::move(snapshots));
  }
  void advance(std::int64_t offset) override { owner_.writer().advance(offset); }
  asio::awaitable<WriteOutcome> commit_when_due() override {
    co_return co_await owner_.writer().commit_when_due();
  }
  asio::awaitable<WriteOutcome> release() override { co_return co_await owner_.release(); }
  asio::awaitable<void> abandon() override { co_await owner_.abandon(); }

 private:
  PartitionOwner owner_;
};

}  // namespace

std::unique_ptr<StateStore> make_fenced_store(asio::any_io_executor executor,
                                              client::ClusterClient& cluster,
                                              GenerationFence::LiveMetadata live,
                                              PartitionOwnerOptions options) {
  return std::make_unique<FencedStore>(std::move(executor), cluster, std::move(live),
                                       std::move(options));
}

}  // namespace fencepost::fencing::example
