#include "minibroker/log/verification.h"

#include <algorithm>

namespace fencepost::minibroker {

VerificationGuard Verifications::begin(std::int64_t producer_id, std::int32_t sequence,
                                       std::int16_t producer_epoch, bool adds_partition,
                                       Instant now) {
  const auto [it, is_new] = entries_.try_emplace(producer_id);
  VerificationEntry& entry = it->second;
  if (is_new) {
    entry = {++last_guard_, sequence, producer_epoch, adds_partition, now};
  } else if (producer_epoch > entry.producer_epoch) {
    entry.producer_epoch = producer_epoch;
    entry.lowest_sequence = sequence;
  } else if (producer_epoch == entry.producer_epoch) {
    entry.lowest_sequence = std::min(entry.lowest_sequence, sequence);
  }
  return entry.guard;
}

const VerificationEntry* Verifications::find(std::int64_t producer_id) const {
  const auto it = entries_.find(producer_id);
  return it == entries_.end() ? nullptr : &it->second;
}

bool Verifications::proves(std::int64_t producer_id, VerificationGuard guard) const {
  const VerificationEntry* entry = find(producer_id);
  return guard != no_guard && entry != nullptr && entry->guard == guard;
}

void Verifications::remove(std::int64_t producer_id) {
  entries_.erase(producer_id);
}

void Verifications::expire(Instant now, Duration expiration) {
  std::erase_if(entries_,
                [&](const auto& named) { return now - named.second.created >= expiration; });
}

void Verifications::add_to(Digest& digest) const {
  digest.add(last_guard_);
  for (const auto& [producer_id, entry] : entries_) {
    digest.add(producer_id);
    digest.add(entry.guard);
    digest.add(entry.lowest_sequence);
    digest.add(entry.producer_epoch);
    digest.add(entry.adds_partition ? 1 : 0);
    digest.add(entry.created.time_since_epoch().count());
  }
}

}  // namespace fencepost::minibroker
