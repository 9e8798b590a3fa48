#include "sandbox/gateway/signature.h"

#include <gtest/gtest.h>

#include "sandbox/gateway/canonical_text.h"
#include "sandbox/gateway/testing/signed_vectors.h"

namespace instantstart::sandbox {
namespace {

net::Request request_of(const SignedVector& vector) {
  net::Request request{.method = vector.method, .target = vector.target, .body = vector.body};
  for (const auto& [name, value] : vector.headers) request.headers.add(name, value);
  return request;
}

SignatureRules rules_of(const SignedVector& vector) {
  return vector.is_s3() ? SignatureRules::s3 : SignatureRules::common;
}

const SignedVector& vector_named(std::string_view name) {
  for (const auto& vector : signed_vectors()) {
    if (vector.name == name) return vector;
  }
  throw std::out_of_range(std::string(name));
}

/// What becomes of a request from there on; nullopt when it is believed.
std::optional<AuthProblem> problem_of(const net::Request& request, SignatureRules rules, WallTime now) {
  const auto claim = read_claim(request);
  if (!claim) return claim.error().problem;
  if (!*claim) return AuthProblem::missing;
  if (const auto timely = check_time(**claim, rules, now); !timely) return timely.error().problem;
  if (const auto good = check_signature(request, **claim, rules, k_vector_secret); !good)
    return good.error().problem;
  return std::nullopt;
}

const WallTime k_now = parse_rfc3339(k_vector_time).value();

TEST(SignatureTest, BotocoresRequestsAreBelieved) {
  ASSERT_EQ(signed_vectors().size(), 13u);
  for (const auto& vector : signed_vectors()) {
    SCOPED_TRACE(vector.name);
    EXPECT_EQ(problem_of(request_of(vector), rules_of(vector), k_now), std::nullopt);
  }
}

TEST(SignatureTest, AnotherSecretIsNot) {
  for (const auto& vector : signed_vectors()) {
    SCOPED_TRACE(vector.name);
    const auto request = request_of(vector);
    const auto claim = read_claim(request).value().value();
    const auto checked = check_signature(request, claim, rules_of(vector), "another secret");
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().problem, AuthProblem::mismatch);
    EXPECT_EQ(checked.error().message.find(k_vector_secret), std::string::npos);
  }
}

TEST(SignatureTest, WhateverIsChangedOnTheWayIsNoticed) {
  for (const auto& vector : signed_vectors()) {
    SCOPED_TRACE(vector.name);
    const auto rules = rules_of(vector);
    auto method = request_of(vector);
    method.method = "DELETE";
    EXPECT_EQ(problem_of(method, rules, k_now), AuthProblem::mismatch);
    auto path = request_of(vector);
    path.target.insert(1, "x");
    EXPECT_EQ(problem_of(path, rules, k_now), AuthProblem::mismatch);
    auto query = request_of(vector);
    query.target += query.target.contains('?') ? "&a=b" : "?a=b";
    EXPECT_EQ(problem_of(query, rules, k_now), AuthProblem::mismatch);
    auto host = request_of(vector);
    host.headers.set("Host", "elsewhere");
    EXPECT_EQ(problem_of(host, rules, k_now), AuthProblem::mismatch);
    if (vector.name == "s3_presigned") continue;  // Its body is not signed.
    auto body = request_of(vector);
    body.body += "x";
    EXPECT_EQ(problem_of(body, rules, k_now),
              vector.is_s3() ? AuthProblem::wrong_payload : AuthProblem::mismatch);
  }
}

TEST(SignatureTest, AnAddedAmzHeaderIsNoticed) {
  auto request = request_of(vector_named("json"));
  request.headers.add("X-Amz-Meta-Extra", "1");
  EXPECT_EQ(problem_of(request, SignatureRules::common, k_now), AuthProblem::unsigned_header);
  auto harmless = request_of(vector_named("json"));
  harmless.headers.add("User-Agent", "x");
  harmless.headers.add("X-Amzn-Trace-Id", "Root=1");
  EXPECT_EQ(problem_of(harmless, SignatureRules::common, k_now), std::nullopt);
}

TEST(SignatureTest, ClocksMayDifferByFifteenMinutes) {
  const auto at = [](std::string_view name, seconds shift) {
    const auto& vector = vector_named(name);
    return problem_of(request_of(vector), rules_of(vector), k_now + shift);
  };
  EXPECT_EQ(at("query", seconds(900)), std::nullopt);
  EXPECT_EQ(at("query", seconds(901)), AuthProblem::too_old);
  EXPECT_EQ(at("query", seconds(-900)), std::nullopt);
  EXPECT_EQ(at("query", seconds(-901)), AuthProblem::in_the_future);
}

TEST(SignatureTest, AnEksTokenLivesForFifteenMinutesThoughItSaysSixtySeconds) {
  const auto& vector = vector_named("presigned_token");
  EXPECT_EQ(problem_of(request_of(vector), SignatureRules::common, k_now + seconds(900)), std::nullopt);
  EXPECT_EQ(problem_of(request_of(vector), SignatureRules::common, k_now + seconds(901)),
            AuthProblem::too_old);
}

TEST(SignatureTest, AUrlOfS3LivesAsLongAsItSays) {
  const auto& vector = vector_named("s3_presigned");
  EXPECT_EQ(problem_of(request_of(vector), SignatureRules::s3, k_now + seconds(3600)), std::nullopt);
  EXPECT_EQ(problem_of(request_of(vector), SignatureRules::s3, k_now + seconds(3601)),
            AuthProblem::url_expired);
}

TEST(SignatureTest, TheReasonOfALateRequestIsInAwsWords) {
  const auto claim = read_claim(request_of(vector_named("query"))).value().value();
  EXPECT_EQ(check_time(claim, SignatureRules::common, k_now + seconds(1000)).error().message,
            "Signature expired: 20260102T030405Z is now earlier than 20260102T030545Z (20260102T032045Z - 15 "
            "min.)");
}

TEST(ClaimTest, SaysWhoAndForWhat) {
  const auto claim = read_claim(request_of(vector_named("session_token"))).value().value();
  EXPECT_EQ(claim.access_key_id, "AKIDEXAMPLE");
  EXPECT_EQ(claim.region, "us-west-2");
  EXPECT_EQ(claim.service, "ec2");
  EXPECT_EQ(claim.session_token, "a/token+with=signs");
  EXPECT_FALSE(claim.presigned);
  const auto presigned = read_claim(request_of(vector_named("presigned_session"))).value().value();
  EXPECT_TRUE(presigned.presigned);
  EXPECT_EQ(presigned.expires, seconds(60));
  EXPECT_EQ(presigned.session_token, "tok/en+=");
}

TEST(ClaimTest, AnUnsignedRequestMakesNone) {
  EXPECT_EQ(read_claim({.method = "GET", .target = "/?Action=GetCallerIdentity"}).value(), std::nullopt);
}

struct BrokenClaim {
  std::string_view authorization;
  std::string_view date;
  AuthProblem problem;
};

TEST(ClaimTest, WhatCannotBeReadIsRefused) {
  constexpr std::string_view k_date = "20260102T030405Z";
  const std::vector<BrokenClaim> broken{
      {"AWS4-HMAC-SHA256", k_date, AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws4_request, SignedHeaders=host", k_date,
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws4_request, Signature=a", k_date,
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 SignedHeaders=host, Signature=a", k_date, AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/s/aws4_request, SignedHeaders=host, Signature=a", k_date,
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A//r/s/aws4_request, SignedHeaders=host, Signature=a", k_date,
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws3, SignedHeaders=host, Signature=a", k_date,
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws4_request, SignedHeaders=x-amz-date, Signature=a",
       k_date, AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws4_request, SignedHeaders=host, Signature=a", "",
       AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260102/r/s/aws4_request, SignedHeaders=host, Signature=a",
       "20261302T030405Z", AuthProblem::incomplete},
      {"AWS4-HMAC-SHA256 Credential=A/20260103/r/s/aws4_request, SignedHeaders=host, Signature=a", k_date,
       AuthProblem::mismatch},
      {"AWS4-ECDSA-P256-SHA256 Credential=A/20260103/s/aws4_request", k_date, AuthProblem::not_supported},
      {"AWS AKIDEXAMPLE:c2lnbmF0dXJl", k_date, AuthProblem::not_supported},
  };
  for (const auto& claim : broken) {
    SCOPED_TRACE(claim.authorization);
    net::Request request{.method = "POST", .target = "/"};
    request.headers.add("Authorization", std::string(claim.authorization));
    request.headers.add("X-Amz-Date", std::string(claim.date));
    const auto read = read_claim(request);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().problem, claim.problem);
  }
}

TEST(ClaimTest, APresignedUrlHasToBeComplete) {
  const std::string whole = vector_named("presigned_token").target;
  for (const std::string name :
       {"X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Signature"}) {
    SCOPED_TRACE(name);
    std::string target = whole;
    target.replace(target.find(name), name.size(), "X-Other");
    const auto read = read_claim({.method = "GET", .target = target});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().problem, AuthProblem::incomplete);
  }
  for (const std::string expires : {"-1", "604801", "soon", ""}) {
    SCOPED_TRACE(expires);
    std::string target = whole;
    target.replace(target.find("Expires=60"), 10, "Expires=" + expires);
    EXPECT_FALSE(read_claim({.method = "GET", .target = target}));
  }
}

TEST(SignatureTest, PayloadsSignedInPiecesAreRefusedByName) {
  auto request = request_of(vector_named("s3_put"));
  request.headers.set("X-Amz-Content-SHA256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  EXPECT_EQ(problem_of(request, SignatureRules::s3, k_now), AuthProblem::not_supported);
}

TEST(CanonicalTextTest, PathsAreEncodedTwiceExceptForS3) {
  EXPECT_EQ(canonical_path("/a%3Ab/c%2Fd"), "/a%253Ab/c%252Fd");
  EXPECT_EQ(canonical_path("/a/../../b//./c/"), "/b/c/");
  EXPECT_EQ(canonical_path("/"), "/");
  EXPECT_EQ(canonical_path("//"), "/");
  EXPECT_EQ(canonical_path("/.."), "/");
  EXPECT_EQ(canonical_s3_path("/b/a%3Ab//./c"), "/b/a%3Ab//./c");
  EXPECT_EQ(canonical_s3_path("/b/a:b"), "/b/a%3Ab");
  EXPECT_EQ(canonical_s3_path("/b/%zz"), "/b/%25zz");
}

TEST(CanonicalTextTest, QueriesAreSortedByWhatIsSent) {
  EXPECT_EQ(canonical_query("b=1&a=2&a=1&c", ""), "a=1&a=2&b=1&c=");
  EXPECT_EQ(canonical_query("a=%2b&X-Amz-Signature=f", "X-Amz-Signature"), "a=%2B");
  EXPECT_EQ(canonical_query("", ""), "");
  EXPECT_EQ(canonical_query("a=b=c", ""), "a=b%3Dc");
}

TEST(CanonicalTextTest, BlanksOfHeadersAreCollapsed) {
  EXPECT_EQ(collapsed_spaces("  a \t b  "), "a b");
  EXPECT_EQ(collapsed_spaces(""), "");
}

}  // namespace
}  // namespace instantstart::sandbox
