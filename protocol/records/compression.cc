#include "protocol/records/compression.h"

#include <isa-l/crc.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "protocol/records/snappy_frames.h"

namespace fencepost::protocol {

namespace {

constexpr std::array<std::string_view, 5> names = {"none", "gzip", "snappy", "lz4", "zstd"};
constexpr int gzip_window_bits = 15 + 16;  // the largest window, in gzip's wrapping
// Header and trailer of the least member: with no more than that behind a member, Java's
// GZIPInputStream looks for no other.
constexpr std::size_t gzip_overhead_bytes = 18;
constexpr std::array<std::uint8_t, 4> lz4_magic = {0x04, 0x22, 0x4d, 0x18};
constexpr std::size_t zlib_chunk_bytes_max = std::numeric_limits<uInt>::max();

Error malformed(std::string text, std::size_t offset) {
  return Error{ErrorKind::malformed, std::move(text), offset, {}};
}
Error too_large(std::size_t unpacked_bytes_max) {
  return malformed("unpacks to more than " + std::to_string(unpacked_bytes_max) + " bytes", 0);
}

// Output of a streaming decompressor. It grows with what comes out and stops one byte above the
// limit, which is how "exactly the limit" and "more than that" are told apart.
class Output {
 public:
  Output(std::size_t input_size, std::size_t limit) : limit_(limit) {
    bytes_.resize(std::min(std::max<std::size_t>(input_size, 256) * 2, limit + 1));
  }

  // Room for more; an empty span when the limit is passed.
  std::span<std::uint8_t> room() {
    if (size_ == bytes_.size()) bytes_.resize(std::min(bytes_.size() * 2, limit_ + 1));
    return std::span(bytes_).subspan(size_);
  }
  void grow(std::size_t count) { size_ += count; }
  bool is_over_limit() const { return size_ > limit_; }
  ByteVector take() {
    bytes_.resize(size_);
    return std::move(bytes_);
  }

 private:
  std::size_t limit_;
  std::size_t size_ = 0;
  ByteVector bytes_;
};

// ---- gzip

ByteVector compress_gzip(ByteView bytes) {
  z_stream stream{};
  CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window_bits, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK);
  CHECK(bytes.size() <= zlib_chunk_bytes_max);
  ByteVector out(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// Several gzip members may follow one another, and what is behind the last and begins no other is
// left alone, as Java's GZIPInputStream reads them.
Result<ByteVector> decompress_gzip(ByteView bytes, std::size_t limit) {
  if (bytes.size() > zlib_chunk_bytes_max) return malformed("more gzip data than can be read", 0);
  z_stream stream{};
  CHECK(inflateInit2(&stream, gzip_window_bits) == Z_OK);
  const std::unique_ptr<z_stream, EndInflate> guard(&stream);
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  Output out(bytes.size(), limit);
  bool is_first = true;
  gz_header header{};
  while (true) {
    const std::span<std::uint8_t> room = out.room();
    const uInt room_size = static_cast<uInt>(std::min(room.size(), zlib_chunk_bytes_max));
    stream.next_out = room.data();
    stream.avail_out = room_size;
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.grow(room_size - stream.avail_out);
    const std::size_t offset = bytes.size() - stream.avail_in;
    if (out.is_over_limit()) return too_large(limit);
    if (status == Z_STREAM_END) {
      if (stream.avail_in <= gzip_overhead_bytes) return out.take();
      is_first = false;
      header = {};
      inflateReset(&stream);
      inflateGetHeader(&stream, &header);
    } else if (status != Z_OK) {
      if (!is_first && header.done != 1) return out.take();
      return malformed(stream.avail_in == 0 ? "gzip data is cut off" : "not gzip data", offset);
    }
  }
}

// ---- lz4

ByteVector compress_lz4(ByteView bytes) {
  LZ4F_preferences_t preferences{};
  // Kafka's reader refuses blocks that depend on one another.
  preferences.frameInfo.blockMode = LZ4F_blockIndependent;
  preferences.frameInfo.blockSizeID = LZ4F_max64KB;
  ByteVector out(LZ4F_compressFrameBound(bytes.size(), &preferences));
  const std::size_t size =
      LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), &preferences);
  CHECK(LZ4F_isError(size) == 0);
  out.resize(size);
  return out;
}

struct FreeLz4 {
  void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
};

// Whether the frame declares more than the limit; it need not declare anything.
bool declares_more(LZ4F_dctx* context, ByteView bytes, std::size_t limit) {
  LZ4F_frameInfo_t info{};
  std::size_t read = bytes.size();
  if (LZ4F_isError(LZ4F_getFrameInfo(context, &info, bytes.data(), &read)) != 0) return false;
  return info.contentSize > limit;
}

// One frame, with blocks of either mode; what is behind it is left alone, as Kafka does.
Result<ByteVector> decompress_lz4(ByteView bytes, std::size_t limit) {
  // The library would also skip frames of other kinds.
  if (bytes.size() < lz4_magic.size() ||
      !std::ranges::equal(bytes.first(lz4_magic.size()), lz4_magic))
    return malformed("not lz4 data: no frame of it", 0);
  LZ4F_dctx* raw_context = nullptr;
  CHECK(LZ4F_isError(LZ4F_createDecompressionContext(&raw_context, LZ4F_VERSION)) == 0);
  const std::unique_ptr<LZ4F_dctx, FreeLz4> context(raw_context);
  if (declares_more(raw_context, bytes, limit)) return too_large(limit);
  LZ4F_resetDecompressionContext(raw_context);  // for the frame from its start
  Output out(bytes.size(), limit);
  std::size_t offset = 0;
  while (true) {
    const std::span<std::uint8_t> room = out.room();
    std::size_t written = room.size();
    std::size_t read = bytes.size() - offset;
    const std::size_t hint = LZ4F_decompress(context.get(), room.data(), &written,
                                             bytes.data() + offset, &read, nullptr);
    if (LZ4F_isError(hint) != 0)
      return malformed(std::string("not lz4 data: ") + LZ4F_getErrorName(hint), offset);
    out.grow(written);
    offset += read;
    if (out.is_over_limit()) return too_large(limit);
    if (hint == 0) return out.take();
    if (offset == bytes.size() && written < room.size())
      return malformed("lz4 data is cut off", offset);
  }
}

// ---- zstd

ByteVector compress_zstd(ByteView bytes) {
  ByteVector out(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  CHECK(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// The window that a frame may ask for: 8 MiB, which every decoder must offer, or up to what may be
// unpacked.
int window_log_max(std::size_t limit) {
  int log = 23;
  while (log < 27 && (std::size_t{1} << log) < limit) ++log;
  return log;
}

Result<ByteVector> decompress_zstd(ByteView bytes, std::size_t limit) {
  const unsigned long long declared = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (declared != ZSTD_CONTENTSIZE_UNKNOWN && declared != ZSTD_CONTENTSIZE_ERROR &&
      declared > limit)
    return too_large(limit);
  const std::unique_ptr<ZSTD_DCtx, FreeZstd> context(ZSTD_createDCtx());
  CHECK(context != nullptr);
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, window_log_max(limit));
  Output out(bytes.size(), limit);
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  while (true) {
    const std::span<std::uint8_t> room = out.room();
    ZSTD_outBuffer piece{room.data(), room.size(), 0};
    const std::size_t hint = ZSTD_decompressStream(context.get(), &piece, &in);
    if (ZSTD_isError(hint) != 0)
      return malformed(std::string("not zstd data: ") + ZSTD_getErrorName(hint), in.pos);
    out.grow(piece.pos);
    if (out.is_over_limit()) return too_large(limit);
    if (in.pos < in.size || piece.pos == piece.size) continue;
    if (hint == 0) return out.take();
    return malformed("zstd data is cut off", in.pos);
  }
}

}  // namespace

std::optional<CompressionType> compression_of(int id) {
  if (id < 0 || id >= static_cast<int>(names.size())) return std::nullopt;
  return static_cast<CompressionType>(id);
}

std::string_view to_string(CompressionType type) {
  return names[static_cast<std::size_t>(type)];
}

std::optional<CompressionType> parse_compression(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<CompressionType>(found - names.begin());
}

ByteVector compress(CompressionType type, ByteView bytes) {
  switch (type) {
    case CompressionType::none:
      return ByteVector(bytes.begin(), bytes.end());
    case CompressionType::gzip:
      return compress_gzip(bytes);
    case CompressionType::snappy:
      return compress_snappy(bytes);
    case CompressionType::lz4:
      return compress_lz4(bytes);
    case CompressionType::zstd:
      return compress_zstd(bytes);
  }
  CHECK(false);
}

Result<ByteVector> decompress(CompressionType type, ByteView bytes,
                              std::size_t unpacked_bytes_max) {
  // One byte above the limit must be countable.
  const std::size_t limit =
      std::min(unpacked_bytes_max, std::numeric_limits<std::size_t>::max() / 4);
  switch (type) {
    case CompressionType::none:
      if (bytes.size() > limit) return too_large(limit);
      return ByteVector(bytes.begin(), bytes.end());
    case CompressionType::gzip:
      return decompress_gzip(bytes, limit);
    case CompressionType::snappy:
      return decompress_snappy(bytes, limit);
    case CompressionType::lz4:
      return decompress_lz4(bytes, limit);
    case CompressionType::zstd:
      return decompress_zstd(bytes, limit);
  }
  CHECK(false);
}

std::uint32_t crc32c(ByteView bytes) {
  constexpr std::size_t chunk_bytes_max = std::size_t{1} << 30;  // ISA-L counts in int
  std::uint32_t state = 0xffffffff;
  while (!bytes.empty()) {
    const ByteView chunk = bytes.first(std::min(bytes.size(), chunk_bytes_max));
    state = crc32_iscsi(const_cast<unsigned char*>(chunk.data()), static_cast<int>(chunk.size()),
                        state);
    bytes = bytes.subspan(chunk.size());
  }
  return ~state;
}

}  // namespace fencepost::protocol
