#include "aws/protocols/uri_template.h"

#include <gtest/gtest.h>

namespace instantstart::aws {
namespace {

std::expected<std::string, Fault> expand(std::string_view path, Labels labels) {
  return expand_path(path, [&](std::string_view label) -> std::optional<std::string> {
    const auto found = labels.find(label);
    return found == labels.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(ExpandPath, EscapesLabelsAndKeepsTheSlashesOfAGreedyOne) {
  EXPECT_EQ(expand("/clusters/{name}/addons", {{"name", "a/b é"}}), "/clusters/a%2Fb%20%C3%A9/addons");
  EXPECT_EQ(expand("/{Bucket}/{Key+}", {{"Bucket", "b"}, {"Key", "x/y z"}}), "/b/x/y%20z");
}

TEST(ExpandPath, RefusesAnEmptyLabelSinceItWouldNameAnotherResource) {
  EXPECT_EQ(expand("/clusters/{name}", {{"name", ""}}).error().at, "/name");
  EXPECT_FALSE(expand("/clusters/{name}", {}));
}

TEST(MatchPath, DecodesLabels) {
  EXPECT_EQ(match_path("/clusters/{name}/addons", "/clusters/a%2Fb/addons"), (Labels{{"name", "a/b"}}));
  EXPECT_EQ(match_path("/{Bucket}/{Key+}", "/b/x/y%20z/"), (Labels{{"Bucket", "b"}, {"Key", "x/y z/"}}));
  EXPECT_EQ(match_path("/{Bucket}/{Key+}", "/b//x"), (Labels{{"Bucket", "b"}, {"Key", "/x"}}));
  EXPECT_EQ(match_path("/", "/"), Labels());
}

TEST(MatchPath, IgnoresATrailingSlashButNotAMissingLabel) {
  EXPECT_TRUE(match_path("/{Bucket}", "/b/"));
  EXPECT_FALSE(match_path("/{Bucket}", "/"));
  EXPECT_FALSE(match_path("/{Bucket}/{Key+}", "/b"));
  EXPECT_FALSE(match_path("/{Bucket}/{Key+}", "/b/"));
  EXPECT_FALSE(match_path("/clusters/{name}", "/clusters/a/addons"));
  EXPECT_FALSE(match_path("/clusters/{name}", "/clusters/%zz"));
}

TEST(SplitUri, TakesConstantParametersOff) {
  EXPECT_EQ(split_uri("/{Bucket}?list-type=2").query, (std::vector<NamedText>{{"list-type", "2"}}));
  EXPECT_EQ(split_uri("/{Bucket}?tagging").query, (std::vector<NamedText>{{"tagging", ""}}));
  EXPECT_EQ(split_uri("/{Bucket}?tagging").path, "/{Bucket}");
}

}  // namespace
}  // namespace instantstart::aws
