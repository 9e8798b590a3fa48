#include "base/capturing_pattern.h"

#include <gtest/gtest.h>

namespace instantstart {
namespace {

using Parts = std::vector<std::string_view>;

TEST(CapturingPattern, GivesThePartsOfItsFirstMatch) {
  const CapturingPattern pattern(R"((\d+)/(\d+)(?:,\s(x))?)");
  EXPECT_EQ(pattern.find("at 3/10 and 4/10"), (Parts{"3", "10", ""}));
  EXPECT_EQ(pattern.find("3/10, x"), (Parts{"3", "10", "x"}));
  EXPECT_EQ(pattern.find("none"), std::nullopt);
}

TEST(CapturingPattern, TakesAnyBytes) {
  EXPECT_EQ(CapturingPattern("\\|([^|]*)\\|").find("|\xff\xe2|"), (Parts{"\xff\xe2"}));
}

}  // namespace
}  // namespace instantstart
