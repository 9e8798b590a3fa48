#include "base/error.h"

#include <fmt/core.h>

namespace instantstart {

Error within(std::string_view context, Error error) {
  error.message = fmt::format("{}: {}", context, error.message);
  return error;
}

}  // namespace instantstart
