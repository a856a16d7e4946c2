// Views of bytes, and SharedBytes: an immutable, reference-counted slice. Record data travels as
// SharedBytes from the frame it came in to the frame it leaves in, without being copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fencepost {

using ByteView = std::span<const std::uint8_t>;
using ByteVector = std::vector<std::uint8_t>;

// An immutable slice of a buffer that lives as long as any slice of it. Cheap to copy.
class SharedBytes {
 public:
  SharedBytes() = default;
  // Takes the bytes over without copying them.
  explicit SharedBytes(ByteVector bytes);
  // A view into a buffer that `owner` keeps alive.
  SharedBytes(std::shared_ptr<const void> owner, ByteView view)
      : owner_(std::move(owner)), view_(view) {}

  static SharedBytes copy_of(ByteView bytes);
  static SharedBytes copy_of(std::string_view text);

  ByteView view() const { return view_; }
  const std::uint8_t* data() const { return view_.data(); }
  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::string_view text() const;

  // The slice [offset, offset + size); both must lie within this one.
  SharedBytes slice(std::size_t offset, std::size_t size) const;

  friend bool operator==(const SharedBytes& a, const SharedBytes& b);

 private:
  std::shared_ptr<const void> owner_;
  ByteView view_;
};

// A message ready to be sent: pieces to be written one after another, so that record data is not
// copied into it.
class Frame {
 public:
  Frame() = default;
  explicit Frame(SharedBytes bytes) { append(std::move(bytes)); }

  void append(SharedBytes piece);
  void append(const Frame& other);
  std::size_t size() const { return size_; }
  const std::vector<SharedBytes>& pieces() const { return pieces_; }
  // All pieces as one; copies only when there is more than one.
  SharedBytes flatten() const;

 private:
  std::vector<SharedBytes> pieces_;
  std::size_t size_ = 0;
};

std::string to_hex(ByteView bytes);
std::string to_base64(ByteView bytes);
ByteView as_bytes(std::string_view text);
std::string_view as_text(ByteView bytes);

}  // namespace fencepost
