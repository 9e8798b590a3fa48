// The parts of an http or https URL, as they are written: nothing is decoded or normalised.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace instantstart::aws {

struct UrlParts {
  std::string scheme;     ///< "http" or "https"
  std::string host;       ///< Lower case, IPv6 without brackets.
  std::string authority;  ///< What a Host header says: lower case, with brackets, and the port unless it is
                          ///< the scheme's own.
  std::string path;       ///< At least "/"
  std::string query;      ///< Without "?"
  bool loopback = false;  ///< The host is a literal address of the loopback, or "localhost".
};

/// nullopt when it is no http or https URL, or carries a user or a fragment.
std::optional<UrlParts> parse_url(std::string_view url);

}  // namespace instantstart::aws
