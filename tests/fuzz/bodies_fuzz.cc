// Every message, coordinator record and embedded protocol: bytes are refused at a field and offset,
// or they are a message that says the same when it is written again.
#include "protocol/base/check.h"
#include "tests/fuzz/picked_message.h"

namespace fencepost::fuzz {
namespace {

void check_refusal(const Error& error, const SharedBytes& bytes) {
  CHECK(error.kind == ErrorKind::malformed);
  CHECK(error.offset <= bytes.size());
  CHECK(!error.field.empty() || error.text.ends_with("left over"));
}

void check_message(const PickedMessage& picked) {
  const auto [type, version, bytes] = picked;
  const Result<Frame> again = type.recode(bytes, version);
  if (!again) return check_refusal(again.error(), bytes);
  const SharedBytes canonical = again->flatten();
  CHECK(canonical.size() <= bytes.size());
  CHECK(*type.to_json(canonical, version) == *type.to_json(bytes, version));
  CHECK(type.recode(canonical, version)->flatten() == canonical);
}

}  // namespace
}  // namespace fencepost::fuzz

extern "C" int LLVMFuzzerInitialize(int* argument_count, char*** arguments) {
  fencepost::fuzz::print_names_if_asked(*argument_count, *arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto picked = fencepost::fuzz::pick_message({data, size});
  if (picked) fencepost::fuzz::check_message(*picked);
  return 0;
}
