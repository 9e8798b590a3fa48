#include "sandbox/gateway/signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/digest.h"
#include "base/text.h"
#include "sandbox/gateway/canonical_text.h"

namespace instantstart::sandbox {
namespace {

constexpr std::string_view k_algorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view k_unsigned_payload = "UNSIGNED-PAYLOAD";
constexpr seconds k_tolerance{15 * 60};
/// The query parameter of S3's presigned URLs is bounded: a week.
constexpr seconds k_longest_presigned{7 * 24 * 60 * 60};

std::unexpected<AuthRefusal> refuse(AuthProblem problem, std::string message) {
  return std::unexpected(AuthRefusal{problem, std::move(message)});
}

/// "20260101T120000Z"
std::string compact(WallTime time) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(WallTime::clock::to_time_t(time)));
}

std::optional<WallTime> parse_compact(std::string_view text) {
  if (text.size() != 16) return std::nullopt;
  const std::string extended =
      fmt::format("{}-{}-{}T{}:{}:{}Z", text.substr(0, 4), text.substr(4, 2), text.substr(6, 2),
                  text.substr(9, 2), text.substr(11, 2), text.substr(13, 2));
  if (text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  const auto time = parse_rfc3339(extended);
  return time ? std::optional(*time) : std::nullopt;
}

/// "AKID/20260101/us-west-2/ec2/aws4_request"
std::expected<void, AuthRefusal> read_credential(std::string_view credential, SignatureClaim& claim) {
  const auto parts = split(credential, '/');
  if (parts.size() != 5 || parts[4] != "aws4_request" ||
      std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); })) {
    return refuse(AuthProblem::incomplete,
                  fmt::format("Credential must have exactly 5 slash-delimited elements, e.g. "
                              "keyid/date/region/service/aws4_request, got '{}'.",
                              shortened(credential, 120)));
  }
  claim.access_key_id = parts[0];
  claim.date = parts[1];
  claim.region = parts[2];
  claim.service = parts[3];
  return {};
}

std::expected<void, AuthRefusal> read_date(std::string_view timestamp, SignatureClaim& claim) {
  const auto time = parse_compact(timestamp);
  if (!time) {
    return refuse(AuthProblem::incomplete,
                  "Date must be in ISO-8601 'basic format', e.g. 20260101T120000Z, in X-Amz-Date.");
  }
  if (!timestamp.starts_with(claim.date)) {
    return refuse(AuthProblem::mismatch,
                  fmt::format("Date in Credential scope does not match YYYYMMDD from ISO-8601 version of "
                              "date from HTTP: '{}' != '{}', from '{}'.",
                              claim.date, timestamp.substr(0, 8), timestamp));
  }
  claim.time = *time;
  claim.timestamp = timestamp;
  return {};
}

bool listed(const SignatureClaim& claim, std::string_view name) {
  return std::ranges::find(claim.signed_headers, name) != claim.signed_headers.end();
}

std::expected<void, AuthRefusal> finish_claim(SignatureClaim& claim, std::string_view signed_headers) {
  for (const auto name : split(signed_headers, ';')) claim.signed_headers.emplace_back(name);
  if (!listed(claim, "host")) {
    return refuse(AuthProblem::incomplete, "'Host' must be a 'SignedHeader' in the AWS Authorization.");
  }
  return {};
}

std::expected<SignatureClaim, AuthRefusal> claim_of_header(const net::Request& request,
                                                           std::string_view authorization) {
  SignatureClaim claim;
  std::string_view credential;
  std::string_view signed_headers;
  for (auto field : split(authorization.substr(k_algorithm.size()), ',')) {
    field = trim(field);
    const auto equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    const auto value = field.substr(equals + 1);
    if (field.starts_with("Credential=")) credential = value;
    if (field.starts_with("SignedHeaders=")) signed_headers = value;
    if (field.starts_with("Signature=")) claim.signature = value;
  }
  for (const auto& [name, value] : {std::pair("Credential", credential),
                                    {"Signature", claim.signature},
                                    {"SignedHeaders", signed_headers}}) {
    if (value.empty()) {
      return refuse(AuthProblem::incomplete,
                    fmt::format("Authorization header requires '{}' parameter.", name));
    }
  }
  if (auto read = read_credential(credential, claim); !read) return std::unexpected(read.error());
  if (auto read = read_date(request.headers.get("X-Amz-Date"), claim); !read) {
    return std::unexpected(read.error());
  }
  if (request.headers.contains("X-Amz-Security-Token")) {
    claim.session_token = request.headers.get("X-Amz-Security-Token");
  }
  if (auto done = finish_claim(claim, signed_headers); !done) return std::unexpected(done.error());
  return claim;
}

std::optional<std::string> parameter(const net::Request& request, std::string_view wanted) {
  for (const auto& [name, value] : query_parameters(request.query())) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

std::expected<SignatureClaim, AuthRefusal> claim_of_query(const net::Request& request) {
  SignatureClaim claim{.presigned = true};
  std::array<std::string, 5> values;
  constexpr std::array k_names = {"X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders",
                                  "X-Amz-Signature"};
  for (std::size_t i = 0; i < k_names.size(); ++i) {
    auto value = parameter(request, k_names[i]);
    // STS accepts URLs without a time of their own.
    if (!value && k_names[i] != std::string_view("X-Amz-Expires")) {
      return refuse(AuthProblem::incomplete,
                    fmt::format("AWS query-string parameters must include '{}'.", k_names[i]));
    }
    values[i] = std::move(value).value_or("900");
  }
  if (auto read = read_credential(values[0], claim); !read) return std::unexpected(read.error());
  if (auto read = read_date(values[1], claim); !read) return std::unexpected(read.error());
  long long expires = -1;
  const char* end = values[2].data() + values[2].size();
  const auto [stop, failure] = std::from_chars(values[2].data(), end, expires);
  if (failure != std::errc() || stop != end || expires < 0 || seconds(expires) > k_longest_presigned) {
    return refuse(AuthProblem::incomplete,
                  "X-Amz-Expires must be a number of seconds, non-negative and less than a week (604800).");
  }
  claim.expires = seconds(expires);
  claim.signature = values[4];
  claim.session_token = parameter(request, "X-Amz-Security-Token");
  if (auto done = finish_claim(claim, values[3]); !done) return std::unexpected(done.error());
  return claim;
}

std::string canonical_headers(const net::Request& request, const SignatureClaim& claim) {
  std::string text;
  for (const auto& name : claim.signed_headers) {
    std::string values;
    for (const auto& [field, value] : request.headers) {
      if (to_lower(field) != name) continue;
      if (!values.empty()) values += ',';
      values += collapsed_spaces(value);
    }
    text += fmt::format("{}:{}\n", name, values);
  }
  return text;
}

/// Every x-amz- header takes part in what the request means, so none may be added on the way.
std::expected<void, AuthRefusal> check_signed_headers(const net::Request& request,
                                                      const SignatureClaim& claim) {
  for (const auto& [field, value] : request.headers) {
    const std::string name = to_lower(field);
    if (!name.starts_with("x-amz-") || listed(claim, name)) continue;
    return refuse(AuthProblem::unsigned_header,
                  fmt::format("There were headers present in the request which were not signed: {}", name));
  }
  return {};
}

std::expected<std::string, AuthRefusal> payload_hash(const net::Request& request, const SignatureClaim& claim,
                                                     SignatureRules rules) {
  if (claim.presigned && rules == SignatureRules::s3) return std::string(k_unsigned_payload);
  const std::string actual = to_hex(sha256(request.body));
  const auto stated = request.headers.get("X-Amz-Content-SHA256");
  if (stated.empty() || stated == actual) return actual;
  if (stated == k_unsigned_payload && rules == SignatureRules::s3) return std::string(stated);
  if (stated.starts_with("STREAMING-")) {
    return refuse(AuthProblem::not_supported,
                  fmt::format("The sandbox does not read bodies that are signed as {}.", stated));
  }
  return refuse(AuthProblem::wrong_payload,
                "The provided 'x-amz-content-sha256' header does not match what was computed.");
}

}  // namespace

std::expected<std::optional<SignatureClaim>, AuthRefusal> read_claim(const net::Request& request) {
  const auto authorization = request.headers.get("Authorization");
  if (authorization.starts_with(k_algorithm)) return claim_of_header(request, authorization);
  if (authorization.starts_with("AWS")) {
    return refuse(AuthProblem::not_supported,
                  fmt::format("The sandbox checks {} signatures only.", k_algorithm));
  }
  const auto algorithm = parameter(request, "X-Amz-Algorithm");
  if (!algorithm) return std::nullopt;
  if (*algorithm != k_algorithm) {
    return refuse(AuthProblem::not_supported,
                  fmt::format("The sandbox checks {} signatures only.", k_algorithm));
  }
  return claim_of_query(request);
}

std::expected<void, AuthRefusal> check_time(const SignatureClaim& claim, SignatureRules rules, WallTime now) {
  if (claim.time > now + k_tolerance) {
    return refuse(AuthProblem::in_the_future,
                  fmt::format("Signature not yet current: {} is still later than {} ({} + 15 min.)",
                              claim.timestamp, compact(now + k_tolerance), compact(now)));
  }
  if (claim.presigned && rules == SignatureRules::s3) {
    if (now <= claim.time + claim.expires) return {};
    return refuse(AuthProblem::url_expired, "Request has expired");
  }
  // STS takes a presigned URL for 15 minutes whatever X-Amz-Expires says: EKS tokens live on that.
  if (claim.time < now - std::max(k_tolerance, claim.expires)) {
    return refuse(AuthProblem::too_old,
                  fmt::format("Signature expired: {} is now earlier than {} ({} - 15 min.)", claim.timestamp,
                              compact(now - k_tolerance), compact(now)));
  }
  return {};
}

std::expected<void, AuthRefusal> check_signature(const net::Request& request, const SignatureClaim& claim,
                                                 SignatureRules rules, std::string_view secret) {
  if (auto complete = check_signed_headers(request, claim); !complete) return complete;
  auto hash = payload_hash(request, claim, rules);
  if (!hash) return std::unexpected(std::move(hash.error()));
  const std::string expected =
      expected_signature(claim, canonical_request(request, claim, rules, *hash), secret);
  if (equal_in_constant_time(expected, claim.signature)) return {};
  return refuse(AuthProblem::mismatch,
                "The request signature we calculated does not match the signature you provided. Check your "
                "AWS Secret Access Key and signing method. Consult the service documentation for details.");
}

std::string canonical_request(const net::Request& request, const SignatureClaim& claim, SignatureRules rules,
                              std::string_view payload_hash) {
  const std::string path =
      rules == SignatureRules::s3 ? canonical_s3_path(request.path()) : canonical_path(request.path());
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", request.method, path,
                     canonical_query(request.query(), claim.presigned ? "X-Amz-Signature" : ""),
                     canonical_headers(request, claim), join(claim.signed_headers, ";"), payload_hash);
}

std::string expected_signature(const SignatureClaim& claim, std::string_view canonical,
                               std::string_view secret) {
  const std::string to_sign = fmt::format("{}\n{}\n{}/{}/{}/aws4_request\n{}", k_algorithm, claim.timestamp,
                                          claim.date, claim.region, claim.service, to_hex(sha256(canonical)));
  Sha256 key = hmac_sha256(fmt::format("AWS4{}", secret), claim.date);
  for (const std::string_view part :
       {std::string_view(claim.region), std::string_view(claim.service), std::string_view("aws4_request")}) {
    key = hmac_sha256(as_text(key), part);
  }
  return to_hex(hmac_sha256(as_text(key), to_sign));
}

}  // namespace instantstart::sandbox
