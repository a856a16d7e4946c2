#include "protocol/base/bytes.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace fencepost {

SharedBytes::SharedBytes(ByteVector bytes) {
  auto owner = std::make_shared<const ByteVector>(std::move(bytes));
  view_ = ByteView(*owner);
  owner_ = std::move(owner);
}

SharedBytes SharedBytes::copy_of(ByteView bytes) {
  return SharedBytes(ByteVector(bytes.begin(), bytes.end()));
}

SharedBytes SharedBytes::copy_of(std::string_view text) {
  return copy_of(as_bytes(text));
}

std::string_view SharedBytes::text() const {
  return as_text(view_);
}

SharedBytes SharedBytes::slice(std::size_t offset, std::size_t size) const {
  CHECK(offset <= view_.size() && size <= view_.size() - offset);
  return SharedBytes(owner_, view_.subspan(offset, size));
}

bool operator==(const SharedBytes& a, const SharedBytes& b) {
  return std::ranges::equal(a.view_, b.view_);
}

void Frame::append(SharedBytes piece) {
  if (piece.empty()) return;
  size_ += piece.size();
  pieces_.push_back(std::move(piece));
}

void Frame::append(const Frame& other) {
  for (const SharedBytes& piece : other.pieces_) append(piece);
}

SharedBytes Frame::flatten() const {
  if (pieces_.empty()) return {};
  if (pieces_.size() == 1) return pieces_.front();
  ByteVector all;
  all.reserve(size_);
  for (const SharedBytes& piece : pieces_)
    all.insert(all.end(), piece.view().begin(), piece.view().end());
  return SharedBytes(std::move(all));
}

std::string to_hex(ByteView bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  return out;
}

std::string to_base64(ByteView bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = std::uint32_t{bytes[i]} << 16;
    if (left > 1) group |= std::uint32_t{bytes[i + 1]} << 8;
    if (left > 2) group |= bytes[i + 2];
    out += digits[group >> 18];
    out += digits[group >> 12 & 63];
    out += left > 1 ? digits[group >> 6 & 63] : '=';
    out += left > 2 ? digits[group & 63] : '=';
  }
  return out;
}

ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace fencepost
