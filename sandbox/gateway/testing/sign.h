// Requests as a client of AWS would sign them, for tests of what stands behind the signature. That the
// signing itself is right is shown by botocore's vectors.
#pragma once

#include <string>
#include <string_view>

#include "aws/protocols/codec.h"
#include "base/time.h"
#include "net/http.h"

namespace instantstart::sandbox {

struct Signer {
  std::string access_key_id;
  std::string secret;
  std::string session_token;  ///< Empty: none.
  std::string region = "us-west-2";
};

/// Adds Host, X-Amz-Date, the token and Authorization.
net::Request sign(net::Request request, std::string_view service, const Signer& signer, WallTime now);

/// A signed call of an operation; the peer is on this machine.
template <class Op>
net::Request signed_call(const typename Op::Input& input, const Signer& signer, WallTime now) {
  auto parts = aws::encode_request<Op>(input).value();
  net::Request request{
      .method = parts.method, .target = aws::request_target(parts), .body = std::move(parts.body)};
  for (auto& [name, value] : parts.headers) request.headers.add(std::move(name), std::move(value));
  return sign(std::move(request), Op::info().service->signing_name, signer, now);
}

}  // namespace instantstart::sandbox
