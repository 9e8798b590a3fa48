#include "faces/mcp/tools.h"

#include <set>

#include <gtest/gtest.h>

#include "contract/testing/sample_actions.h"

namespace instantstart::faces {
namespace {

using contract::Role;

class ToolsTest : public ::testing::Test {
 protected:
  json::object tool(std::string_view name) const { return tool_of(*actions_.find(name)); }

  static std::vector<std::string> names(const json::object& page) {
    std::vector<std::string> found;
    for (const auto& each : page.at("tools").as_array()) found.emplace_back(each.at("name").as_string());
    return found;
  }

  contract::ActionTable actions_{contract::testing::sample_actions()};
};

/// Words of JSON Schema that some host can't read, wherever they stand as a word.
void expect_flat(const json::object& schema) {
  static const std::set<std::string_view> allowed = {
      "type",     "enum",     "default",    "minimum", "maximum",     "minItems",
      "maxItems", "required", "properties", "items",   "description", "additionalProperties"};
  for (const auto& word : schema) EXPECT_TRUE(allowed.contains(word.key())) << word.key();
  if (const auto* properties = object_member(schema, "properties")) {
    for (const auto& each : *properties) expect_flat(each.value().as_object());
  }
  if (const auto* items = object_member(schema, "items")) expect_flat(*items);
  if (const auto* values = object_member(schema, "additionalProperties")) expect_flat(*values);
}

TEST_F(ToolsTest, EveryToolIsAFlatObjectWithinItsBounds) {
  for (const auto& action : actions_.all()) {
    const json::object shown = tool_of(action);
    EXPECT_LE(to_text(shown).size(), k_tool_bytes) << action.spec.name;
    EXPECT_LE(shown.at("description").as_string().size(), k_description_bytes);
    const auto& schema = shown.at("inputSchema").as_object();
    EXPECT_EQ(schema.at("type"), "object");
    EXPECT_EQ(schema.at("additionalProperties"), false);
    expect_flat(schema);
  }
}

TEST_F(ToolsTest, HintsFollowFromTheEffect) {
  const auto hints = [this](std::string_view name) { return to_text(tool(name).at("annotations")); };
  EXPECT_EQ(hints("book_get"),
            R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})");
  EXPECT_EQ(hints("book_rename"),
            R"({"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false})");
  EXPECT_EQ(hints("book_print"),
            R"({"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true})");
  EXPECT_EQ(hints("shelf_clear"),
            R"({"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":true})");
}

TEST_F(ToolsTest, AChangeNamesTheActionThatTellsWhenItIsComplete) {
  EXPECT_TRUE(
      tool("book_print").at("description").as_string().ends_with("operation_get tells when it is complete."));
}

TEST_F(ToolsTest, ALongDocLosesWholeSentencesAndNeverTheStatusAction) {
  contract::Action action = *actions_.find("book_print");
  action.spec.doc = std::string(150, 'a') + ". " + std::string(150, 'b') + ".";
  const json::value tool = tool_of(action);
  const std::string_view text(tool.at("description").as_string());
  EXPECT_EQ(text, "Print copies of a book. " + std::string(150, 'a') +
                      ". operation_get tells when it is complete.");
}

TEST_F(ToolsTest, MembersAreDocumentedAndRequiredAsInTheTable) {
  const auto schema = tool("book_rename").at("inputSchema");
  EXPECT_EQ(to_text(schema.at("properties").at("book")),
            R"({"type":"string","description":"Id of the book."})");
  EXPECT_EQ(to_text(schema.at("required")), R"(["book","title"])");
  EXPECT_TRUE(schema.at("properties").as_object().contains("dry_run"));
}

TEST_F(ToolsTest, AToolThatWouldBeTooLongShowsLessOfItsSchema) {
  contract::Action action = *actions_.find("book_print");
  action.spec.summary = std::string(500, 'a');
  const json::object shown = tool_of(action);
  EXPECT_LE(to_text(shown).size(), k_tool_bytes);
  const auto& properties = shown.at("inputSchema").at("properties").as_object();
  EXPECT_FALSE(properties.at("copies").as_object().contains("maximum"));
  EXPECT_TRUE(properties.contains("source"));
}

TEST_F(ToolsTest, TheListBeginsWithAReadThatNeedsNothingAndIsSortedAfterwards) {
  const Tools tools(actions_);
  const auto page = tools.list(Role::admin, Revision::r2026_07_28, std::nullopt);
  EXPECT_EQ(names(*page), (std::vector<std::string>{"book_list", "book_get", "book_print", "book_rename",
                                                    "operation_get", "shelf_clear"}));
  EXPECT_FALSE(page->contains("nextCursor"));
}

TEST_F(ToolsTest, ACallerSeesTheToolsOfItsRole) {
  const Tools tools(actions_);
  EXPECT_EQ(names(*tools.list(Role::viewer, Revision::r2026_07_28, std::nullopt)),
            (std::vector<std::string>{"book_list", "book_get", "operation_get"}));
}

TEST_F(ToolsTest, PagesHoldEveryToolOnce) {
  const Tools tools(actions_, 2);
  std::vector<std::string> all;
  std::optional<std::string> cursor;
  do {
    const auto page = tools.list(Role::admin, Revision::r2026_07_28, cursor);
    ASSERT_TRUE(page.has_value());
    EXPECT_LE(names(*page).size(), 2u);
    for (auto& name : names(*page)) all.push_back(name);
    const auto next = text_member(*page, "nextCursor");
    cursor = next ? std::optional(std::string(*next)) : std::nullopt;
  } while (cursor);
  EXPECT_EQ(all.size(), actions_.all().size());
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

TEST_F(ToolsTest, ACursorThatNoPageHadIsRefused) {
  const Tools tools(actions_);
  const auto page = tools.list(Role::admin, Revision::r2026_07_28, "nonsense");
  ASSERT_FALSE(page.has_value());
  EXPECT_EQ(page.error().code, rpc::invalid_params);
}

TEST_F(ToolsTest, OlderRevisionsSeeNoMembersThatTheyDoNotHave) {
  const Tools tools(actions_);
  const auto first = [&](Revision revision) {
    return tools.list(Role::admin, revision, std::nullopt)->at("tools").as_array().front().as_object();
  };
  EXPECT_FALSE(first(Revision::r2024_11_05).contains("annotations"));
  EXPECT_FALSE(first(Revision::r2025_03_26).contains("title"));
  EXPECT_TRUE(first(Revision::r2025_03_26).contains("annotations"));
  EXPECT_TRUE(first(Revision::r2025_06_18).contains("title"));
}

TEST_F(ToolsTest, AnUnknownToolNamesTheNearest) {
  const Tools tools(actions_);
  EXPECT_EQ(tools.unknown("book_gte").message, "Unknown tool: book_gte. Did you mean book_get?");
}

}  // namespace
}  // namespace instantstart::faces
