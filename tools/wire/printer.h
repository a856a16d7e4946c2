// Where decoded bytes go: JSON in the layout that was asked for, or the bytes field by field.
#pragma once

#include <cstdio>
#include <string_view>

#include "protocol/annotation.h"

namespace fencepost::tools::wire {

class Printer {
 public:
  struct Options {
    bool is_json = false;  // one JSON object a line; otherwise laid out for people
    bool is_annotated = false;
  };
  Printer(std::FILE* out, Options options) : out_(out), options_(options) {}

  bool is_annotated() const { return options_.is_annotated; }
  // One JSON document, given on one line.
  void json(std::string_view document);
  // Each field with its range of bytes (the last one included), the bytes, and what they say.
  void annotation(const protocol::Annotation& annotation);

 private:
  // `group` is the type of the group that stands above the field.
  void field_as_text(const protocol::AnnotatedField& field, std::string_view group);
  void field_as_json(const protocol::AnnotatedField& field);

  std::FILE* out_;
  Options options_;
};

}  // namespace fencepost::tools::wire
