// Patterns as IAM policies and EC2 filters have them.
#pragma once

#include <string_view>

namespace instantstart::sandbox {

/// `*` stands for any text, `?` for one character; everything else for itself. The whole text has to match.
/// Takes time in proportion to the product of the lengths, at worst.
bool matches_wildcard(std::string_view pattern, std::string_view text);

}  // namespace instantstart::sandbox
