#include "contract/action.h"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "contract/arguments.h"
#include "contract/testing/sample_actions.h"

namespace instantstart::contract {
namespace {

using namespace testing;

template <class T>
Result<T> run(Task<T> task) {
  asio::io_context loop;
  auto future = asio::co_spawn(loop, std::move(task), asio::use_future);
  loop.run();
  return future.get();
}

const Action& action_named(std::string_view name) {
  static const ActionTable table = sample_table();
  return *table.find(name);
}

Result<json::value> read(std::string_view name, const json::object& sent) {
  const Action& action = action_named(name);
  auto arguments = decode_arguments(action, sent);
  if (!arguments) return std::unexpected(arguments.error());
  return run(std::get<ReadHandler>(action.handler)({}, arguments->request, arguments->page));
}

Result<Plan> plan(std::string_view name, const json::object& sent) {
  const Action& action = action_named(name);
  auto arguments = decode_arguments(action, sent);
  if (!arguments) return std::unexpected(arguments.error());
  return run(std::get<PlanHandler>(action.handler)({}, std::move(arguments->request)));
}

TEST(Action, ReadAnswersAreEncoded) {
  const auto book = read("book_get", {{"book", "dune"}});
  ASSERT_TRUE(book) << book.error().message;
  EXPECT_EQ(book->at("title"), "Dune");
  EXPECT_EQ(book->at("chapters").at(0).at("parts").at(0).at("title"), "Arrakis");
}

TEST(Action, TheErrorOfAHandlerComesThrough) {
  const auto book = read("book_get", {{"book", "none"}});
  ASSERT_FALSE(book);
  EXPECT_EQ(book.error().code, "not_found");
  EXPECT_EQ(book.error().next.at(0).action, "book_list");
}

TEST(Action, PagesFollowTheCursorToTheEndWithoutLossOrDoubles) {
  std::vector<std::string> ids;
  json::object arguments{{"limit", 100}};
  for (int pages = 1;; ++pages) {
    const auto page = read("book_list", arguments);
    ASSERT_TRUE(page) << page.error().message;
    for (const auto& book : page->at("items").as_array()) ids.emplace_back(book.at("id").as_string());
    if (!page->as_object().contains("next_cursor")) {
      EXPECT_EQ(pages, 3);
      break;
    }
    arguments["cursor"] = page->at("next_cursor");
  }
  ASSERT_EQ(ids.size(), static_cast<std::size_t>(k_numbered_books));
  EXPECT_EQ(ids.front(), "book-0");
  EXPECT_EQ(ids.back(), "book-249");
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(Action, ALocalHandlerAnswersItsOwnType) {
  const Action& action = action_named("book_rename");
  auto arguments = decode_arguments(action, {{"book", "book-7"}, {"title", "Seven"}});
  ASSERT_TRUE(arguments);
  const auto book = run(std::get<LocalHandler>(action.handler)({}, arguments->request));
  ASSERT_TRUE(book) << book.error().message;
  EXPECT_EQ(book->at("title"), "Seven");
}

TEST(Action, PlansAreSoundAndDecideThemselvesWhetherToAsk) {
  const auto print = plan("book_print", action_named("book_print").spec.example);
  ASSERT_TRUE(print) << print.error().message;
  EXPECT_TRUE(plan_faults(*print).empty());
  EXPECT_FALSE(print->needs_confirmation());
  const auto clear = plan("shelf_clear", {{"shelf", "west"}});
  ASSERT_TRUE(clear) << clear.error().message;
  EXPECT_TRUE(plan_faults(*clear).empty());
  EXPECT_TRUE(clear->needs_confirmation());
}

TEST(Action, ThePlanHandlerKeepsItsRequestWhileItRuns) {
  const Action action =
      change_action<ShelfClear>({.name = "shelf_clear"}, [](Caller, const ShelfClear& request) -> Task<Plan> {
        co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
        co_return Plan{.summary = request.shelf};
      });
  auto request = std::make_shared<ShelfClear>();
  request->shelf = "a name that is too long to be kept within the string object";
  const auto answer = run(std::get<PlanHandler>(action.handler)({}, std::move(request)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->summary, "a name that is too long to be kept within the string object");
}

TEST(Action, OnlyReadsAreForViewers) {
  for (const auto& action : sample_actions()) {
    const Role expected = action.spec.effect == Effect::read ? Role::viewer : Role::operator_;
    EXPECT_EQ(action.spec.least_role, expected) << action.spec.name;
  }
  const auto admin = local_action<BookRename, Book>(
      {.least_role = Role::admin}, [](Caller, BookRename) -> Task<Book> { co_return Book{}; });
  EXPECT_EQ(admin.spec.least_role, Role::admin);
}

TEST(Action, TheMethodFollowsTheEffectUnlessItIsNamed) {
  EXPECT_EQ(action_named("book_get").method(), "GET");
  EXPECT_EQ(action_named("book_print").method(), "POST");
  EXPECT_EQ(action_named("book_rename").method(), "PATCH");
  EXPECT_FALSE(action_named("shelf_clear").has_body());
  EXPECT_TRUE(action_named("book_rename").has_body());
}

TEST(Action, TheDocOfAChangeNamesItsStatusAction) {
  EXPECT_EQ(action_named("shelf_clear").doc(),
            "Removes the books for good. The shelf itself stays. operation_get tells when it is complete.");
  EXPECT_EQ(action_named("book_get").doc(), "Everything about one book. book_list finds its id.");
}

TEST(Action, NamesSplitAtTheirLastWord) {
  EXPECT_EQ(noun_of("control_plane_create"), "control_plane");
  EXPECT_EQ(verb_of("control_plane_create"), "create");
  EXPECT_EQ(noun_of("alone"), "alone");
  EXPECT_EQ(verb_of("alone"), "alone");
}

TEST(Action, PathMembersAreTheNamesInBraces) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(path_members("/clusters/{cluster}/groups/{group}"), (Names{"cluster", "group"}));
  EXPECT_EQ(path_members("/clusters"), Names{});
  EXPECT_EQ(path_members("/clusters/{cluster"), Names{});
}

TEST(Action, ErrorCodesFitWhatTheActionDoes) {
  const auto has = [](std::string_view action, std::string_view code) {
    const auto codes = error_codes_of(action_named(action));
    EXPECT_TRUE(std::ranges::is_sorted(codes));
    return std::ranges::find(codes, code) != codes.end();
  };
  EXPECT_TRUE(has("book_get", "not_found"));
  EXPECT_FALSE(has("book_get", "body_too_large"));
  EXPECT_FALSE(has("book_get", "conflict"));
  EXPECT_TRUE(has("book_print", "body_too_large"));
  EXPECT_TRUE(has("book_print", "confirm_required"));
  EXPECT_TRUE(has("book_print", "name_taken"));
  EXPECT_FALSE(has("book_rename", "upstream_error"));
}

}  // namespace
}  // namespace instantstart::contract
