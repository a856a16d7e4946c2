// Whole requests as a server takes them in: the header says which message follows it.
#include "protocol/api.h"
#include "protocol/base/check.h"
#include "protocol/messages/headers.h"

namespace fencepost::protocol {
namespace {

void check_request(const SharedBytes& bytes) {
  Reader peek(bytes);
  const Api* api = find_api(static_cast<ApiKey>(peek.int16()));
  const int version = peek.int16();
  if (peek.failed() || api == nullptr || !api->versions().contains(version)) return;
  const int header_version = request_header_version(*api, version);
  Reader reader(bytes);
  RequestHeader header;
  if (!Codec<RequestHeader>::decode(reader, header_version, header)) {
    CHECK(reader.error().offset <= bytes.size());
    CHECK(!reader.error().field.empty());
    return;
  }
  CHECK(header.request_api_key == static_cast<std::int16_t>(api->key));
  const Result<Frame> again = Codec<RequestHeader>::encode(header, header_version);
  CHECK(again->size() <= reader.offset());
  const SharedBytes body = bytes.slice(reader.offset(), bytes.size() - reader.offset());
  const Result<Frame> body_again = api->request.recode(body, version);
  if (body_again) CHECK(body_again->size() <= body.size());
}

}  // namespace
}  // namespace fencepost::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fencepost::protocol::check_request(
      fencepost::SharedBytes::copy_of(fencepost::ByteView(data, size)));
  return 0;
}
