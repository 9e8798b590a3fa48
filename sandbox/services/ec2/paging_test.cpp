#include "sandbox/services/ec2/paging.h"

#include <gtest/gtest.h>

namespace instantstart::sandbox::ec2 {
namespace {

using aws::ec2::Tag;
using Entries = std::vector<std::pair<std::string, Tag>>;

Entries entries(std::initializer_list<const char*> keys) {
  Entries list;
  for (const char* key : keys) list.emplace_back(key, Tag{.key = key});
  return list;
}

std::string keys_of(const Page<Tag>& page) {
  std::string keys;
  for (const auto& tag : page.items) keys += *tag.key;
  return keys;
}

TEST(PageOf, WalksThroughAllPagesOnce) {
  const Entries all = entries({"a", "b", "c", "d", "e"});
  std::string seen;
  PageRequest request{.max_results = 2};
  int pages = 0;
  do {
    const auto page = page_of(all, {}, request).value();
    EXPECT_LE(page.items.size(), 2U);
    seen += keys_of(page);
    request.next_token = page.next_token;
    ++pages;
  } while (request.next_token);
  EXPECT_EQ(seen, "abcde");
  EXPECT_EQ(pages, 3);
}

TEST(PageOf, APageThatEndsWithTheListHasNoToken) {
  EXPECT_FALSE(page_of(entries({"a", "b"}), {}, {.max_results = 2}).value().next_token);
  EXPECT_FALSE(page_of(entries({}), {}, {.max_results = 2}).value().next_token);
}

TEST(PageOf, WhatComesAndGoesBetweenPagesHidesAndDoublesNothing) {
  const auto first = page_of(entries({"b", "c", "d"}), {}, {.max_results = 2}).value();
  EXPECT_EQ(keys_of(first), "bc");
  const auto second = page_of(entries({"a", "b", "d", "e"}), {}, {.next_token = first.next_token}).value();
  EXPECT_EQ(keys_of(second), "de");
}

TEST(PageOf, RefusesATokenThatItDidNotMake) {
  for (const char* token : {"", "x", "YWJj"}) {
    const auto page = page_of(entries({"a"}), {}, {.next_token = token});
    ASSERT_FALSE(page) << token;
    EXPECT_EQ(page.error().code, "InvalidNextToken");
  }
}

}  // namespace
}  // namespace instantstart::sandbox::ec2
