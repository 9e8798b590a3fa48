// What stops a walk over a value: a reason, and where. A fault becomes an Error at the room's face, where it
// is known whether the bytes came from a caller or from AWS.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"

namespace instantstart::aws {

struct Fault {
  std::string at;      ///< JSON Pointer of API member names, built from the inside out.
  std::string reason;  ///< "is not a whole number"
};

using Walked = std::expected<void, Fault>;

/// Values nested deeper than this are refused: recursive shapes are the only ones without a bound of their
/// own.
inline constexpr int k_max_value_depth = 64;

inline std::unexpected<Fault> faulty(std::string reason) {
  return std::unexpected(Fault{.at = {}, .reason = std::move(reason)});
}

/// Passes a fault on, from one level further out.
std::unexpected<Fault> in_member(std::string_view name, Fault fault);
std::unexpected<Fault> in_item(std::size_t index, Fault fault);

/// "CreateCluster: the answer's /ClusterSummaries/3/CreationTime is not a time".
Error to_error(std::string_view code, std::string_view subject, const Fault& fault);

}  // namespace instantstart::aws
