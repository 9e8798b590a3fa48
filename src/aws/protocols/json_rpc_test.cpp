#include <gtest/gtest.h>

#include "aws/protocols/codec.h"
#include "aws/shapes/sagemaker.h"
#include "aws/shapes/service_quotas.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

TEST(JsonRequest, NamesTheOperationInAHeaderAndPutsTheInputIntoTheBody) {
  const auto request = encode_request<sagemaker::DescribeCluster>({.cluster_name = "a\"b"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->path, "/");
  EXPECT_TRUE(request->query.empty());
  EXPECT_EQ(request->headers, (std::vector<NamedText>{{"X-Amz-Target", "SageMaker.DescribeCluster"},
                                                      {"Content-Type", "application/x-amz-json-1.1"}}));
  EXPECT_EQ(request->body, R"({"ClusterName":"a\"b"})");
}

TEST(JsonRequest, KeepsAnEmptyListApartFromNone) {
  const auto without = encode_request<sagemaker::ListClusters>({});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->body, "{}");
  sagemaker::UpdateClusterRequest update{.cluster_name = "a",
                                         .instance_groups_to_delete = std::vector<std::string>{}};
  const auto with = encode_request<sagemaker::UpdateCluster>(update);
  ASSERT_TRUE(with);
  EXPECT_EQ(with->body, R"({"ClusterName":"a","InstanceGroupsToDelete":[]})");
}

TEST(JsonAnswer, IsRead) {
  const HttpResponseParts answer{.body =
                                     R"({"ClusterSummaries":[{"ClusterName":"a","ClusterStatus":"InService",
    "CreationTime":1796067329.5,"NewMember":{"x":1}}],"NextToken":null})"};
  const auto output = decode_response<sagemaker::ListClusters>(answer);
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_EQ(items(output->cluster_summaries).size(), 1u);
  EXPECT_EQ(output->cluster_summaries->at(0).cluster_name, "a");
  EXPECT_EQ(output->cluster_summaries->at(0).creation_time->time.time_since_epoch().count(),
            1796067329500000);
  EXPECT_FALSE(output->next_token);
}

TEST(JsonAnswer, TakesScalarsInTheSpellingsThatServicesUse) {
  const auto output = decode_response<service_quotas::GetServiceQuota>(
      {.body = R"({"Quota":{"Value":"2","Adjustable":"true","QuotaName":7}})"});
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->quota->value, 2.0);
  EXPECT_EQ(output->quota->adjustable, true);
  EXPECT_EQ(output->quota->quota_name, "7");
}

TEST(JsonAnswer, ThatDoesNotFitIsAnErrorThatSaysWhere) {
  const auto output =
      decode_response<sagemaker::ListClusters>({.body = R"({"ClusterSummaries":[{"CreationTime":"soon"}]})"});
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, codes::upstream_error);
  EXPECT_EQ(output.error().detail.at("at"), "/ClusterSummaries/0/CreationTime");
  EXPECT_EQ(output.error().message,
            "ListClusters: the answer: /ClusterSummaries/0/CreationTime is not a time");
  for (const auto body : {"[]", "null", "{\"NextToken\":{}}", "{\"ClusterSummaries\":{}}", "{", "<html>"}) {
    EXPECT_EQ(decode_response<sagemaker::ListClusters>({.body = body}).error().code, codes::upstream_error)
        << body;
  }
}

TEST(JsonAnswer, MayBeEmpty) { EXPECT_TRUE(decode_response<sagemaker::DeleteTags>({.body = ""})); }

TEST(JsonError, IsReadInEverySpelling) {
  const auto code = [](std::string body, std::vector<NamedText> headers = {}) {
    return decode_error(sagemaker::DescribeCluster::info(),
                        {.status = 400, .headers = std::move(headers), .body = std::move(body)})
        .code;
  };
  EXPECT_EQ(code(R"({"__type":"ResourceNotFound"})"), "ResourceNotFound");
  EXPECT_EQ(code(R"({"__type":"com.amazonaws.sagemaker#ResourceNotFound"})"), "ResourceNotFound");
  EXPECT_EQ(code(R"({"__type":"ResourceNotFound:http://internal/"})"), "ResourceNotFound");
  EXPECT_EQ(code(R"({"__type":"New"})", {{"X-Amzn-Query-Error", "Old.Code;Sender"}}), "Old.Code");
  EXPECT_EQ(code("{}"), "400");
  EXPECT_EQ(code(""), "400");
  EXPECT_EQ(code("[1]"), "400");
}

TEST(JsonError, CarriesMessageIdAndTheModel) {
  const ServiceError error = decode_error(sagemaker::DescribeCluster::info(),
                                          {.status = 400,
                                           .headers = {{"x-amzn-RequestId", "id-1"}},
                                           .body = R"({"__type":"ResourceNotFound","Message":"gone"})"});
  EXPECT_EQ(error.message, "gone");
  EXPECT_EQ(error.request_id, "id-1");
  EXPECT_EQ(error.status, 400);
  ASSERT_NE(error.modelled, nullptr);
  EXPECT_EQ(error.modelled->shape->name, "ResourceNotFound");
  EXPECT_EQ(error.fields.at("Message"), "gone");
}

TEST(JsonError, FromAProxyIsTheStatus) {
  const ServiceError error = decode_error(sagemaker::DescribeCluster::info(),
                                          {.status = 503, .body = "<html>Service Unavailable</html>"});
  EXPECT_EQ(error.code, "503");
  EXPECT_EQ(error.message, "Service Unavailable");
  EXPECT_EQ(error.modelled, nullptr);
}

TEST(JsonServer, ReadsARequestAndAnswersIt) {
  const HttpRequestParts request{.headers = {{"x-amz-target", "SageMaker.DescribeCluster"}},
                                 .body = R"({"ClusterName":"a"})"};
  auto decoded = decode_request(sagemaker::service(), request);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->operation, &sagemaker::DescribeCluster::info());
  EXPECT_EQ(decoded->input.as<sagemaker::DescribeClusterRequest>()->cluster_name, "a");

  const auto answer = encode_response<sagemaker::DescribeCluster>({.cluster_name = "a"}, "id-1");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(*find_header(answer->headers, "Content-Type"), "application/x-amz-json-1.1");
  EXPECT_EQ(answer->body, R"({"ClusterName":"a"})");
}

TEST(JsonServer, RefusesWhatItDoesNotKnowUnderAwssCodes) {
  const auto refused = [](std::string target, std::string body) {
    auto decoded = decode_request(
        sagemaker::service(), {.headers = {{"X-Amz-Target", std::move(target)}}, .body = std::move(body)});
    return decoded ? std::string("accepted") : std::string(decoded.error().detail.at("aws_code").as_string());
  };
  EXPECT_EQ(refused("SageMaker.MakeCoffee", "{}"), "UnknownOperationException");
  EXPECT_EQ(refused("Other.DescribeCluster", "{}"), "UnknownOperationException");
  EXPECT_EQ(refused("DescribeCluster", "{}"), "UnknownOperationException");
  EXPECT_EQ(refused("SageMaker.DescribeCluster", "{"), "SerializationException");
  EXPECT_EQ(refused("SageMaker.DescribeCluster", R"({"ClusterName":[]})"), "SerializationException");
}

TEST(JsonServer, WritesErrorsThatNameTheirType) {
  const auto answer = encode_error(sagemaker::service(), &sagemaker::DescribeCluster::info(),
                                   {.code = "ResourceNotFound", .message = "gone", .request_id = "id-1"});
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, R"({"Message":"gone","__type":"ResourceNotFound"})");
  const auto made_up =
      encode_error(sagemaker::service(), nullptr, {.code = "X", .message = "m", .status = 418});
  EXPECT_EQ(made_up.status, 418);
  EXPECT_EQ(made_up.body, R"({"message":"m","__type":"X"})");
}

}  // namespace
}  // namespace instantstart::aws
