// Regular expressions that come from outside, as in templates: run in linear time like Pattern, but a bad one
// is the caller's to refuse.
#pragma once

#include <string_view>

#include "base/result.h"

namespace instantstart {

/// Whether `expression` (RE2's dialect) matches all of `text`. Error `invalid_request` with RE2's complaint.
Result<bool> matches_wholly(std::string_view expression, std::string_view text);

}  // namespace instantstart
