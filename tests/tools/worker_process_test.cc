// The processes that a torture strikes.
#include "tools/torture/worker_process.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/catch.h"

using namespace fencepost::tools;

// The child of the test below, which runs this program again.
TEST_CASE("Tells what files are open", "[.][child]") {
  for (int file = 0; file < 64; ++file)
    if (lseek(file, 0, SEEK_CUR) >= 0 || errno != EBADF) WARN("open: " << file);
}

TEST_CASE("A worker held the links of its sibling open", "[torture]") {
  std::array<int, 2> link{};
  REQUIRE(pipe(link.data()) == 0);
  const std::string log =
      std::filesystem::temp_directory_path() / ("worker-log-" + std::to_string(getpid()));
  {
    WorkerProcess child({"child", "Tells what files are open"}, log);
    REQUIRE(child.start().ok());
    while (child.is_running()) usleep(1'000);
  }
  std::ifstream file(log);
  const std::string said((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::filesystem::remove(log);
  for (const int end : link) close(end);
  CHECK(said.find("open: 2\n") != std::string::npos);
  CHECK(said.find("open: 3\n") == std::string::npos);
}
