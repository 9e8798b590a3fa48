#include "aws/sigv4.h"

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

const Credentials k_keys{.access_key_id = "AKIDEXAMPLE",
                         .secret_access_key = Secret("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")};
constexpr WallTime k_time = std::chrono::sys_days(std::chrono::year(2015) / 8 / 30) + std::chrono::hours(12) +
                            std::chrono::minutes(36);

std::string header(const Signature& signature, std::string_view name) {
  for (const auto& [header, value] : signature.headers) {
    if (header == name) return value;
  }
  return "";
}

Signature sign(std::string_view method, std::string_view path, std::string_view query,
               const net::Headers& headers, std::string_view body = "", SigningOptions options = {}) {
  return sign_request({.method = method,
                       .host = "example.amazonaws.com",
                       .path = path,
                       .query = query,
                       .headers = headers,
                       .body = body},
                      k_keys, "us-east-1", "service", k_time, options);
}

std::string line(const Signature& signature, std::size_t number) {
  std::string_view text = signature.canonical_request;
  for (; number > 0; --number) text.remove_prefix(text.find('\n') + 1);
  return std::string(text.substr(0, text.find('\n')));
}

// The signatures are those of AWS's published test suite (aws-sig-v4-test-suite: get-vanilla, post-vanilla
// and get-vanilla-query-order-key-case).
TEST(SignRequest, GivesTheSignaturesOfTheTestSuite) {
  EXPECT_EQ(header(sign("GET", "/", "", {}), "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
            "SignedHeaders=host;x-amz-date, "
            "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  EXPECT_TRUE(header(sign("POST", "/", "", {}), "Authorization")
                  .ends_with("Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"));
  EXPECT_TRUE(header(sign("GET", "/", "Param2=value2&Param1=value1", {}), "Authorization")
                  .ends_with("Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"));
}

TEST(SignRequest, DatesTheRequest) {
  const auto signature = sign("GET", "/", "", {});
  EXPECT_EQ(header(signature, "X-Amz-Date"), "20150830T123600Z");
  EXPECT_EQ(header(signature, "X-Amz-Security-Token"), "");
  EXPECT_EQ(header(signature, "X-Amz-Content-SHA256"), "");
}

TEST(SignRequest, CarriesAndSignsTheSessionToken) {
  Credentials session = k_keys;
  session.session_token = Secret("session+token/=");
  const auto signature =
      sign_request({.method = "GET", .host = "h", .path = "/", .query = "", .headers = {}, .body = ""},
                   session, "us-east-1", "sts", k_time);
  EXPECT_EQ(header(signature, "X-Amz-Security-Token"), "session+token/=");
  EXPECT_NE(signature.canonical_request.find("\nx-amz-security-token:session+token/=\n"), std::string::npos);
}

TEST(SignRequest, EncodesThePathOnceMoreButNotForS3) {
  EXPECT_EQ(line(sign("GET", "/tags/arn%3Aaws%3Aeks/a%2Fb", "", {}), 1), "/tags/arn%253Aaws%253Aeks/a%252Fb");
  EXPECT_EQ(line(sign("GET", "/bucket/a%20b//../c", "", {}, "", signing_options("s3")), 1),
            "/bucket/a%20b//../c");
}

TEST(SignRequest, NormalisesThePathButNotForS3) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"/", "/"},   {"//", "/"},         {"/./a", "/a"}, {"/a/../b", "/b"},   {"/a/b/..", "/a"},
      {"/..", "/"}, {"/a//b/", "/a/b/"}, {"/a/.", "/a"}, {"/a/b/../", "/a/"}, {"/%2E%2E/a", "/%252E%252E/a"},
  };
  for (const auto& [path, canonical] : cases)
    EXPECT_EQ(line(sign("GET", path, "", {}), 1), canonical) << path;
}

TEST(SignRequest, SortsTheQueryByEncodedNamesThenValues) {
  EXPECT_EQ(line(sign("GET", "/", "b=2&a=3&a=1&%C3%A9=x&A=0&a-=1&empty&=v", {}), 2),
            "=v&%C3%A9=x&A=0&a=1&a=3&a-=1&b=2&empty=");
}

TEST(SignRequest, TrimsHeaderValuesAndJoinsRepeatedOnes) {
  const auto signature = sign(
      "GET", "/", "", {{"My-Header", "  a   b  "}, {"X-More", "two"}, {"my-header", "c"}, {"Empty", " "}});
  EXPECT_NE(signature.canonical_request.find("\nempty:\nhost:example.amazonaws.com\nmy-header:a b,c\n"
                                             "x-amz-date:20150830T123600Z\nx-more:two\n\n"
                                             "empty;host;my-header;x-amz-date;x-more\n"),
            std::string::npos)
      << signature.canonical_request;
}

TEST(SignRequest, LeavesOutWhatProxiesChangeAndWhatItSetsItself) {
  const auto signature = sign("GET", "/", "",
                              {{"User-Agent", "x"},
                               {"Connection", "keep-alive"},
                               {"X-Amzn-Trace-Id", "Root=1"},
                               {"traceparent", "00-1"},
                               {"Host", "other"},
                               {"X-Amz-Date", "19700101T000000Z"},
                               {"X-Amz-Security-Token", "of the attempt before"},
                               {"Authorization", "of the attempt before"}});
  EXPECT_EQ(signature.canonical_request, sign("GET", "/", "", {}).canonical_request);
}

TEST(SignRequest, SaysThePayloadsHashWhereItIsAsked) {
  const std::string empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  EXPECT_TRUE(sign("GET", "/", "", {}).canonical_request.ends_with("\n" + empty));
  EXPECT_EQ(header(sign("GET", "/", "", {}, "", signing_options("s3")), "X-Amz-Content-SHA256"), empty);
  const auto unsigned_body =
      sign("PUT", "/k", "", {}, "body", {.payload = SigningOptions::Payload::unsigned_payload});
  EXPECT_EQ(header(unsigned_body, "X-Amz-Content-SHA256"), "UNSIGNED-PAYLOAD");
  EXPECT_TRUE(unsigned_body.canonical_request.ends_with("\nUNSIGNED-PAYLOAD"));
}

TEST(SigningKeys, GiveTheSameSignaturesAsWithout) {
  SigningKeys keys;
  const SigningRequest request{
      .method = "GET", .host = "h", .path = "/", .query = "", .headers = {}, .body = ""};
  Credentials other = k_keys;
  other.secret_access_key = Secret("another");
  for (int round = 0; round < 2; ++round) {
    for (const auto& credentials : {k_keys, other}) {
      for (const std::string_view region : {"us-east-1", "us-west-2"}) {
        for (const std::string_view service : {"sts", "eks"}) {
          for (const WallTime time : {k_time, k_time + std::chrono::days(1)}) {
            EXPECT_EQ(sign_request(request, credentials, region, service, time, {}, &keys).headers,
                      sign_request(request, credentials, region, service, time).headers);
          }
        }
      }
    }
  }
}

TEST(SigningKeys, ForgetTheOldest) {
  SigningKeys keys;
  const auto first = keys.get(k_keys, "20261130", "r", "s");
  for (int i = 0; i < 200; ++i) keys.get(k_keys, "20261130", "r" + std::to_string(i), "s");
  EXPECT_EQ(keys.get(k_keys, "20261130", "r", "s"), first);
}

TEST(Presign, PutsTheSignatureBehindTheQuery) {
  const net::Headers headers{{"x-k8s-aws-id", "my-cluster"}};
  const SigningRequest request{.method = "GET",
                               .host = "sts.us-west-2.amazonaws.com",
                               .path = "/",
                               .query = "Action=GetCallerIdentity&Version=2011-06-15",
                               .headers = headers,
                               .body = ""};
  const auto presigned = presign(request, k_keys, "us-west-2", "sts", k_time, std::chrono::seconds(60));
  EXPECT_TRUE(presigned.query.starts_with(
      "Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
      "AKIDEXAMPLE%"
      "2F20150830%2Fus-west-2%2Fsts%2Faws4_request&X-Amz-Date=20150830T123600Z&X-Amz-Expires=60&X-Amz-"
      "SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature="))
      << presigned.query;
}

TEST(Presign, NeverHashesThePayloadForS3) {
  const SigningRequest request{
      .method = "GET", .host = "b.s3.amazonaws.com", .path = "/k", .query = "", .headers = {}, .body = ""};
  const auto presigned =
      presign(request, k_keys, "us-east-1", "s3", k_time, std::chrono::hours(1), signing_options("s3"));
  EXPECT_TRUE(presigned.canonical_request.ends_with("\nUNSIGNED-PAYLOAD"));
}

}  // namespace
}  // namespace instantstart::aws
