// JSON of every message: it is refused, or what it is encoded to decodes again.
#include "protocol/base/check.h"
#include "protocol/json.h"
#include "tests/fuzz/picked_message.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fencepost;
  const auto picked = fuzz::pick_message({data, size});
  if (!picked) return 0;
  const Result<protocol::JsonDocument> json = protocol::JsonDocument::parse(picked->content.text());
  if (!json) return 0;
  const Result<Frame> frame = picked->type.from_json(json->root(), picked->version);
  if (!frame) return 0;
  const SharedBytes bytes = frame->flatten();
  CHECK(picked->type.recode(bytes, picked->version)->flatten() == bytes);
  CHECK(picked->type.to_json(bytes, picked->version).ok());
  return 0;
}
