#include "protocol/base/result.h"

namespace fencepost {

std::string to_string(const Error& error) {
  std::string out = error.text;
  if (!error.field.empty()) out += ", field " + error.field;
  if (error.kind == ErrorKind::malformed) out += ", at byte " + std::to_string(error.offset);
  return out;
}

}  // namespace fencepost
