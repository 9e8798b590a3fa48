#include "sandbox/services/sagemaker/paging.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "sandbox/services/sagemaker/errors.h"

namespace instantstart::sandbox::sagemaker {
namespace {

/// Marks what this code has made, so that any other text is refused.
constexpr std::string_view k_mark = "after:";

}  // namespace

Reply<std::string> key_of_token(const std::string& token) {
  const auto text = from_base64url(token);
  if (!text || !text->starts_with(k_mark)) return validation("The pagination token is invalid.");
  return text->substr(k_mark.size());
}

std::string token_of_key(std::string_view key) { return to_base64url(fmt::format("{}{}", k_mark, key)); }

}  // namespace instantstart::sandbox::sagemaker
