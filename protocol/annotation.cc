#include "protocol/annotation.h"

#include <algorithm>

#include "protocol/base/check.h"

namespace fencepost::protocol {

void Annotation::add(std::string name, std::string type, std::string value, std::size_t begin,
                     std::size_t end) {
  CHECK(begin <= end);
  fields_.push_back({static_cast<int>(open_.size()), std::move(name), std::move(type),
                     std::move(value), begin, end, buffer().slice(begin, end - begin), false,
                     false});
}

void Annotation::open(std::string name, std::string type, std::size_t begin) {
  add(std::move(name), std::move(type), "", begin, begin);
  fields_.back().is_group = true;
  open_.push_back({fields_.size() - 1, false});
}

void Annotation::open_unpacked(std::string name, std::string type, SharedBytes unpacked) {
  open(std::move(name), std::move(type), 0);
  fields_.back().is_unpacked = true;
  open_.back().is_unpacked = true;
  buffers_.push_back(std::move(unpacked));
}

void Annotation::close(std::size_t end) {
  CHECK(!open_.empty());
  AnnotatedField& group = fields_[open_.back().field];
  group.end = end;
  group.bytes = buffer().slice(group.begin, end - group.begin);
  if (open_.back().is_unpacked) buffers_.pop_back();
  open_.pop_back();
}

void Annotation::close_all(std::size_t end) {
  while (!open_.empty())
    close(std::min(std::max(end, fields_[open_.back().field].begin), buffer().size()));
}

}  // namespace fencepost::protocol
