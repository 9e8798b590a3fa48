// From an encoded request to the bytes that are sent: address, headers, signature. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "aws/credentials.h"
#include "aws/endpoints.h"
#include "aws/protocols/http_parts.h"
#include "aws/shapes/shape.h"
#include "aws/sigv4.h"
#include "base/result.h"
#include "net/http_client.h"

namespace instantstart::aws {

/// Where the operation's requests go, beside their path.
struct Address {
  std::string origin;     ///< "https://bucket.s3.us-west-2.amazonaws.com", before the path
  std::string host;       ///< What the Host header says.
  std::string base_path;  ///< Of a custom endpoint, before the operation's path; without a slash at the end.
  bool bucket_in_host = false;
};

/// S3's buckets move from the path into AWS's host names where they fit ("virtual-hosted"); custom endpoints
/// and names with dots, which no certificate covers, keep them in the path. Error `invalid_request` when the
/// endpoint is no URL.
Result<Address> address_of(const ServiceInfo& service, const Endpoint& endpoint, std::string_view path);

/// What differs between the attempts of one call.
struct AttemptFacts {
  std::string_view user_agent;     ///< "instantstart/0.1.0"
  std::string_view invocation_id;  ///< A UUID, the same for all attempts.
  int attempt = 1;
  int max_attempts = 3;
  WallTime signing_time;        ///< AWS's time as far as known.
  SigningKeys* keys = nullptr;  ///< Where there are more requests to come.
};

/// Signed unless `credentials` is absent. The result is to be sent unchanged.
Result<net::ClientRequest> wire_request(const OperationInfo& operation, const HttpRequestParts& parts,
                                        const Endpoint& endpoint, const Credentials* credentials,
                                        const AttemptFacts& facts);

}  // namespace instantstart::aws
