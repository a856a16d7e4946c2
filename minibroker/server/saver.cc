#include "minibroker/server/saver.h"

namespace fencepost::minibroker::server {

namespace {

constexpr std::chrono::seconds fsync_interval(1);

}  // namespace

bool Saver::is_saved(const Result<void>& saved) {
  if (saved.ok()) return true;
  failure_ = saved.error();
  context_.stop();
  return false;
}

bool Saver::save() {
  const bool has_changes = storage_->has_unsynced();
  const bool is_synced = fsync_ == Fsync::always;
  if (failure_ || !is_saved(is_synced ? cluster_.sync() : cluster_.flush())) return false;
  if (has_changes) arm_timer();
  return true;
}

void Saver::arm_timer() {
  if (is_timer_set_ || fsync_ == Fsync::never) return;
  is_timer_set_ = true;
  timer_.expires_after(fsync_interval);
  timer_.async_wait([this](asio::error_code error) {
    if (error) return;
    is_timer_set_ = false;
    if (!is_saved(cluster_.sync())) return;
    cluster_.write_checkpoints();
    save();
  });
}

void Saver::save_all() {
  if (failure_) return;
  cluster_.close();
  if (!is_saved(cluster_.sync())) return;
  cluster_.write_checkpoints();
  (void)is_saved(cluster_.sync());
}

}  // namespace fencepost::minibroker::server
