#include "tools/wire/read_input.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace fencepost::tools::wire {

namespace {

Result<std::string> read_all(std::FILE* file, const std::string& name) {
  std::string out;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file);
    out.append(chunk.data(), count);
    if (count == chunk.size()) continue;
    if (std::ferror(file) == 0) return out;
    return Error{ErrorKind::io, name + ": " + std::strerror(errno), 0, {}};
  }
}

}  // namespace

Result<std::string> argument_or_stdin(const std::string& argument) {
  if (argument != "-") return argument;
  return read_all(stdin, "standard input");
}

Result<std::string> read_file(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (file == nullptr) return Error{ErrorKind::io, path + ": " + std::strerror(errno), 0, {}};
  return read_all(file.get(), path);
}

}  // namespace fencepost::tools::wire
