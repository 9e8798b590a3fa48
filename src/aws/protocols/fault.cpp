#include "aws/protocols/fault.h"

#include <fmt/format.h>

#include "base/json.h"

namespace instantstart::aws {

std::unexpected<Fault> in_member(std::string_view name, Fault fault) {
  fault.at = join_pointer("", name) + fault.at;
  return std::unexpected(std::move(fault));
}

std::unexpected<Fault> in_item(std::size_t index, Fault fault) {
  fault.at = join_pointer("", index) + fault.at;
  return std::unexpected(std::move(fault));
}

Error to_error(std::string_view code, std::string_view subject, const Fault& fault) {
  Error error{.code = std::string(code)};
  error.message = fault.at.empty() ? fmt::format("{} {}", subject, fault.reason)
                                   : fmt::format("{}: {} {}", subject, fault.at, fault.reason);
  error.detail["at"] = fault.at;
  return error;
}

}  // namespace instantstart::aws
