// Every message, coordinator record and embedded protocol: bytes are refused at a field and offset,
// or they are a message that says the same when it is written again. What a tool shows of them is
// found without trouble as well.
#include "protocol/annotation.h"
#include "protocol/base/check.h"
#include "protocol/reader.h"
#include "tests/fuzz/picked_message.h"
#include "tests/protocol/damage.h"

namespace fencepost::fuzz {
namespace {

void check_annotation(const PickedMessage& picked) {
  protocol::Annotation annotation(picked.content);
  protocol::Reader reader(picked.content);
  const bool is_read = picked.type.annotate(reader, picked.version, annotation);
  CHECK(is_read != reader.failed());
  annotation.close_all(reader.offset());
}

}  // namespace
}  // namespace fencepost::fuzz

extern "C" int LLVMFuzzerInitialize(int* argument_count, char*** arguments) {
  fencepost::fuzz::print_names_if_asked(*argument_count, *arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto picked = fencepost::fuzz::pick_message({data, size});
  if (!picked) return 0;
  const auto& [type, version, content] = *picked;
  CHECK(fencepost::protocol::complaint_about_message(type, version, content) == "");
  fencepost::fuzz::check_annotation(*picked);
  return 0;
}
