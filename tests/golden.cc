#include "tests/golden.h"

#include <zlib.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "protocol/base/check.h"
#include "tests/data_folder.h"

namespace fencepost::golden {

namespace {

struct Close {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

// zlib reads a file that is not compressed as it is.
std::string read_file(std::string_view name) {
  const std::string path = std::string(data_folder) + "/" + std::string(name);
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  CHECK(file != nullptr);
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (true) {
    const int count = gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    CHECK(count >= 0);
    if (count == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

Row split(std::string_view text, char separator) {
  Row parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::uint8_t hex_digit(char letter) {
  CHECK((letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f'));
  return static_cast<std::uint8_t>(letter <= '9' ? letter - '0' : letter - 'a' + 10);
}

}  // namespace

std::vector<Row> rows(std::string_view file) {
  std::vector<Row> rows;
  for (const std::string& line : split(read_file(file), '\n'))
    if (!line.empty()) rows.push_back(split(line, '\t'));
  CHECK(!rows.empty());
  return rows;
}

std::vector<Row> rows_below_heading(std::string_view file) {
  std::vector<Row> all = rows(file);
  all.erase(all.begin());
  return all;
}

SharedBytes from_hex(std::string_view hex) {
  CHECK(hex.size() % 2 == 0);
  ByteVector bytes;
  bytes.reserve(hex.size() / 2);
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1])));
  return SharedBytes(std::move(bytes));
}

std::string normalized_json(std::string_view text) {
  return nlohmann::json::parse(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace fencepost::golden
