#include "sandbox/services/iam/paging.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace instantstart::sandbox::iam {
namespace {

/// Marks what this code has made, so that any other text is refused.
constexpr std::string_view k_mark = "after:";

}  // namespace

Reply<std::string> key_of_marker(const std::optional<std::string>& marker) {
  if (!marker) return std::string();
  auto text = from_base64url(*marker);
  if (!text || !text->starts_with(k_mark)) return fault("ValidationError", "Invalid Marker.");
  return text->substr(k_mark.size());
}

std::string marker_of_key(std::string_view key) { return to_base64url(fmt::format("{}{}", k_mark, key)); }

}  // namespace instantstart::sandbox::iam
