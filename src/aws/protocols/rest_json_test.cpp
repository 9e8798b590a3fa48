#include <gtest/gtest.h>

#include "aws/protocols/api_json.h"
#include "aws/protocols/codec.h"
#include "aws/shapes/eks.h"
#include "aws/shapes/orchard_json.h"

namespace instantstart::aws {
namespace {

TEST(RestJsonRequest, PutsMembersIntoPathQueryAndBody) {
  const auto describe = encode_request<eks::DescribeAddon>({.cluster_name = "a", .addon_name = "b/c"});
  ASSERT_TRUE(describe);
  EXPECT_EQ(describe->method, "GET");
  EXPECT_EQ(describe->path, "/clusters/a/addons/b%2Fc");
  EXPECT_EQ(describe->body, "");
  EXPECT_TRUE(describe->headers.empty());

  const auto list = encode_request<eks::ListAddons>({.cluster_name = "a", .max_results = 5});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->query, (std::vector<NamedText>{{"maxResults", "5"}}));

  const auto untag = encode_request<eks::UntagResource>({.resource_arn = "arn:aws:eks:us-west-2:1:cluster/a",
                                                         .tag_keys = std::vector<std::string>{"x", "y z"}});
  ASSERT_TRUE(untag);
  EXPECT_EQ(request_target(*untag),
            "/tags/arn%3Aaws%3Aeks%3Aus-west-2%3A1%3Acluster%2Fa?tagKeys=x&tagKeys=y%20z");

  const auto create = encode_request<eks::CreateAddon>({.cluster_name = "a", .addon_name = "b"});
  ASSERT_TRUE(create);
  EXPECT_EQ(create->body, R"({"addonName":"b"})");
  EXPECT_EQ(create->headers, (std::vector<NamedText>{{"Content-Type", "application/json"}}));
}

TEST(RestJsonRequest, RefusesAnEmptyPathLabel) {
  const auto request = encode_request<eks::DeleteCluster>({.name = ""});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, "invalid_request");
  EXPECT_EQ(request.error().problems.at(0).pointer, "/name");
}

TEST(RestJsonRequest, RefusesALineBreakInAHeader) {
  orchard_json::PlantTreeRequest input{
      .orchard = "o", .path = "p", .token = "a\r\nX-Evil: 1", .tree = orchard_json::Tree{.kind = "pear"}};
  const auto request = encode_request<orchard_json::PlantTree>(input);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().detail.at("at"), "/token");
}

TEST(RestJsonRequest, KeepsAGreedyPathConstantQueryAndPayload) {
  orchard_json::PlantTreeRequest input{
      .orchard = "o", .path = "a/b c", .token = "t", .tree = orchard_json::Tree{.kind = "pear", .age = 3}};
  const auto request = encode_request<orchard_json::PlantTree>(input);
  ASSERT_TRUE(request);
  EXPECT_EQ(request_target(*request), "/orchards/o/trees/a/b%20c?plant=");
  EXPECT_EQ(*find_header(request->headers, "x-token"), "t");
  EXPECT_EQ(request->body, R"({"kind":"pear","years":3})");
}

TEST(RestJsonAnswer, ReadsHeadersStatusAndBody) {
  const auto planted = decode_response<orchard_json::PlantTree>(
      {.status = 201,
       .headers = {{"X-Planted", "Mon, 30 Nov 2026 19:35:29 GMT"}},
       .body = R"({"theTree":{"kind":"pear","graft":{"kind":"apple"}},"planted":"ignored in a body"})"});
  ASSERT_TRUE(planted) << planted.error().message;
  EXPECT_EQ(planted->status, 201);
  EXPECT_EQ(planted->planted->time.time_since_epoch().count(), 1796067329000000);
  EXPECT_EQ(planted->tree->graft->kind, "apple");
}

TEST(RestJsonAnswer, ReadsListsAndMapsOfHeaders) {
  const auto trees = decode_response<orchard_json::ListTrees>(
      {.headers = {{"X-Label-a", "1"}, {"x-label-B", "2"}, {"x-words", "a, \"b, \\\"c\\\"\" ,d"}},
       .body = "{}"});
  ASSERT_TRUE(trees) << trees.error().message;
  EXPECT_EQ(trees->labels, (std::map<std::string, std::string>{{"a", "1"}, {"B", "2"}}));
  EXPECT_EQ(trees->words, (std::vector<std::string>{"a", "b, \"c\"", "d"}));
}

TEST(RestJsonAnswer, TakesATimeThatNobodyCanReadAsAbsent) {
  const auto planted =
      decode_response<orchard_json::PlantTree>({.headers = {{"x-planted", "in spring"}}, .body = "{}"});
  ASSERT_TRUE(planted);
  EXPECT_FALSE(planted->planted);
}

TEST(RestJsonAnswer, KeepsPayloadBytes) {
  const std::string bytes("\0\xff{", 3);
  const auto photo =
      decode_response<orchard_json::GetPhoto>({.headers = {{"content-type", "image/x"}}, .body = bytes});
  ASSERT_TRUE(photo);
  EXPECT_EQ(photo->photo->bytes, bytes);
  EXPECT_EQ(photo->type, "image/x");
}

TEST(RestJsonError, PrefersTheHeaderAndReadsTypedFields) {
  const ServiceError error =
      decode_error(eks::DescribeCluster::info(),
                   {.status = 404,
                    .headers = {{"x-amzn-ErrorType", "ResourceNotFoundException:http://x/"}},
                    .body = R"({"clusterName":"a","message":"No cluster found","__type":"Other"})"});
  EXPECT_EQ(error.code, "ResourceNotFoundException");
  EXPECT_EQ(error.message, "No cluster found");
  EXPECT_EQ(error.fields.at("clusterName"), "a");
  ASSERT_NE(error.modelled, nullptr);
  EXPECT_EQ(error.modelled->http_status, 404);
}

TEST(RestJsonServer, RoutesByMethodAndMostConstantPath) {
  const auto operation = [](std::string method, std::string path) {
    auto decoded = decode_request(eks::service(), {.method = std::move(method), .path = std::move(path)});
    return decoded ? std::string(decoded->operation->name) : "none: " + decoded.error().code;
  };
  EXPECT_EQ(operation("GET", "/clusters"), "ListClusters");
  EXPECT_EQ(operation("GET", "/clusters/"), "ListClusters");
  EXPECT_EQ(operation("GET", "/clusters/a"), "DescribeCluster");
  EXPECT_EQ(operation("DELETE", "/clusters/a"), "DeleteCluster");
  EXPECT_EQ(operation("GET", "/clusters/a/addons"), "ListAddons");
  EXPECT_EQ(operation("GET", "/addons/supported-versions"), "DescribeAddonVersions");
  EXPECT_EQ(operation("PATCH", "/clusters/a"), "none: not_found");
  EXPECT_EQ(operation("GET", "/nodes"), "none: not_found");
}

TEST(RestJsonServer, AnswersWithTheModelsStatusAndErrorHeader) {
  const auto created = encode_response<orchard_json::PlantTree>({}, "id-1");
  ASSERT_TRUE(created);
  EXPECT_EQ(created->status, 201);
  EXPECT_EQ(created->body, "{}");
  const auto refused = encode_error(orchard_json::service(), &orchard_json::PlantTree::info(),
                                    {.code = "TooManyTrees", .message = "no", .fields = {{"limit", 3}}});
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(*find_header(refused.headers, "x-amzn-errortype"), "TooManyTrees");
  EXPECT_EQ(refused.body, R"({"message":"no","limit":3})");
}

}  // namespace
}  // namespace instantstart::aws
