#include "aws/protocols/http_parts.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

TEST(FindHeader, IgnoresCase) {
  const std::vector<NamedText> headers{{"X-Amz-Target", "a"}, {"x-amz-target", "b"}};
  ASSERT_NE(find_header(headers, "x-AMZ-target"), nullptr);
  EXPECT_EQ(*find_header(headers, "x-AMZ-target"), "a");
  EXPECT_EQ(find_header(headers, "X-Amz-Targe"), nullptr);
}

TEST(RequestTarget, EscapesTheQueryForTheRequestLine) {
  EXPECT_EQ(request_target({.path = "/b", .query = {}}), "/b");
  EXPECT_EQ(request_target({.path = "/b", .query = {{"list-type", "2"}, {"prefix", "a b/c+d"}}}),
            "/b?list-type=2&prefix=a%20b%2Fc%2Bd");
}

TEST(Form, WritesASpaceAsPlusAndReadsBoth) {
  EXPECT_EQ(to_form({{"A b", "c d"}, {"e", "f+g~é"}}), "A+b=c+d&e=f%2Bg~%C3%A9");
  EXPECT_EQ(from_form("A+b=c%20d&e=f%2Bg"), (std::vector<NamedText>{{"A b", "c d"}, {"e", "f+g"}}));
}

TEST(Form, ReadsOddText) {
  EXPECT_EQ(from_form("a&b=&=c&&d==e"),
            (std::vector<NamedText>{{"a", ""}, {"b", ""}, {"", "c"}, {"d", "=e"}}));
  EXPECT_EQ(from_form("a=%zz"), (std::vector<NamedText>{{"a", "%zz"}}));
  EXPECT_TRUE(from_form("").empty());
}

}  // namespace
}  // namespace instantstart::aws
