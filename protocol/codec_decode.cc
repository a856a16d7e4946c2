// Decoding without an observer, as brokers and clients do it.
#include "protocol/codec_decoder.h"

namespace fencepost::protocol::walk {

bool decode(Reader& reader, const StructTable& table, void* structure, const Context& context) {
  return Decoder<NoObserver>(reader).structure(table, structure, context);
}

bool expect_end(Reader& reader) {
  if (reader.remaining() == 0) return true;
  return reader.fail(std::to_string(reader.remaining()) + " bytes left over");
}

}  // namespace fencepost::protocol::walk
