#include <gtest/gtest.h>

#include "aws/protocols/codec.h"
#include "aws/shapes/orchard_xml.h"
#include "aws/shapes/s3.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

TEST(RestXmlRequest, PutsTheBucketIntoThePathAndAStructureIntoXml) {
  s3::CreateBucketRequest input{.bucket = "b"};
  input.create_bucket_configuration.emplace().location_constraint = "us-west-2";
  const auto request = encode_request<s3::CreateBucket>(input);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "PUT");
  EXPECT_EQ(request->path, "/b");
  EXPECT_EQ(request->body,
            "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            "<LocationConstraint>us-west-2</LocationConstraint></CreateBucketConfiguration>");
}

TEST(RestXmlRequest, KeepsPayloadBytesHeadersAndMetadata) {
  s3::PutObjectRequest input{.body = Blob{std::string("\0<", 2)}, .bucket = "b", .key = "x/y z"};
  input.metadata.emplace()["owner"] = "me";
  const auto request = encode_request<s3::PutObject>(input);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/b/x/y%20z");
  EXPECT_EQ(request->body, std::string("\0<", 2));
  EXPECT_EQ(request->headers, (std::vector<NamedText>{{"x-amz-meta-owner", "me"}}));
}

TEST(RestXmlRequest, KeepsConstantParameters) {
  const auto request = encode_request<s3::ListObjectsV2>({.bucket = "b", .prefix = "a/"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request_target(*request), "/b?list-type=2&prefix=a%2F");
  EXPECT_EQ(request->body, "");
}

TEST(RestXmlRequest, RefusesTextThatXmlCannotCarry) {
  s3::PutBucketTaggingRequest input{.bucket = "b"};
  input.tagging.emplace().tag_set.emplace().push_back({.key = "k", .value = "a\x01"});
  const auto request = encode_request<s3::PutBucketTagging>(input);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, codes::invalid_request);
  EXPECT_EQ(request.error().detail.at("at"), "/TagSet/0/Value");
}

TEST(RestXmlRequest, WritesAttributesPrefixesAndNestedLists) {
  orchard_xml::PlantTreeRequest input;
  input.tree.emplace().kind = "pear \"x\"";
  input.tree->labels.emplace()["k"] = "v";
  input.tree->scores = std::vector<std::int64_t>{1, 2};
  input.rows = std::vector<std::vector<std::string>>{{"a"}, {}};
  const auto request = encode_request<orchard_xml::PlantTree>(input);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->body,
            "<PlantTreeRequest xmlns=\"https://orchard/\">"
            "<Tree xmlns:xsi=\"https://www.w3.org/xsi\" xsi:kind=\"pear &quot;x&quot;\">"
            "<Label><K>k</K><V>v</V></Label><Score>1</Score><Score>2</Score></Tree>"
            "<Rows><Row><member>a</member></Row><Row/></Rows></PlantTreeRequest>");
}

TEST(RestXmlAnswer, ReadsFlattenedListsWhateverThePrefix) {
  const auto list = decode_response<s3::ListObjectsV2>(
      {.body =
           R"(<?xml version="1.0"?><s:ListBucketResult xmlns:s="u"><s:Name>b</s:Name><s:IsTruncated>true</s:IsTruncated>
        <s:Contents><s:Key> </s:Key><s:Size> 5 </s:Size></s:Contents><s:Contents><s:Key>y</s:Key></s:Contents>
        <s:CommonPrefixes><s:Prefix>p/</s:Prefix></s:CommonPrefixes></s:ListBucketResult>)"});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->is_truncated, true);
  ASSERT_EQ(items(list->contents).size(), 2u);
  EXPECT_EQ(list->contents->at(0).key, " ");
  EXPECT_EQ(list->contents->at(0).size, 5);
  EXPECT_EQ(items(list->common_prefixes).size(), 1u);
}

TEST(RestXmlAnswer, ReadsHeadersOfAHead) {
  const auto head = decode_response<s3::HeadObject>(
      {.headers = {
           {"Content-Length", "12"}, {"ETag", "\"x\""}, {"Expires", "whenever"}, {"x-amz-meta-a", "1"}}});
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->content_length, 12);
  EXPECT_EQ(head->e_tag, "\"x\"");
  EXPECT_FALSE(head->expires);
  EXPECT_EQ(head->metadata->at("a"), "1");
}

TEST(RestXmlAnswer, ReadsALocationThatIsTheRootItself) {
  const auto west =
      decode_response<s3::GetBucketLocation>({.body = "<LocationConstraint>us-west-2</LocationConstraint>"});
  ASSERT_TRUE(west);
  EXPECT_EQ(west->location_constraint, "us-west-2");
  const auto east = decode_response<s3::GetBucketLocation>({.body = "<LocationConstraint xmlns=\"u\"/>"});
  ASSERT_TRUE(east);
  EXPECT_FALSE(east->location_constraint);
}

TEST(RestXmlAnswer, ThatIsAnErrorUnderStatus200IsFound) {
  const HttpResponseParts late{
      .body = "  \n<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>m</Message></Error>"};
  ASSERT_TRUE(is_error(s3::CompleteMultipartUpload::info(), late));
  const ServiceError error = decode_error(s3::CompleteMultipartUpload::info(), late);
  EXPECT_EQ(error.code, "InternalError");
  EXPECT_EQ(error.status, 500);
  EXPECT_FALSE(is_error(s3::GetObject::info(), late)) << "an object's bytes are not looked at";
  EXPECT_FALSE(is_error(
      s3::DeleteObjects::info(),
      {.body = "<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>"}));
}

TEST(RestXmlError, TellsTheFieldsThatTheModelDoesNotKnow) {
  const auto answer = encode_error(s3::service(), &s3::ListObjectsV2::info(),
                                   {.code = "AuthorizationHeaderMalformed",
                                    .message = "wrong region",
                                    .status = 400,
                                    .fields = {{"Region", "us-west-2"}, {"Odd", 3}}});
  EXPECT_NE(answer.body.find("<Region>us-west-2</Region>"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("Odd"), std::string::npos) << answer.body;
}

TEST(RestXmlError, WithoutABodyIsTheStatus) {
  const ServiceError error =
      decode_error(s3::HeadObject::info(), {.status = 404, .headers = {{"x-amz-request-id", "r"}}});
  EXPECT_EQ(error.code, "404");
  EXPECT_EQ(error.message, "Not Found");
  EXPECT_EQ(error.request_id, "r");
}

TEST(RestXmlServer, TellsOperationsOnOnePathApart) {
  const auto operation = [](std::string method, std::string path, std::vector<NamedText> query,
                            std::vector<NamedText> headers = {}) {
    auto decoded = decode_request(s3::service(), {.method = std::move(method),
                                                  .path = std::move(path),
                                                  .query = std::move(query),
                                                  .headers = std::move(headers)});
    return decoded ? std::string(decoded->operation->name) : "none: " + decoded.error().code;
  };
  EXPECT_EQ(operation("PUT", "/b/k", {}), "PutObject");
  EXPECT_EQ(operation("PUT", "/b/k", {}, {{"X-Amz-Copy-Source", "b/other"}}), "CopyObject");
  EXPECT_EQ(operation("PUT", "/b/k", {{"x-id", "PutObject"}}), "PutObject");
  EXPECT_EQ(operation("PUT", "/b/k", {{"partNumber", "1"}, {"uploadId", "u"}}), "UploadPart");
  EXPECT_EQ(operation("POST", "/b/k", {{"uploads", ""}}), "CreateMultipartUpload");
  EXPECT_EQ(operation("POST", "/b/k", {{"uploadId", "u"}}), "CompleteMultipartUpload");
  EXPECT_EQ(operation("DELETE", "/b/k", {{"uploadId", "u"}}), "AbortMultipartUpload");
  EXPECT_EQ(operation("DELETE", "/b/k", {}), "DeleteObject");
  EXPECT_EQ(operation("PUT", "/b", {}), "CreateBucket");
  EXPECT_EQ(operation("PUT", "/b/", {}), "CreateBucket");
  EXPECT_EQ(operation("PUT", "/b", {{"policy", ""}}), "PutBucketPolicy");
  EXPECT_EQ(operation("GET", "/b", {{"list-type", "2"}}), "ListObjectsV2");
  EXPECT_EQ(operation("GET", "/", {}), "ListBuckets");
  EXPECT_EQ(operation("PUT", "/b", {{"acl", ""}}), "none: not_found") << "must not make a bucket";
}

TEST(RestXmlServer, AnswersUnderTheRootThatS3Uses) {
  s3::ListObjectsV2Output output{.is_truncated = false, .name = "b"};
  const auto answer = encode_response<s3::ListObjectsV2>(output, "id-1");
  ASSERT_TRUE(answer);
  EXPECT_EQ(
      answer->body,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><IsTruncated>false</IsTruncated>"
      "<Name>b</Name></ListBucketResult>");
  EXPECT_EQ(*find_header(answer->headers, "x-amz-request-id"), "id-1");
}

TEST(RestXmlServer, AnswersAHeadWithoutABody) {
  const auto answer = encode_error(s3::service(), &s3::HeadObject::info(),
                                   {.code = "NoSuchKey", .message = "gone", .status = 404});
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, "");
}

}  // namespace
}  // namespace instantstart::aws
