// Result: a value, or the reason why there is none. For bytes, network, files and time saying no;
// what a broker answers is an ErrorCode in a response, not an Error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "protocol/base/check.h"

namespace fencepost {

enum class ErrorKind {
  malformed,            // bytes that are not what they should be
  unsupported_version,  // a version that the message, the broker or the client does not have
  not_encodable,        // a value that this version cannot carry
  invalid_argument,     // what a person wrote (command line, scenario file) is wrong
  cannot_connect,       // no connection; nothing was sent
  unknown_outcome,      // sent, and no answer came: it may or may not have taken effect
  closed,               // the connection was closed before anything was sent
  stalled,              // no progress within the stated time
  io,                   // a file could not be read or written
};

// What went wrong and where.
struct Error {
  ErrorKind kind = ErrorKind::malformed;
  std::string text;        // one sentence, without a full stop
  std::size_t offset = 0;  // byte offset in the input, where there is one
  std::string field;       // path of the field, as in the message's JSON form; empty if none

  bool operator==(const Error&) const = default;
};

// One line: the text, with field and offset where the kind has them.
std::string to_string(const Error& error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: by design

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return (CHECK(ok()), *std::get_if<0>(&state_)); }
  const T& value() const& { return (CHECK(ok()), *std::get_if<0>(&state_)); }
  T&& value() && { return (CHECK(ok()), std::move(*std::get_if<0>(&state_))); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return (CHECK(!ok()), *std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: by design

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return (CHECK(error_.has_value()), *error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace fencepost
