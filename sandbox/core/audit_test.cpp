#include "sandbox/core/audit.h"

#include <string>

#include <gtest/gtest.h>

namespace instantstart::sandbox {
namespace {

TEST(AuditTest, LongTextsAreCutAndSayHowLongTheyWere) {
  const std::string longest(64 * 1024, 'a');
  const json::object kept =
      without_long_texts({{"Key", "k"},
                          {"Template", longest},
                          {"Body", longest + "a"},
                          {"Parts", json::array{json::object{{"Body", longest + "b"}}}}});
  EXPECT_EQ(kept.at("Key"), "k");
  EXPECT_EQ(kept.at("Template").as_string(), std::string_view(longest));
  EXPECT_LT(kept.at("Body").as_string().size(), 400u);
  EXPECT_TRUE(kept.at("Body").as_string().ends_with("(65537 bytes)"));
  EXPECT_TRUE(kept.at("Parts").at(0).at("Body").as_string().ends_with("(65537 bytes)"));
}

}  // namespace
}  // namespace instantstart::sandbox
