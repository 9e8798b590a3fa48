// The Range header of one range of bytes (RFC 9110 14.1.2). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sandbox/core/service.h"

namespace instantstart::sandbox::s3 {

struct ByteRange {
  std::size_t first = 0;
  std::size_t last = 0;  ///< Inclusive.

  std::size_t size() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

/// nullopt: the whole object, as for a header that is not understood. Refuses what lies beyond the end
/// (InvalidRange).
Reply<std::optional<ByteRange>> read_range(const std::optional<std::string>& header, std::size_t size);

/// "bytes 0-9/100"
std::string content_range(const ByteRange& range, std::size_t size);

}  // namespace instantstart::sandbox::s3
