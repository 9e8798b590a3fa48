#include "capabilities/network/recent_blocks.h"

#include <gtest/gtest.h>

namespace instantstart::capabilities {
namespace {

using domain::Cidr;

domain::ClusterKey key(std::string name, std::string region = "us-west-2") {
  return {std::move(name), std::move(region), "123456789012"};
}
Cidr block(std::string_view text) { return *Cidr::parse(text); }

TEST(RecentBlocks, AreThoseOfOtherClustersInTheSamePlace) {
  RecentBlocks recent;
  recent.remember(key("a"), block("10.64.0.0/16"));
  recent.remember(key("b", "eu-west-1"), block("10.65.0.0/16"));
  EXPECT_EQ(recent.of_others(key("c")), std::vector{block("10.64.0.0/16")});
  EXPECT_TRUE(recent.of_others(key("a")).empty());
  recent.remember(key("a"), block("10.66.0.0/16"));
  EXPECT_EQ(recent.of_others(key("c")), std::vector{block("10.66.0.0/16")});
}

TEST(RecentBlocks, AreForgottenWhenNewOnesCome) {
  RecentBlocks recent;
  for (int i = 0; i < 17; ++i) recent.remember(key("c" + std::to_string(i)), block("10.64.0.0/16"));
  EXPECT_EQ(recent.of_others(key("x")).size(), 16u);
}

}  // namespace
}  // namespace instantstart::capabilities
