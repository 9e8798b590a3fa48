#include "domain/names.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::domain {
namespace {

template <class T>
bool fits(std::string_view text) {
  return parse_text<T>(text).has_value();
}

TEST(Region, RegionsOfEveryPartitionFit) {
  for (const char* name :
       {"us-east-1", "eu-central-2", "us-gov-west-1", "cn-northwest-1", "us-iso-east-1", "us-isob-east-1",
        "eu-isoe-west-1", "us-isof-south-1", "eusc-de-east-1", "ap-southeast-7", "mx-central-1"}) {
    EXPECT_TRUE(fits<Region>(name)) << name;
  }
}

TEST(Region, WhatCanNotBePartOfAHostNameDoesNotFit) {
  for (const char* name :
       {"", "us-east-1.evil.example", "us-east-1/", "US-EAST-1", "us-east", "-us-east-1", "us-east-1\n"}) {
    EXPECT_FALSE(fits<Region>(name)) << name;
  }
}

TEST(ZoneName, LocalZonesFitAndRegionsDoNot) {
  EXPECT_TRUE(fits<ZoneName>("us-west-2a"));
  EXPECT_TRUE(fits<ZoneName>("us-west-2-lax-1a"));
  EXPECT_FALSE(fits<ZoneName>("us-west-2"));
  EXPECT_FALSE(fits<ZoneName>("usw2-az1"));
}

TEST(InstanceType, BothSpellingsFitAndMeanTheSame) {
  for (const char* name : {"p5.48xlarge", "ml.p5.48xlarge"}) {
    auto type = parse_text<InstanceType>(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(ec2_name(*type), "p5.48xlarge");
  }
  EXPECT_TRUE(fits<InstanceType>("u-6tb1.metal"));
  EXPECT_TRUE(fits<InstanceType>("p6-b200.48xlarge"));
  EXPECT_FALSE(fits<InstanceType>("p5"));
  EXPECT_FALSE(fits<InstanceType>("p5.48xlarge; id"));
  EXPECT_EQ(sagemaker_name("p5.48xlarge"), "ml.p5.48xlarge");
}

}  // namespace
}  // namespace instantstart::domain
