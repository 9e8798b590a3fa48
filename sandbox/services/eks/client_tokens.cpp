#include "sandbox/services/eks/client_tokens.h"

#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/json.h"
#include "sandbox/services/eks/errors.h"

namespace instantstart::sandbox::eks {

std::string digest_of(json::object request) {
  request.erase("clientRequestToken");
  return to_hex(sha256(to_canonical_text(json::value(std::move(request)))));
}

AwsFault token_reused(const std::string& token) {
  return invalid_parameter(
             fmt::format("The client request token '{}' was already used with other parameters.", token))
      .error();
}

}  // namespace instantstart::sandbox::eks
