#include "kube/list_parser.h"

#include <vector>

#include <gtest/gtest.h>

namespace instantstart::kube {
namespace {

TEST(ListParser, GivesItemsAndWhereAWatchGoesOn) {
  std::vector<json::object> items;
  ListParser parser({"/spec/nodeName"}, [&](json::object object) { items.push_back(std::move(object)); });
  ASSERT_TRUE(
      parser.feed(R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"c",)"
                  R"("remainingItemCount":12},"items":[{"metadata":{"name":"a","namespace":"s","uid":"u",)"
                  R"("resourceVersion":"5","labels":{"x":"y"}},"spec":{"nodeName":"n","more":[]}}]})"));
  const auto meta = parser.finish();
  ASSERT_TRUE(meta) << meta.error().message;
  EXPECT_EQ(meta->resource_version, "7");
  EXPECT_EQ(meta->continue_token, "c");
  EXPECT_EQ(meta->remaining_items, 12);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(
      to_text(items[0]),
      R"({"metadata":{"name":"a","namespace":"s","uid":"u","resourceVersion":"5"},"spec":{"nodeName":"n"}})");
}

TEST(ListParser, AListThatEndsInTheMiddleIsAnError) {
  ListParser parser({}, [](json::object) {});
  ASSERT_TRUE(parser.feed(R"({"kind":"PodList","metadata":{"resourceVersion":"7"},"items":[)"));
  EXPECT_FALSE(parser.finish());
}

TEST(ListParser, WhatIsNoListIsAnError) {
  for (const auto* text :
       {"", "{}", R"({"kind":"Pod","metadata":{"resourceVersion":"7"}})", R"({"kind":"PodList"})",
        R"({"kind":"PodList","metadata":{"resourceVersion":"7"}} {"kind":"PodList"})"}) {
    ListParser parser({}, [](json::object) {});
    ASSERT_TRUE(parser.feed(text)) << text;
    EXPECT_FALSE(parser.finish()) << text;
  }
}

}  // namespace
}  // namespace instantstart::kube
