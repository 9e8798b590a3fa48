#include "faces/mcp/tool_result.h"

#include <gtest/gtest.h>

#include "contract/testing/sample_actions.h"

namespace instantstart::faces {
namespace {

json::object list_of(std::size_t count, std::size_t bytes) {
  json::array items;
  for (std::size_t i = 0; i < count; ++i) items.push_back({{"n", i}, {"t", std::string(bytes, 'x')}});
  return {{"region", "us-west-2"}, {"items", std::move(items)}};
}

TEST(Cleaned, StripsControlsFromTextsAndNamesAtAnyDepth) {
  const json::value value{{"a\x1b[31m", json::array{"x\x07y", 1, json::object{{"b", "\u202ez"}}}}};
  EXPECT_EQ(to_text(cleaned(value)), R"({"a":["xy",1,{"b":"z"}]})");
}

TEST(Fitted, LeavesWhatFitsAsItIs) {
  const json::object body = list_of(3, 10);
  EXPECT_EQ(fitted(body, 8192, "hint"), body);
}

TEST(Fitted, CutsTheLongestListAndSaysSo) {
  const json::object body = fitted(list_of(200, 100), 8192, "Narrow it.");
  EXPECT_LE(to_text(body).size(), 8192u);
  const auto shown = body.at("items").as_array().size();
  EXPECT_GT(shown, 50u);
  EXPECT_EQ(body.at("region"), "us-west-2");
  EXPECT_EQ(body.at("items").at(0).at("n"), 0);
  EXPECT_EQ(to_text(body.at("truncated")),
            R"([{"list":"/items","shown":)" + std::to_string(shown) + R"(,"of":200}])");
  EXPECT_EQ(body.at("hint"), "Narrow it.");
}

TEST(Fitted, ShortensTextsWhereThereIsNoListToCut) {
  const json::object body = fitted({{"log", std::string(50'000, 'x')}, {"name", "n"}}, 8192, "hint");
  EXPECT_LE(to_text(body).size(), 8192u);
  EXPECT_GT(body.at("log").as_string().size(), 7000u);
  EXPECT_EQ(body.at("name"), "n");
}

TEST(Fitted, DropsMembersWhenNothingElseHelps) {
  json::object body;
  for (int i = 0; i < 2000; ++i) body["member-" + std::to_string(i)] = i;
  const json::object shown = fitted(body, 8192, "hint");
  EXPECT_LE(to_text(shown).size(), 8192u);
  EXPECT_TRUE(shown.contains("member-0"));
}

TEST(Fitted, HoldsItsBoundForNestedAndEscapedValuesToo) {
  json::object body = list_of(1, 20'000);
  body["items"].as_array().push_back(list_of(400, 10));
  body["escaped"] = std::string(9'000, '"');
  EXPECT_LE(to_text(fitted(std::move(body), 8192, "hint")).size(), 8192u);
}

TEST(ItemsThatFit, CountsWhatFitsOfTheLongestList) {
  EXPECT_EQ(items_that_fit(list_of(3, 10), 8192), std::nullopt);
  const auto count = items_that_fit(list_of(200, 100), 8192);
  ASSERT_TRUE(count.has_value());
  EXPECT_LE(to_text(list_of(*count, 100)).size(), 8192u);
  EXPECT_EQ(items_that_fit(list_of(1, 10'000), 8192), std::nullopt) << "one is too long by itself";
}

TEST(NarrowingHint, NamesWhatTheActionTakes) {
  const contract::ActionTable actions = contract::testing::sample_table();
  EXPECT_EQ(narrowing_hint(*actions.find("book_list")),
            "The answer was longer than fits here. Narrow it with limit, cursor, genre, words.");
}

TEST(NarrowingHint, OfAChangeSendsTheReaderToTheWholePlan) {
  const contract::ActionTable actions = contract::testing::sample_table();
  EXPECT_NE(narrowing_hint(*actions.find("shelf_clear")).find("before confirming"), std::string::npos);
}

TEST(ToolResult, IsOnceTextAndOnceStructure) {
  const json::object result = tool_result({{"a", 1}}, false, Revision::r2025_11_25);
  EXPECT_EQ(to_text(result), R"({"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1},)"
                             R"("_meta":{"instantstart/untrusted":true}})");
  EXPECT_FALSE(tool_result({}, false, Revision::r2025_03_26).contains("structuredContent"));
}

TEST(ProblemResult, CarriesTheProblemDetailsThatEveryFaceGives) {
  const Error error{.code = "not_found", .message = "No \x1b[1mbook."};
  const json::object result = problem_result(contract::to_problem(error, "r1"), Revision::r2026_07_28);
  EXPECT_EQ(result.at("isError"), true);
  const auto& problem = result.at("structuredContent");
  EXPECT_EQ(problem.at("code"), "not_found");
  EXPECT_EQ(problem.at("status"), 404);
  EXPECT_EQ(problem.at("detail"), "No book.");
  EXPECT_EQ(problem.at("request_id"), "r1");
}

}  // namespace
}  // namespace instantstart::faces
