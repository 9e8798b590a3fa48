// What comes from outside is bounded.
#include <gtest/gtest.h>

#include "aws/protocols/codec.h"
#include "aws/protocols/fault.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/orchard_json.h"
#include "aws/shapes/orchard_query.h"
#include "aws/shapes/s3.h"
#include "base/error_codes.h"

namespace instantstart::aws {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Bounds, ADocumentThatIsTooLongIsNotRead) {
  const HttpResponseParts answer{.body = std::string(k_max_document_bytes + 1, ' ')};
  EXPECT_EQ(decode_response<ec2::DescribeVpcs>(answer).error().code, codes::body_too_large);
  EXPECT_FALSE(is_error(s3::ListObjectsV2::info(), answer));
  const auto request = decode_request(ec2::service(), {.body = answer.body});
  EXPECT_EQ(request.error().code, codes::body_too_large);
  EXPECT_EQ(request.error().detail.at("aws_code"), "InvalidParameterValue");
}

TEST(Bounds, APayloadMayBeLongerThanADocument) {
  const HttpResponseParts answer{.body = std::string(k_max_document_bytes + 1, 'x')};
  EXPECT_TRUE(decode_response<s3::GetObject>(answer));
}

TEST(Bounds, DeepJsonIsRefused) {
  const std::string deep = repeated(R"({"graft":)", 40) + "{}" + repeated("}", 40);
  EXPECT_TRUE(decode_response<orchard_json::PlantTree>({.body = R"({"theTree":)" + deep + "}"}));
  const std::string deeper = repeated(R"({"graft":)", 5000) + "{}" + repeated("}", 5000);
  EXPECT_EQ(decode_response<orchard_json::PlantTree>({.body = R"({"theTree":)" + deeper + "}"}).error().code,
            codes::upstream_error);
}

TEST(Bounds, DeepXmlIsRefused) {
  const auto answer = [](std::size_t levels) {
    return HttpResponseParts{
        .body = "<PlantTreeResponse><PlantTreeResult><Tree>" + repeated("<Branches><member>", levels) +
                repeated("</member></Branches>", levels) + "</Tree></PlantTreeResult></PlantTreeResponse>"};
  };
  EXPECT_TRUE(decode_response<orchard_query::PlantTree>(answer(20)));
  const auto deep = decode_response<orchard_query::PlantTree>(answer(20'000));
  ASSERT_FALSE(deep);
  EXPECT_TRUE(deep.error().message.ends_with("is nested too deeply"));
}

TEST(Bounds, BytesThatAreNotUtf8AreRefused) {
  EXPECT_FALSE(decode_response<ec2::CreateVpc>(
      {.body = "<CreateVpcResponse><vpc><vpcId>\xff</vpcId></vpc></CreateVpcResponse>"}));
  EXPECT_FALSE(decode_response<orchard_json::PlantTree>({.body = "{\"theTree\":{\"kind\":\"\xff\"}}"}));
}

TEST(Bounds, AnErrorMessageIsCut) {
  const ServiceError error =
      decode_error(orchard_json::PlantTree::info(), {.status = 400, .body = std::string(1'000'000, 'x')});
  EXPECT_LE(error.message.size(), 16u * 1024);
  EXPECT_EQ(error.code, "400");
}

}  // namespace
}  // namespace instantstart::aws
