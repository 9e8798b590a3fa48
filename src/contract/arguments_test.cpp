#include "contract/arguments.h"

#include <gtest/gtest.h>

#include "contract/testing/sample_actions.h"

namespace instantstart::contract {
namespace {

using namespace testing;

const Action& action_named(std::string_view name) {
  static const ActionTable table = sample_table();
  return *table.find(name);
}

std::vector<std::string> names_of(const std::vector<Member>& members) {
  std::vector<std::string> names;
  for (const auto& member : members) names.emplace_back(member.field->name);
  return names;
}

using Names = std::vector<std::string>;

TEST(MembersOf, EachEffectAddsWhatItsCallersNeed) {
  EXPECT_EQ(names_of(members_of(action_named("book_get"))), (Names{"book"}));
  EXPECT_EQ(names_of(members_of(action_named("book_list"))), (Names{"genre", "words", "limit", "cursor"}));
  const Names change{"dry_run", "client_token", "confirm_token"};
  for (const auto name : {"book_rename", "book_print", "shelf_clear"}) {
    auto names = names_of(members_of(action_named(name)));
    names.erase(names.begin(), names.end() - 3);
    EXPECT_EQ(names, change) << name;
  }
}

TEST(DecodeArguments, PartsGoWhereTheyBelong) {
  const auto arguments = decode_arguments(action_named("shelf_clear"),
                                          {{"confirm_token", "ct_1"}, {"shelf", "west"}, {"dry_run", true}});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(static_cast<const ShelfClear*>(arguments->request.get())->shelf, "west");
  EXPECT_EQ(arguments->change.dry_run, true);
  EXPECT_EQ(arguments->change.confirm_token, "ct_1");
  EXPECT_EQ(arguments->change.client_token, std::nullopt);
}

TEST(DecodeArguments, PagesHaveALimitWithoutBeingAsked) {
  EXPECT_EQ(decode_arguments(action_named("book_list"), json::object{})->page.limit, 100);
  EXPECT_EQ(decode_arguments(action_named("book_list"), {{"limit", 5}})->page.limit, 5);
}

TEST(DecodeArguments, TextsOfAQueryStringBecomeScalarsInAllParts) {
  const json::object sent{{"shelf", "west"}, {"keep_rare", "true"}, {"dry_run", "true"}};
  EXPECT_FALSE(decode_arguments(action_named("shelf_clear"), sent));
  const auto arguments = decode_arguments(action_named("shelf_clear"), sent, {.scalars_from_text = true});
  ASSERT_TRUE(arguments) << arguments.error().message;
  EXPECT_EQ(arguments->change.dry_run, true);
}

TEST(DecodeArguments, ProblemsOfAllPartsAreReportedAtOnce) {
  const auto arguments = decode_arguments(action_named("book_rename"),
                                          {{"book", "Dune!"}, {"dry_run", 1}, {"client_token", ""}});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().code, "invalid_request");
  std::vector<std::string> pointers;
  for (const auto& problem : arguments.error().problems) pointers.push_back(problem.pointer);
  EXPECT_EQ(pointers, (Names{"/book", "/title", "/dry_run", "/client_token"}));
}

TEST(DecodeArguments, AMisspelledCommonMemberNamesTheRightOne) {
  const auto arguments =
      decode_arguments(action_named("shelf_clear"), {{"shelf", "west"}, {"dry_rum", true}});
  ASSERT_FALSE(arguments);
  ASSERT_EQ(arguments.error().problems.size(), 1U);
  EXPECT_EQ(arguments.error().problems[0].nearest, "dry_run");
}

TEST(DecodeArguments, AReadTakesNoMembersOfChanges) {
  const auto arguments = decode_arguments(action_named("book_get"), {{"book", "dune"}, {"dry_run", true}});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().problems[0].rule, "unknown_field");
}

TEST(DecodeArguments, TheConfirmTokenIsNotShownInProblems) {
  const auto arguments = decode_arguments(action_named("shelf_clear"),
                                          {{"shelf", "west"}, {"confirm_token", std::string(600, 's')}});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().problems[0].value, k_secret_text);
}

TEST(DecodeArguments, SomethingElseThanAnObjectIsRefused) {
  for (const json::value& sent : {json::value(nullptr), json::value(3), json::value(json::array{})}) {
    EXPECT_FALSE(decode_arguments(action_named("book_list"), sent)) << sent;
  }
}

}  // namespace
}  // namespace instantstart::contract
