// Snappy as Kafka's Java client writes it: a header of magic and two versions, then blocks of 32
// KiB, each behind its compressed length. Other clients send one raw block, without header and
// length.
#pragma once

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::protocol {

ByteVector compress_snappy(ByteView bytes);
// Both forms; malformed when the data is neither or unpacks to more than that many bytes.
Result<ByteVector> decompress_snappy(ByteView bytes, std::size_t unpacked_bytes_max);

}  // namespace fencepost::protocol
