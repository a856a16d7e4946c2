#include "protocol/records/metadata_log.h"

#include "protocol/codec_walk.h"

namespace fencepost::protocol {

template struct Codec<TopicRecord>;
template struct Codec<PartitionRecord>;
template struct Codec<ConfigRecord>;
template struct Codec<PartitionChangeRecord>;
template struct Codec<RemoveTopicRecord>;
template struct Codec<FeatureLevelRecord>;
template struct Codec<ProducerIdsRecord>;

namespace {

constexpr std::uint32_t frame_version = 1;

}  // namespace

SharedBytes frame_metadata(std::uint32_t type, std::uint32_t version, const SharedBytes& body) {
  Writer writer;
  writer.unsigned_varint(frame_version);
  writer.unsigned_varint(type);
  writer.unsigned_varint(version);
  writer.raw(body.view());
  return writer.finish().flatten();
}

Result<MetadataFrame> open_metadata(const SharedBytes& value) {
  Reader reader(value);
  const std::uint32_t frame = reader.unsigned_varint();
  MetadataFrame out;
  out.type = reader.unsigned_varint();
  out.version = reader.unsigned_varint();
  if (!reader.failed() && frame != frame_version)
    reader.fail("a frame of version " + std::to_string(frame) + ", not of version 1");
  if (reader.failed()) return reader.error();
  out.body = reader.shared(reader.remaining());
  return out;
}

}  // namespace fencepost::protocol
