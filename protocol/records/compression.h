// The codecs of record batches, each by its library. Decompression never unpacks more than a stated
// limit: a small batch that claims to be huge is refused before it costs memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/base/bytes.h"
#include "protocol/base/result.h"

namespace fencepost::protocol {

enum class CompressionType : std::int8_t { none = 0, gzip = 1, snappy = 2, lz4 = 3, zstd = 4 };

constexpr std::size_t default_unpacked_bytes_max = std::size_t{256} << 20;

std::optional<CompressionType> compression_of(int id);
std::string_view to_string(CompressionType type);
std::optional<CompressionType> parse_compression(std::string_view name);

// snappy: Kafka's framed form; lz4: the frame format.
ByteVector compress(CompressionType type, ByteView bytes);
// snappy is accepted framed and raw. Bytes behind the stream are answered as Kafka answers them:
// gzip and lz4 leave them alone, zstd refuses them, snappy does from four bytes on. Refused with
// the byte offset, and before memory is taken for it, is what unpacks to more than the limit.
Result<ByteVector> decompress(CompressionType type, ByteView bytes, std::size_t unpacked_bytes_max);

// CRC-32C (Castagnoli), as record batches and Kafka's snapshots use it.
std::uint32_t crc32c(ByteView bytes);

}  // namespace fencepost::protocol
