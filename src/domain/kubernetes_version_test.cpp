#include "domain/kubernetes_version.h"

#include <gtest/gtest.h>

#include "base/decode.h"

namespace instantstart::domain {
namespace {

TEST(KubernetesVersion, OnlyMinorVersionsFit) {
  for (const char* good : {"1.28", "1.9", "1.100"}) EXPECT_TRUE(parse_text<KubernetesVersion>(good)) << good;
  for (const char* bad : {"1.33.1", "v1.33", "1", "1.", "2.1", "1.033", "1.33\n", ""}) {
    EXPECT_FALSE(parse_text<KubernetesVersion>(bad)) << bad;
  }
}

TEST(KubernetesVersion, UpdatesGoOneMinorVersionUpAndNeverBack) {
  EXPECT_TRUE(may_update({{"1.32"}}, {{"1.33"}}));
  EXPECT_TRUE(may_update({{"1.9"}}, {{"1.10"}})) << "numbers, not texts";
  EXPECT_FALSE(may_update({{"1.32"}}, {{"1.34"}}));
  EXPECT_FALSE(may_update({{"1.32"}}, {{"1.32"}}));
  EXPECT_FALSE(may_update({{"1.33"}}, {{"1.32"}}));
}

}  // namespace
}  // namespace instantstart::domain
