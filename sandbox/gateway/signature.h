// AWS Signature Version 4, read and checked as a service does it, from the public specification ("Create a
// signed AWS API request", AWS IAM User Guide). Pure: no clock, no keys.
//
// Whoever signs states a claim in the Authorization header or, presigned, in the query string. The claim
// says whose secret is needed; with it the signature is computed again over what really arrived.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/http.h"

namespace instantstart::sandbox {

/// Why a request is not believed. How a service says so is in refusals.h.
enum class AuthProblem {
  missing,          ///< Not signed.
  incomplete,       ///< The claim can't be read.
  not_supported,    ///< Signed in a way that the sandbox doesn't know.
  unknown_key,      ///< No such access key, or a token that isn't the key's.
  expired_token,    ///< The session is over.
  too_old,          ///< The date is more than 15 minutes ago.
  in_the_future,    ///< … or ahead.
  url_expired,      ///< A presigned URL of S3 after its time.
  unsigned_header,  ///< A header that has to be signed isn't.
  wrong_payload,    ///< x-amz-content-sha256 is not the body's.
  mismatch,         ///< The signature is wrong.
};

struct AuthRefusal {
  AuthProblem problem;
  std::string message;  ///< A sentence in AWS's words; tells no secret.
};

struct SignatureClaim {
  std::string access_key_id;
  std::string date;  ///< Of the scope: "20260101"
  std::string region;
  std::string service;                      ///< The signing name: "ec2"
  std::vector<std::string> signed_headers;  ///< Lower case, as listed.
  std::string signature;                    ///< 64 hex digits
  std::string timestamp;                    ///< "20260101T120000Z"
  WallTime time;                            ///< The same.
  std::optional<std::string> session_token;
  bool presigned = false;
  seconds expires{0};  ///< Of a presigned URL.
};

/// nullopt when the request isn't signed at all.
std::expected<std::optional<SignatureClaim>, AuthRefusal> read_claim(const net::Request& request);

/// S3's rules differ: paths are signed as they are, every payload hash counts, presigned URLs end exactly.
enum class SignatureRules { common, s3 };

/// The date is within 15 minutes of `now`; a presigned URL of S3 within its own time.
std::expected<void, AuthRefusal> check_time(const SignatureClaim& claim, SignatureRules rules, WallTime now);

/// The signature is the one that `secret` makes over the request.
std::expected<void, AuthRefusal> check_signature(const net::Request& request, const SignatureClaim& claim,
                                                 SignatureRules rules, std::string_view secret);

// -- its parts, for tests with known answers -----------------------------------------------------------

std::string canonical_request(const net::Request& request, const SignatureClaim& claim, SignatureRules rules,
                              std::string_view payload_hash);
std::string expected_signature(const SignatureClaim& claim, std::string_view canonical,
                               std::string_view secret);

}  // namespace instantstart::sandbox
