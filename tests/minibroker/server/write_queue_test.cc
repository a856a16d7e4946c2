// Frames through the write queue, written whole and in parts.
#include "minibroker/server/write_queue.h"

#include "tests/catch.h"

namespace fencepost::minibroker::server {

namespace {

Frame frame_of(std::initializer_list<std::string_view> pieces) {
  Frame frame;
  for (std::string_view piece : pieces) frame.append(SharedBytes::copy_of(piece));
  return frame;
}

// What a socket would get that takes `step` bytes at a time.
std::string written(WriteQueue& queue, std::size_t step) {
  std::string all;
  while (!queue.empty()) {
    std::size_t room = step;
    std::size_t count = 0;
    for (ByteView piece : queue.gather(3)) {
      const ByteView taken = piece.first(std::min(room, piece.size()));
      all += as_text(taken);
      room -= taken.size();
      count += taken.size();
    }
    queue.consume(count);
  }
  return all;
}

}  // namespace

TEST_CASE("Frames are written with their lengths, in order, whatever the socket takes",
          "[minibroker][server]") {
  using namespace std::string_literals;
  const std::string expected = "\0\0\0\5abcde"s + "\0\0\0\2fg"s + "\0\0\0\0"s + "\0\0\0\1h"s;
  for (std::size_t step = 1; step < 30; ++step) {
    INFO(step << " bytes at a time");
    WriteQueue queue;
    queue.push(frame_of({"ab", "", "cde"}));
    queue.push(frame_of({"fg"}));
    queue.push(Frame());
    queue.push(frame_of({"h"}));
    CHECK(queue.size() == expected.size());
    CHECK(written(queue, step) == expected);
    CHECK(queue.gather(10).empty());
  }
}

TEST_CASE("A write gathers no more pieces than were asked for", "[minibroker][server]") {
  WriteQueue queue;
  for (int i = 0; i < 10; ++i) queue.push(frame_of({"a", "b"}));
  CHECK(queue.gather(7).size() == 7);
}

}  // namespace fencepost::minibroker::server
