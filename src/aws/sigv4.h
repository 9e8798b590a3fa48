// AWS Signature Version 4: pure functions from the exact bytes of a request to the headers, or the query,
// that sign it. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aws/credentials.h"
#include "base/digest.h"
#include "base/time.h"
#include "net/http.h"

namespace instantstart::aws {

/// The request as it goes on the wire. Views: the caller keeps the texts alive during the call.
struct SigningRequest {
  std::string_view method;
  std::string_view host;   ///< The Host header: lower case, with the port unless it is the scheme's own.
  std::string_view path;   ///< Percent-encoded, begins with "/".
  std::string_view query;  ///< Percent-encoded (RFC 3986: a space is %20), without "?".
  const net::Headers&
      headers;  ///< All others that are sent. A Host among them is ignored in favour of `host`.
  std::string_view body;
};

struct SigningOptions {
  enum class Payload {
    hashed,
    unsigned_payload,  ///< The literal UNSIGNED-PAYLOAD; only over TLS, and only where the service allows it.
  };

  bool double_encode_path = true;  ///< The path on the wire is percent-encoded once more for signing.
  bool normalize_path = true;      ///< Dot segments and empty segments are removed for signing.
  Payload payload = Payload::hashed;
  bool send_payload_hash = false;  ///< Adds X-Amz-Content-SHA256, which S3 requires.

  bool operator==(const SigningOptions&) const = default;
};

/// The rules of one service by its signing name: those of "s3" (path as it is, payload hash sent), else the
/// defaults.
SigningOptions signing_options(std::string_view signing_name);

/// Keys derived for one day, region and service: most of the work of a signature, and the same for the next
/// one. Holds what is as secret as the credentials. Not thread-safe.
class SigningKeys {
 public:
  Sha256 get(const Credentials& credentials, std::string_view day, std::string_view region,
             std::string_view signing_name);

 private:
  struct Entry {
    Secret secret;
    std::string scope;  ///< "20261130/us-west-2/sts"
    Sha256 key;
  };
  std::vector<Entry> entries_;
};

struct Signature {
  /// Set these (replacing any of the same name) on the request, then send it unchanged.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string
      canonical_request;  ///< To explain a SignatureDoesNotMatch. Holds the session token, so it is a secret.
};

/// Signs by headers: X-Amz-Date, X-Amz-Security-Token (with a session token), X-Amz-Content-SHA256 (by
/// option), Authorization. Headers that proxies change (botocore's list: User-Agent, Connection, tracing …)
/// are not signed.
Signature sign_request(const SigningRequest& request, const Credentials& credentials, std::string_view region,
                       std::string_view signing_name, WallTime now, const SigningOptions& options = {},
                       SigningKeys* keys = nullptr);

struct Presigned {
  std::string query;  ///< Replaces the request's query; begins with it.
  std::string canonical_request;
};

/// Signs by query. Whoever fetches the URL must send exactly `request.headers` beside Host. For S3 the
/// payload is never hashed. `expires` is at most seven days.
Presigned presign(const SigningRequest& request, const Credentials& credentials, std::string_view region,
                  std::string_view signing_name, WallTime now, std::chrono::seconds expires,
                  const SigningOptions& options = {});

/// "20261130T193529Z", the form of X-Amz-Date.
std::string to_amz_date(WallTime time);

}  // namespace instantstart::aws
