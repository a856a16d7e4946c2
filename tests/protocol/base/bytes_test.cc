#include "protocol/base/bytes.h"

#include "tests/catch.h"

namespace fencepost {
namespace {

TEST_CASE("a slice keeps its buffer alive and is compared by what it holds", "[protocol][bytes]") {
  SharedBytes slice;
  {
    const SharedBytes buffer = SharedBytes::copy_of("generation");
    slice = buffer.slice(3, 4);
    CHECK(slice.data() == buffer.data() + 3);
  }
  CHECK(slice.text() == "erat");
  CHECK(slice == SharedBytes::copy_of("erat"));
  CHECK(!(slice == SharedBytes::copy_of("erase")));
}

TEST_CASE("bytes are taken over without being copied", "[protocol][bytes]") {
  ByteVector bytes(1000, 1);
  const std::uint8_t* data = bytes.data();
  CHECK(SharedBytes(std::move(bytes)).data() == data);
}

TEST_CASE("a frame is its pieces one after another", "[protocol][bytes]") {
  Frame frame(SharedBytes::copy_of("ab"));
  frame.append(SharedBytes());
  frame.append(Frame(SharedBytes::copy_of("cd")));
  CHECK(frame.pieces().size() == 2);
  CHECK(frame.size() == 4);
  CHECK(frame.flatten().text() == "abcd");
  CHECK(Frame().flatten().empty());
}

TEST_CASE("base64 has padding and the standard letters", "[protocol][bytes]") {
  CHECK(to_base64(as_bytes("")) == "");
  CHECK(to_base64(as_bytes("f")) == "Zg==");
  CHECK(to_base64(as_bytes("fo")) == "Zm8=");
  CHECK(to_base64(as_bytes("foo")) == "Zm9v");
  CHECK(to_base64(ByteVector{0xfb, 0xff, 0xbf}) == "+/+/");
  CHECK(to_hex(ByteVector{0x00, 0x9f, 0xff}) == "009fff");
}

}  // namespace
}  // namespace fencepost
