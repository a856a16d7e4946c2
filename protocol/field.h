// One field of a message: its name in Kafka's schema, the member that holds it, and the versions
// that carry it. A message lists its fields once, in wire order; every walk (encode, decode, JSON,
// description) goes over that one list. fields() is a template so that only the walks pay for it:
// whoever includes a message compiles none of the list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/base/bytes.h"

namespace fencepost::protocol {

constexpr int version_max = 32767;

// An inclusive range of versions; empty when first > last.
struct Versions {
  int first = 0;
  int last = -1;

  constexpr bool contains(int version) const { return first <= version && version <= last; }
  constexpr bool is_empty() const { return first > last; }
  bool operator==(const Versions&) const = default;
};

constexpr Versions no_versions{};
constexpr Versions since(int first) {
  return {first, version_max};
}
constexpr Versions between(int first, int last) {
  return {first, last};
}
constexpr Versions only(int version) {
  return {version, version};
}

// A record field: bytes that hold record batches.
struct Records {
  SharedBytes bytes;
  bool operator==(const Records&) const = default;
};

// A tagged field that this release does not know; kept and written back.
struct UnknownTaggedField {
  std::uint32_t tag = 0;
  SharedBytes bytes;
  bool operator==(const UnknownTaggedField&) const = default;
};
using UnknownTaggedFields = std::vector<UnknownTaggedField>;

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::*member;
  Versions versions;
  Versions nullable_versions = no_versions;
  Versions tagged_versions = no_versions;
  std::uint32_t tag = 0;
  bool is_ignorable = false;
  bool is_never_flexible = false;

  // The versions in which the field may be null; the member is a std::optional.
  constexpr Field nullable(Versions range) const {
    Field out = *this;
    out.nullable_versions = range;
    return out;
  }
  // The versions in which the field travels as a tagged field.
  constexpr Field tagged(std::uint32_t number, Versions range) const {
    Field out = *this;
    out.tag = number;
    out.tagged_versions = range;
    return out;
  }
  // A version without the field drops a value that is not the default, instead of refusing it.
  constexpr Field ignorable() const {
    Field out = *this;
    out.is_ignorable = true;
    return out;
  }
  // The length stays int16 in flexible versions too (RequestHeader.ClientId, KIP-511).
  constexpr Field never_flexible() const {
    Field out = *this;
    out.is_never_flexible = true;
    return out;
  }
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::*member,
                                      Versions versions) {
  return {name, member, versions};
}

enum class MessageKind { request, response, header, data };

// What a message says of itself.
struct MessageInfo {
  std::string_view name;  // Kafka's schema name, such as "EndTxnRequest"
  MessageKind kind = MessageKind::data;
  std::int16_t api_key = -1;  // record type for the coordinators' keys and values; -1: none
  Versions valid_versions;
  Versions flexible_versions = no_versions;
  bool is_latest_unstable = false;
};

}  // namespace fencepost::protocol
