#include "capabilities/dependencies/call_errors.h"

namespace instantstart::capabilities {

std::vector<std::string> cluster_call_errors(std::vector<std::string> more) {
  for (const char* code : {"access_denied", "ambiguous", "conflict", "connection_failed",
                           "credentials_expired", "credentials_invalid", "credentials_missing", "not_found",
                           "throttled", "unavailable", "upstream_error"}) {
    more.emplace_back(code);
  }
  return more;
}

}  // namespace instantstart::capabilities
