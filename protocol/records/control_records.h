// What control batches and the side files of a partition hold: the end marker of a transaction, the
// leader change, the aborted transaction index and the producer snapshot.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "protocol/base/uuid.h"
#include "protocol/field.h"

namespace fencepost::protocol {

struct EndTxnMarker {
  static constexpr MessageInfo info{"EndTxnMarker", MessageKind::data, -1, only(0), no_versions};

  std::int32_t coordinator_epoch = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const EndTxnMarker&) const = default;
  template <class T = EndTxnMarker>
  static constexpr auto fields() {
    return std::tuple{
        field("coordinatorEpoch", &T::coordinator_epoch, since(0)),
    };
  }
};

struct LeaderChangeMessage {
  static constexpr MessageInfo info{"LeaderChangeMessage", MessageKind::data, -1, between(0, 1),
                                    since(0)};

  struct Voter {
    static constexpr std::string_view type_name = "Voter";

    std::int32_t voter_id = 0;
    Uuid voter_directory_id;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const Voter&) const = default;
    template <class T = Voter>
    static constexpr auto fields() {
      return std::tuple{
          field("voterId", &T::voter_id, since(0)),
          field("voterDirectoryId", &T::voter_directory_id, since(1)),
      };
    }
  };

  std::int16_t version = 0;
  std::int32_t leader_id = 0;
  std::vector<Voter> voters;
  std::vector<Voter> granting_voters;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const LeaderChangeMessage&) const = default;
  template <class T = LeaderChangeMessage>
  static constexpr auto fields() {
    return std::tuple{
        field("version", &T::version, since(0)),
        field("leaderId", &T::leader_id, since(0)),
        field("voters", &T::voters, since(0)),
        field("grantingVoters", &T::granting_voters, since(0)),
    };
  }
};

struct AbortedTxn {
  static constexpr MessageInfo info{"AbortedTxn", MessageKind::data, -1, only(0), no_versions};

  std::int64_t producer_id = 0;
  std::int64_t first_offset = 0;
  std::int64_t last_offset = 0;
  std::int64_t last_stable_offset = 0;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const AbortedTxn&) const = default;
  template <class T = AbortedTxn>
  static constexpr auto fields() {
    return std::tuple{
        field("producerId", &T::producer_id, since(0)),
        field("firstOffset", &T::first_offset, since(0)),
        field("lastOffset", &T::last_offset, since(0)),
        field("lastStableOffset", &T::last_stable_offset, since(0)),
    };
  }
};

struct ProducerSnapshot {
  static constexpr MessageInfo info{"ProducerSnapshot", MessageKind::data, -1, only(1),
                                    no_versions};

  struct ProducerEntry {
    static constexpr std::string_view type_name = "ProducerEntry";

    std::int64_t producer_id = 0;
    std::int16_t epoch = 0;
    std::int32_t last_sequence = 0;
    std::int64_t last_offset = 0;
    std::int32_t offset_delta = 0;
    std::int64_t timestamp = 0;
    std::int32_t coordinator_epoch = 0;
    std::int64_t current_txn_first_offset = 0;
    UnknownTaggedFields unknown_tagged_fields;

    bool operator==(const ProducerEntry&) const = default;
    template <class T = ProducerEntry>
    static constexpr auto fields() {
      return std::tuple{
          field("producerId", &T::producer_id, only(1)),
          field("epoch", &T::epoch, only(1)),
          field("lastSequence", &T::last_sequence, only(1)),
          field("lastOffset", &T::last_offset, only(1)),
          field("offsetDelta", &T::offset_delta, only(1)),
          field("timestamp", &T::timestamp, only(1)),
          field("coordinatorEpoch", &T::coordinator_epoch, only(1)),
          field("currentTxnFirstOffset", &T::current_txn_first_offset, only(1)),
      };
    }
  };

  std::uint32_t crc = 0;
  std::vector<ProducerEntry> producer_entries;
  UnknownTaggedFields unknown_tagged_fields;

  bool operator==(const ProducerSnapshot&) const = default;
  template <class T = ProducerSnapshot>
  static constexpr auto fields() {
    return std::tuple{
        field("crc", &T::crc, only(1)),
        field("producerEntries", &T::producer_entries, only(1)),
    };
  }
};

}  // namespace fencepost::protocol
