// Requests that no server should answer, with the status of the refusal: the table that the parser and the
// whole server are both held to.
#pragma once

#include <string>
#include <vector>

namespace instantstart::net {

struct RefusedRequest {
  std::string why;
  std::string bytes;
  int status;
};

/// For the default RequestLimits.
const std::vector<RefusedRequest>& refused_requests();

}  // namespace instantstart::net
