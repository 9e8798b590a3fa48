#include "aws/wire_request.h"

#include <gtest/gtest.h>

#include "aws/shapes/eks.h"
#include "aws/shapes/s3.h"

namespace instantstart::aws {
namespace {

const Credentials k_keys{.access_key_id = "AKIDEXAMPLE", .secret_access_key = Secret("s")};

Address address(const ServiceInfo& service, std::string url, bool custom, std::string_view path) {
  const auto found =
      address_of(service, {.url = std::move(url), .signing_region = "us-west-2", .custom = custom}, path);
  EXPECT_TRUE(found);
  return found.value_or(Address{});
}

TEST(AddressOf, BucketsMoveIntoTheHostOnlyAtAwsAndOnlyWhenTheyFit) {
  const auto& s3 = *s3::HeadBucket::info().service;
  const auto host = [&](std::string_view path, bool custom = false) {
    return address(s3, "https://s3.us-west-2.amazonaws.com", custom, path).host;
  };
  EXPECT_EQ(host("/my-bucket/key"), "my-bucket.s3.us-west-2.amazonaws.com");
  EXPECT_EQ(host("/my-bucket"), "my-bucket.s3.us-west-2.amazonaws.com");
  EXPECT_EQ(host("/my-bucket", true), "s3.us-west-2.amazonaws.com");
  for (const auto path : {"/", "/ab/k", "/Upper", "/a.b.c", "/192.168.1.1", "/-abc", "/abc-", "/a%2Fb"}) {
    EXPECT_EQ(host(path), "s3.us-west-2.amazonaws.com") << path;
  }
}

TEST(AddressOf, OtherServicesKeepTheirPath) {
  const auto found =
      address(*eks::ListClusters::info().service, "https://eks.us-west-2.amazonaws.com", false, "/clusters");
  EXPECT_EQ(found.origin, "https://eks.us-west-2.amazonaws.com");
  EXPECT_FALSE(found.bucket_in_host);
}

net::ClientRequest request(const HttpRequestParts& parts, std::string url) {
  const auto made = wire_request(eks::ListClusters::info(), parts,
                                 {.url = std::move(url), .signing_region = "us-west-2", .custom = true},
                                 &k_keys, {.user_agent = "instantstart/1", .invocation_id = "id"});
  EXPECT_TRUE(made);
  return made.value_or(net::ClientRequest{});
}

TEST(WireRequest, ACustomEndpointMayHaveAPathAndAnyPort) {
  const HttpRequestParts parts{.method = "GET", .path = "/clusters", .query = {{"next", "a b"}}};
  EXPECT_EQ(request(parts, "http://[::1]:4566/aws/").url, "http://[::1]:4566/aws/clusters?next=a%20b");
  EXPECT_EQ(request(parts, "http://localhost").url, "http://localhost/clusters?next=a%20b");
}

TEST(WireRequest, ItsOwnHeadersReplaceTheOperations) {
  const HttpRequestParts parts{
      .method = "GET", .path = "/", .headers = {{"user-agent", "other"}, {"X-A", "1"}}};
  const auto made = request(parts, "http://h");
  EXPECT_EQ(made.headers.count("User-Agent"), 1U);
  EXPECT_EQ(made.headers.get("User-Agent"), "instantstart/1");
  EXPECT_EQ(made.headers.get("X-A"), "1");
  EXPECT_EQ(made.headers.get("amz-sdk-request"), "attempt=1; max=3");
  EXPECT_NE(made.headers.get("Authorization")
                .find("SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;host;x-a;x-amz-date"),
            std::string_view::npos);
}

TEST(WireRequest, WithoutCredentialsItIsNotSigned) {
  const auto made = wire_request(eks::ListClusters::info(), {.method = "GET"},
                                 {.url = "http://h", .signing_region = "us-west-2"}, nullptr, {});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->headers.contains("Authorization"));
  EXPECT_FALSE(made->headers.contains("X-Amz-Date"));
}

TEST(WireRequest, AnEndpointThatIsNoUrlIsRefused) {
  EXPECT_FALSE(wire_request(eks::ListClusters::info(), {}, {.url = "no url"}, &k_keys, {}));
  EXPECT_FALSE(wire_request(eks::ListClusters::info(), {}, {.url = "http://h?x"}, &k_keys, {}));
}

}  // namespace
}  // namespace instantstart::aws
