#include "contract/page.h"

#include <gtest/gtest.h>

namespace instantstart::contract {
namespace {

std::string itself(const std::string& item) { return item; }

TEST(Page, TheWholeListIsSeenOnceAndTheLastPageHasNoCursor) {
  const std::vector<std::string> all{"a", "b", "c", "d", "e"};
  std::vector<std::string> seen;
  PageOptions options{.limit = 2};
  do {
    const auto page = page_of(all, options, itself);
    EXPECT_LE(page.items.size(), 2U);
    seen.insert(seen.end(), page.items.begin(), page.items.end());
    options.cursor = page.next_cursor;
  } while (options.cursor);
  EXPECT_EQ(seen, all);
}

/// "a/x" comes after "a-b/x", though a before a-b does.
TEST(Page, ItemsInAnotherOrderThanTheirIdsAreNeitherLostNorDoubled) {
  const std::vector<std::string> all{"a/x", "a-b/x", "b/x"};
  const auto first = page_of(all, {.limit = 1}, itself);
  ASSERT_TRUE(first.next_cursor);
  const auto rest = page_of(all, {.limit = 5, .cursor = first.next_cursor}, itself);
  EXPECT_EQ(first.items, std::vector<std::string>{"a-b/x"});
  EXPECT_EQ(rest.items, (std::vector<std::string>{"a/x", "b/x"}));
}

TEST(Page, AListThatFitsExactlyIsOnePage) {
  EXPECT_FALSE(page_of<std::string>({"a", "b"}, {.limit = 2}, itself).next_cursor);
  EXPECT_FALSE(page_of<std::string>({}, {.limit = 2}, itself).next_cursor);
}

TEST(Page, TheItemOfTheCursorMayBeGone) {
  const auto page = page_of<std::string>({"a", "c"}, {.limit = 2, .cursor = "b"}, itself);
  EXPECT_EQ(page.items, std::vector<std::string>{"c"});
}

}  // namespace
}  // namespace instantstart::contract
