#include "sandbox/kubernetes/objects/selectors.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/objects/testing/schemas.h"

namespace instantstart::sandbox::kubernetes {
namespace {

using testing::from_text;
using testing::object_from;

bool selects(std::string_view selector, std::string_view labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed) << selector;
  return parsed && parsed->matches(object_from(labels));
}

TEST(LabelSelector, EachOperatorAsDocumented) {
  constexpr auto labels = "{'env': 'prod', 'tier': 'web', 'n': '5', 'empty': ''}";
  for (const auto* text : {"", "env=prod", "env==prod", "env!=dev", "missing!=x", "env in (dev, prod)",
                           "env notin (dev)", "missing notin (a)", "env", "!missing", "n>4", "n<6",
                           "empty=", "empty in ()", "env=prod,tier in (web)", " env = prod , tier "}) {
    EXPECT_TRUE(selects(text, labels)) << text;
  }
  for (const auto* text : {"env=dev", "env!=prod", "missing=x", "env in (dev)", "env notin (prod)", "missing",
                           "!env", "n>5", "n<5", "env>1", "env=prod,tier=db"}) {
    EXPECT_FALSE(selects(text, labels)) << text;
  }
}

TEST(LabelSelector, MalformedTextIsRefused) {
  for (const auto* text :
       {"a b", "a in", "a in b", "a in (b", "a=b,", ",", "=b", "a>x", "-a=b", "a=b/c", "!", "a==b==c"}) {
    const auto parsed = LabelSelector::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, 400);
    EXPECT_TRUE(parsed.error().message.starts_with("unable to parse requirement: "))
        << parsed.error().message;
  }
}

TEST(LabelSelector, ObjectsAbsentSelectsNothingAndEmptyEverything) {
  EXPECT_FALSE(LabelSelector::from_object(nullptr)->matches({}));
  EXPECT_TRUE(LabelSelector::from_object(json::object())->matches({}));
  const auto both =
      LabelSelector::from_object(from_text("{'matchLabels': {'a': 'b'}, 'matchExpressions': [{'key': 'c', "
                                           "'operator': 'In', 'values': ['d', 'e']}]}"));
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->matches(object_from("{'a': 'b', 'c': 'e'}")));
  EXPECT_FALSE(both->matches(object_from("{'a': 'b', 'c': 'f'}")));
  EXPECT_EQ(both->to_text(), "a=b,c in (d,e)");
  EXPECT_FALSE(
      LabelSelector::from_object(from_text("{'matchExpressions': [{'key': 'c', 'operator': 'Like'}]}")));
  EXPECT_FALSE(LabelSelector::from_object(
      from_text("{'matchExpressions': [{'key': 'c', 'operator': 'In', 'values': []}]}")));
}

TEST(FieldSelector, NestedFieldsAndInequality) {
  const auto pod =
      object_from("{'metadata': {'name': 'a'}, 'spec': {'nodeName': 'n1'}, 'status': {'phase': 'Running'}}");
  const auto matches = [&](std::string_view text) {
    return FieldSelector::parse(text, "", "Pod")->matches(pod);
  };
  EXPECT_TRUE(matches("metadata.name=a,spec.nodeName=n1"));
  EXPECT_TRUE(matches("status.phase!=Succeeded,status.phase!=Failed"));
  EXPECT_FALSE(matches("spec.nodeName!=n1"));
  EXPECT_TRUE(matches("spec.hostNetwork=false"));
  EXPECT_EQ(FieldSelector::parse("metadata.name==a", "", "Pod")->name(), "a");
}

TEST(FieldSelector, UnknownFieldsAreRefusedForTheKind) {
  const auto parsed = FieldSelector::parse("spec.nodeName=a", "", "ConfigMap");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(
      parsed.error().message,
      "\"spec.nodeName\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
  EXPECT_EQ(FieldSelector::parse("spec.x=a", "", "Pod").error().message, "field label not supported: spec.x");
  EXPECT_FALSE(FieldSelector::parse("abc", "", "Pod"));
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
