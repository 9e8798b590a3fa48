// Requests signed by botocore 1.44.8: SigV4Auth, S3SigV4Auth and their presigning relatives, with the clock
// at 2026-01-02 03:04:05 UTC, the key AKIDEXAMPLE and k_vector_secret.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace instantstart::sandbox {

struct SignedVector {
  std::string name;
  std::string method;
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  bool is_s3() const { return name.starts_with("s3_"); }
};

inline constexpr std::string_view k_vector_secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
inline constexpr std::string_view k_vector_time = "2026-01-02T03:04:05Z";

inline const std::vector<SignedVector>& signed_vectors() {
  static const std::vector<SignedVector> vectors{
      {"query",
       "POST",
       "/",
       {{"Host", "127.0.0.1:4566"},
        {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/sts/aws4_request, "
         "SignedHeaders=content-type;host;x-amz-date, "
         "Signature=5e444d0a9ff49c9d78625d5092a272088b82a71267858f0b3b279abca7f6fc72"}},
       "Action=GetCallerIdentity&Version=2011-06-15"},
      {"json",
       "POST",
       "/",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Target", "SageMaker.ListClusters"},
        {"Content-Type", "application/x-amz-json-1.1"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/sagemaker/aws4_request, "
         "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
         "Signature=4c952d4dbf560429a3a7e75bb2993bcdd7d6133fd4d0963bf79b5ca1233d8832"}},
       "{}"},
      {"rest_encoded_path",
       "GET",
       "/tags/arn%3Aaws%3Aeks%3Aus-west-2%3A123456789012%3Acluster%2Fa",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, "
         "SignedHeaders=host;x-amz-date, "
         "Signature=d0aa34dbcfde1ac055ae02526bc17b6e36a36bfa5b822f9187c7654292114d0e"}},
       ""},
      {"rest_query",
       "GET",
       "/clusters?nextToken=a%2Bb%3D%3D&maxResults=10&include=all&include=a%20b",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, "
         "SignedHeaders=host;x-amz-date, "
         "Signature=a7ee7d663c1505d82e9a3a298afd387521660f2613346fbb672871cbe6ff634b"}},
       ""},
      {"session_token",
       "POST",
       "/",
       {{"Host", "127.0.0.1:4566"},
        {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"X-Amz-Security-Token", "a/token+with=signs"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/ec2/aws4_request, "
         "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, "
         "Signature=48bd38ad794871ba415e035cd1ab0c5ab60132377ca9ac116c5e63eac4329ab7"}},
       "Action=DescribeVpcs&Version=2016-11-15"},
      {"spaces_in_header",
       "GET",
       "/clusters",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Note", "  a   b  c "},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, "
         "SignedHeaders=host;x-amz-date;x-amz-note, "
         "Signature=a62b064564bb9305f5be60f41e956c1e88e0cab5903c106b2979e39ff899338f"}},
       ""},
      {"dot_segments",
       "GET",
       "/a/./b/../c//d/",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, "
         "SignedHeaders=host;x-amz-date, "
         "Signature=020aee7c2832195f89e3e1c47edd05a45be74fbfd83df419202f83896aa0e628"}},
       ""},
      {"utf8_query",
       "GET",
       "/clusters?name=%C3%A9~x-y_z.%2A",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/eks/aws4_request, "
         "SignedHeaders=host;x-amz-date, "
         "Signature=7cf53a00a11c5285b70bf68048e703d32b19b999363aa7c289fd358a30e152af"}},
       ""},
      {"presigned_token",
       "GET",
       "/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
       "AKIDEXAMPLE%2F20260102%2Fus-west-2%2Fsts%2Faws4_request&X-Amz-Date=20260102T030405Z&X-Amz-Expires=60&"
       "X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Signature="
       "c35e624fb41d309c694d8860b36fe0f9629a497ae00e1467da21dfa552bdbcc5",
       {{"Host", "127.0.0.1:4566"}, {"x-k8s-aws-id", "my cluster"}},
       ""},
      {"presigned_session",
       "GET",
       "/?Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
       "AKIDEXAMPLE%2F20260102%2Fus-west-2%2Fsts%2Faws4_request&X-Amz-Date=20260102T030405Z&X-Amz-Expires=60&"
       "X-Amz-SignedHeaders=host%3Bx-k8s-aws-id&X-Amz-Security-Token=tok%2Fen%2B%3D&X-Amz-Signature="
       "428edde32a36f0d3b0075f7c68f1c5bcde5ca51cb0599a34aaa7ae31dd0e34f1",
       {{"Host", "127.0.0.1:4566"}, {"x-k8s-aws-id", "a"}},
       ""},
      {"s3_put",
       "PUT",
       "/bucket/a%20b/c%2Bd/%C3%A9/x~y/./z",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"X-Amz-Content-SHA256", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/s3/aws4_request, "
         "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
         "Signature=f5b08f9b15b8f95859f5027528f313e9784afb3199bfdc17d98b350035afa1e2"}},
       "hello"},
      {"s3_query",
       "GET",
       "/bucket?list-type=2&prefix=a%2Fb&delimiter=%2F",
       {{"Host", "127.0.0.1:4566"},
        {"X-Amz-Date", "20260102T030405Z"},
        {"X-Amz-Content-SHA256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"Authorization",
         "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/us-west-2/s3/aws4_request, "
         "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
         "Signature=f8926239ec65c288069713da65c5141858b06b3571d27079ba7268fd65a6b7ca"}},
       ""},
      {"s3_presigned",
       "GET",
       "/bucket/"
       "key%20one?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Fus-west-2%2Fs3%"
       "2Faws4_request&X-Amz-Date=20260102T030405Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-"
       "Signature=c7e1fcbe360fe1113b2aba9235267f390b2e68bcd4907f2ca906aee7dac324cb",
       {{"Host", "127.0.0.1:4566"}},
       ""},
  };
  return vectors;
}

}  // namespace instantstart::sandbox
