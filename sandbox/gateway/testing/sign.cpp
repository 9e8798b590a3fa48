#include "sandbox/gateway/testing/sign.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/gateway/signature.h"

namespace instantstart::sandbox {

net::Request sign(net::Request request, std::string_view service, const Signer& signer, WallTime now) {
  request.peer = {.address = "127.0.0.1", .port = 50'000, .loopback = true};
  SignatureClaim claim{
      .access_key_id = signer.access_key_id, .region = signer.region, .service = std::string(service)};
  claim.timestamp = fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(WallTime::clock::to_time_t(now)));
  claim.date = claim.timestamp.substr(0, 8);
  request.headers.set("Host", "127.0.0.1:4566");
  request.headers.set("X-Amz-Date", claim.timestamp);
  if (!signer.session_token.empty()) request.headers.set("X-Amz-Security-Token", signer.session_token);
  for (const auto& [name, value] : request.headers) claim.signed_headers.push_back(to_lower(name));
  std::ranges::sort(claim.signed_headers);
  const bool s3 = service == "s3";
  const std::string hash = to_hex(sha256(request.body));
  const std::string canonical =
      canonical_request(request, claim, s3 ? SignatureRules::s3 : SignatureRules::common, hash);
  request.headers.set(
      "Authorization",
      fmt::format("AWS4-HMAC-SHA256 Credential={}/{}/{}/{}/aws4_request, SignedHeaders={}, Signature={}",
                  claim.access_key_id, claim.date, claim.region, claim.service,
                  join(claim.signed_headers, ";"), expected_signature(claim, canonical, signer.secret)));
  return request;
}

}  // namespace instantstart::sandbox
