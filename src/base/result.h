// Result<T>: a value or an Error. Exceptions are for broken invariants and never cross a room.
#pragma once

#include <expected>
#include <utility>

#include "base/error.h"

namespace instantstart {

template <class T = void>
using Result = std::expected<T, Error>;

/// Shorthand for the failing return: `return fail("not_found", "No cluster has the tag 'a'.");`
inline std::unexpected<Error> fail(std::string_view code, std::string message) {
  return std::unexpected(Error{.code = std::string(code), .message = std::move(message)});
}

inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace instantstart
