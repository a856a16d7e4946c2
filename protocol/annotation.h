// What each byte of a message is: the rows that a decoder writes beside its work, for tools that
// show bytes to people. A row names a field with its range of bytes, or groups the rows below it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/bytes.h"

namespace fencepost::protocol {

struct AnnotatedField {
  int depth = 0;
  std::string name;   // "producerId", "topics[2]"
  std::string type;   // "int64", "string length", "string"; of a group its struct, or nothing
  std::string value;  // as in JSON; of a group nothing
  std::size_t begin = 0;
  std::size_t end = 0;  // behind the last byte
  SharedBytes bytes;    // the range itself
  bool is_group = false;
  bool is_unpacked = false;  // a group whose rows count within the unpacked bytes
};

class Annotation {
 public:
  explicit Annotation(SharedBytes buffer) { buffers_.push_back(std::move(buffer)); }

  // The bytes that ranges count in: the input, or what open_unpacked() was given.
  const SharedBytes& buffer() const { return buffers_.back(); }
  const std::vector<AnnotatedField>& fields() const { return fields_; }

  void add(std::string name, std::string type, std::string value, std::size_t begin,
           std::size_t end);
  // Rows until close() lie below this one.
  void open(std::string name, std::string type, std::size_t begin);
  // As above; ranges count in `unpacked` until close().
  void open_unpacked(std::string name, std::string type, SharedBytes unpacked);
  void close(std::size_t end);
  // Closes everything that is open, where a decoder gave up.
  void close_all(std::size_t end);

 private:
  struct Open {
    std::size_t field;
    bool is_unpacked;
  };

  std::vector<AnnotatedField> fields_;
  std::vector<SharedBytes> buffers_;
  std::vector<Open> open_;
};

// Reads the batches that begin at `begin` and end at `end` of the annotation's buffer, down to the
// fields of their records; what cannot be read is one row of bytes, whose value says why.
void annotate_batches(Annotation& annotation, std::size_t begin, std::size_t end);

}  // namespace fencepost::protocol
