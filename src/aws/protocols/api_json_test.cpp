#include "aws/protocols/api_json.h"

#include <gtest/gtest.h>

#include "aws/shapes/orchard_json.h"
#include "aws/shapes/sts.h"

namespace instantstart::aws {
namespace {

using orchard_json::Tree;

TEST(ToApiJson, WritesApiNamesAndHidesWhatIsSensitive) {
  Tree tree{.kind = "pear", .age = 3, .secret = "s3cr3t", .sample = Blob{"hi"}};
  tree.measured = Timestamp{std::chrono::sys_seconds(std::chrono::seconds(1796067329))};
  tree.graft.emplace().secret = "deeper";
  EXPECT_EQ(to_text(json::value(to_api_json(tree))),
            R"({"kind":"pear","graft":{"secret":"[secret]"},"age":3,"measured":"2026-11-30T19:35:29Z",)"
            R"("secret":"[secret]","sample":"aGk="})");
  EXPECT_EQ(to_api_json(tree, {.reveal_sensitive = true}).at("secret"), "s3cr3t");
}

TEST(ToApiJson, HidesCredentials) {
  sts::AssumeRoleResponse response;
  response.credentials.emplace() = {.access_key_id = "AKIDEXAMPLE", .secret_access_key = "made-up-secret"};
  EXPECT_EQ(to_text(json::value(to_api_json(response))).find("made-up-secret"), std::string::npos);
}

Result<Tree> read(std::string_view text) {
  Tree tree;
  auto done = from_api_json(shape_info(&tree), *parse_json(text), &tree);
  if (!done) return fail(done.error());
  return tree;
}

TEST(FromApiJson, ReadsEveryKind) {
  const auto tree =
      read(R"({"kind":"pear","height":5,"age":3,"delete":true,"measured":1796067329,"sample":"aGk=",
    "byName":{"a":{"kind":"apple"}},"branches":[{}],"graft":null})");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(tree->height, 5.0);
  EXPECT_EQ(tree->delete_, true);
  EXPECT_EQ(tree->sample->bytes, "hi");
  EXPECT_EQ(tree->by_name->at("a").kind, "apple");
  EXPECT_EQ(tree->branches->size(), 1u);
  EXPECT_FALSE(tree->graft);
}

TEST(FromApiJson, ReportsAllThatDoesNotFit) {
  const auto tree = read(R"({"knd":"pear","age":"3","delete":1,"branches":{},"graft":{"measured":"soon"}})");
  ASSERT_FALSE(tree);
  std::vector<std::string> pointers;
  for (const auto& problem : tree.error().problems) pointers.push_back(problem.pointer + " " + problem.rule);
  EXPECT_EQ(pointers, (std::vector<std::string>{"/knd unknown_field", "/age type", "/delete type",
                                                "/branches type", "/graft/measured type"}));
  EXPECT_EQ(tree.error().problems[0].nearest, "kind");
}

}  // namespace
}  // namespace instantstart::aws
