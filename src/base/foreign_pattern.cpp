#include "base/foreign_pattern.h"

#include <re2/re2.h>

namespace instantstart {

Result<bool> matches_wholly(std::string_view expression, std::string_view text) {
  const RE2 compiled(re2::StringPiece(expression.data(), expression.size()), RE2::Quiet);
  if (!compiled.ok()) return fail("invalid_request", compiled.error());
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled);
}

}  // namespace instantstart
