#include "aws/protocols/validate.h"

#include <gtest/gtest.h>

#include "aws/protocols/codec.h"
#include "aws/shapes/ec2.h"
#include "aws/shapes/orchard_json.h"
#include "aws/shapes/sagemaker.h"

namespace instantstart::aws {
namespace {

using orchard_json::Fruit;
using orchard_json::PlantTreeRequest;
using orchard_json::Tree;

std::vector<std::string> rules(const PlantTreeRequest& input, Strictness strictness) {
  std::vector<std::string> rules;
  for (const auto& problem : validate(shape_info(&input), &input, strictness)) {
    rules.push_back(problem.pointer + " " + problem.rule);
  }
  return rules;
}

TEST(Validate, FindsAllProblemsAtOnce) {
  PlantTreeRequest input{.orchard = "", .path = "", .tree = Tree{.height = -1}};
  input.tree->fruit = Fruit{.apples = 1, .pear = "p"};
  input.tree->branches.emplace().push_back({.age = -5});
  EXPECT_EQ(rules(input, Strictness::client),
            (std::vector<std::string>{"/orchard min_length", "/path min_length", "/tree/kind required",
                                      "/tree/branches/0/kind required", "/tree/branches/0/age minimum",
                                      "/tree/height minimum", "/tree/fruit one_of"}));
}

TEST(Validate, LeavesMaximaAndNewValuesToTheServiceUnlessItIsTheService) {
  PlantTreeRequest input{
      .orchard = "a-name-of-more-than-twenty", .path = "p", .tree = Tree{.kind = "plum", .height = 151}};
  EXPECT_TRUE(rules(input, Strictness::client).empty());
  EXPECT_EQ(rules(input, Strictness::service),
            (std::vector<std::string>{"/orchard max_length", "/tree/kind enum", "/tree/height maximum"}));
}

TEST(Validate, NamesTheNearestKnownValue) {
  PlantTreeRequest input{.orchard = "o", .path = "p", .tree = Tree{.kind = "aple"}};
  const auto problems = validate(shape_info(&input), &input, Strictness::service);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].nearest, "apple");
  EXPECT_EQ(problems[0].value, "\"aple\"");
}

TEST(Validate, StopsARequestBeforeItIsSent) {
  const auto request = encode_request<sagemaker::CreateCluster>({});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, "invalid_request");
  EXPECT_EQ(request.error().problems.at(0).pointer, "/ClusterName");
  EXPECT_TRUE(encode_request<ec2::CreateVpc>({}));  // EC2 asks for nothing there
}

}  // namespace
}  // namespace instantstart::aws
