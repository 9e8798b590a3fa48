// Writes query strings: the inverse of parse_query (net/http.h).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace instantstart::net {

/// "a=1&b=x%20y", in order; empty without pairs.
std::string to_query(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace instantstart::net
