#include <gtest/gtest.h>

#include "contract/action.h"
#include "contract/testing/sample_actions.h"

namespace instantstart::contract {
namespace {

using namespace testing;
using Faults = std::vector<std::string>;

/// The faults of the sample table after a change to one of its rows.
Faults faults_after(std::string_view name, const std::function<void(Action&)>& change) {
  auto actions = sample_actions();
  const auto found =
      std::ranges::find_if(actions, [&](const Action& action) { return action.spec.name == name; });
  change(*found);
  return ActionTable::faults(actions);
}

/// The faults of the sample table with one more row, a read.
template <class Request, class Response = Book>
Faults faults_with_read(ActionSpec spec) {
  if (spec.name.empty()) spec.name = "extra_get";
  if (spec.path.empty()) spec.path = "/extra";
  if (spec.summary.empty()) spec.summary = "Something.";
  if (spec.doc.empty()) spec.doc = "Something more.";
  auto actions = sample_actions();
  actions.push_back(read_action<Request, Response>(
      std::move(spec), [](Caller, Request) -> Task<Response> { co_return Response{}; }));
  return ActionTable::faults(actions);
}

TEST(ActionTable, TheSampleTableIsSound) { EXPECT_EQ(ActionTable::faults(sample_actions()), Faults{}); }

TEST(ActionTable, FindsActionsByName) {
  const ActionTable table = sample_table();
  EXPECT_EQ(table.all().size(), 6U);
  for (const auto& action : table.all()) EXPECT_EQ(table.find(action.spec.name), &action);
  EXPECT_EQ(table.find("book_burn"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
  EXPECT_EQ(table.find("zzz"), nullptr);
}

TEST(ActionTable, NamesTheNearest) {
  EXPECT_EQ(sample_table().nearest_name("book_prunt"), "book_print");
  EXPECT_EQ(sample_table().nearest_name("cluster_delete"), std::nullopt);
}

TEST(ActionTableDeathTest, AFaultyTableEndsTheProcess) {
  auto actions = sample_actions();
  actions[0].spec.summary.clear();
  EXPECT_DEATH(ActionTable{std::move(actions)}, "action table: operation_get: there is no summary");
}

TEST(ActionFaults, NamesAreNounVerbAndUnique) {
  for (const std::string bad : {"", "book", "Book_get", "book-get", "book__get", "book_get_", "_get"}) {
    EXPECT_EQ(faults_after("book_get", [&](Action& action) { action.spec.name = bad; }),
              Faults{bad + ": the name is not noun_verb in lower_snake"});
  }
  const std::string long_name = "a_" + std::string(39, 'b');
  EXPECT_EQ(faults_after("book_get", [&](Action& action) { action.spec.name = long_name; }),
            Faults{long_name + ": the name is longer than 40 characters"});
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.name = "book_list"; }),
            Faults{"book_list: the name is twice"});
}

TEST(ActionFaults, TextsAreThereAndShort) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.summary = std::string(81, 'x'); }),
            Faults{"book_get: the summary is longer than 80 characters"});
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.summary = "Two\nlines."; }),
            Faults{"book_get: the summary has more than one line"});
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.doc = ""; }),
            Faults{"book_get: there is no doc"});
}

TEST(ActionFaults, TheEffectFitsTheHandler) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.effect = Effect::local; }),
            Faults{"book_get: the effect doesn't fit the kind of handler"});
}

TEST(ActionFaults, ARowMadeByHandIsRefused) {
  auto actions = sample_actions();
  actions.push_back({.spec = {.name = "book_burn", .path = "/x", .summary = "Burn.", .doc = "Burn."}});
  EXPECT_EQ(ActionTable::faults(actions),
            Faults{"book_burn: the row was not made by read_action, local_action or change_action"});
}

TEST(ActionFaults, MethodsMeanWhatHttpMeansByThem) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.method = "get"; }),
            (Faults{"book_get: the method get is none of DELETE, GET, PATCH, POST, PUT",
                    "book_get: a read can't be get"}));
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.spec.method = "DELETE"; }),
            Faults{"book_list: a read can't be DELETE"});
  EXPECT_EQ(faults_after("shelf_clear", [](Action& action) { action.spec.method = "GET"; }),
            Faults{"shelf_clear: GET is for reads only"});
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.spec.method = "POST"; }), Faults{});
}

TEST(ActionFaults, PathsAreMadeOfWordsAndMembers) {
  for (const std::string bad :
       {"", "shelves", "/shelves/", "//shelves", "/Shelves", "/shelves/{shelf", "/a/{s.h}"}) {
    const auto faults = faults_after("book_list", [&](Action& action) { action.spec.path = bad; });
    ASSERT_FALSE(faults.empty()) << bad;
    EXPECT_EQ(faults[0], "book_list: the path " + bad + " is not made of lower-case words and {members}");
  }
}

TEST(ActionFaults, PathMembersAreRequiredScalarsOfTheRequest) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.path = "/books/{id}/pages"; }),
            Faults{"book_get: the path member id is not in the request"});
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.spec.path = "/genres/{genre}"; }),
            Faults{"book_list: the path member genre must be a required scalar"});
  EXPECT_EQ(faults_after("book_print", [](Action& action) { action.spec.path = "/prints/{source}"; }),
            Faults{"book_print: the path member source must be a required scalar"});
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.path = "/books/{book}/of/{book}"; }),
            Faults{"book_get: the path has book twice"});
}

TEST(ActionFaults, RoutesDontTakeEachOthersRequests) {
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.spec.path = "/shelves"; }), Faults{});
  const auto same = faults_with_read<BookGet>({.path = "/books/{book}", .example = {{"book", "dune"}}});
  EXPECT_EQ(same,
            (Faults{"book_get: extra_get has the same route", "extra_get: book_get has the same route"}));
  const auto renamed = faults_with_read<OperationGet>(
      {.path = "/shelves/{operation_id}", .example = {{"operation_id", "op_1"}}});
  EXPECT_EQ(renamed, (Faults{"shelf_clear: extra_get names the members of the same path otherwise",
                             "extra_get: shelf_clear names the members of the same path otherwise"}));
}

struct Clashing {
  std::optional<bool> dry_run;
};

Type describe(Clashing*) {
  return object_type<Clashing>("Clashing", "Takes the name of a common member.",
                               {field<&Clashing::dry_run>("dry_run", "Its own.")});
}

TEST(ActionFaults, OwnMembersDontClashWithCommonOnes) {
  auto actions = sample_actions();
  actions.push_back(local_action<Clashing, Book>(
      {.name = "extra_set", .path = "/extra", .summary = "Set.", .doc = "Set it."},
      [](Caller, Clashing) -> Task<Book> { co_return Book{}; }));
  EXPECT_EQ(ActionTable::faults(actions),
            Faults{"extra_set: the member dry_run clashes with the one of ChangeOptions"});
}

TEST(ActionFaults, QueryStringsCarryFlatMembersOnly) {
  const json::object example = sample_table().find("book_print")->spec.example;
  EXPECT_EQ(faults_with_read<BookPrint>({.path = "/extra/{book}", .example = example}),
            (Faults{"extra_get: the member source can't travel in a query string, but a GET has no body",
                    "extra_get: the member labels can't travel in a query string, but a GET has no body"}));
  EXPECT_EQ(faults_with_read<BookPrint>({.path = "/extra/{book}", .method = "POST", .example = example}),
            Faults{});
}

TEST(ActionFaults, PagesNeedACursorInTheAnswerAndAHandlerThatTakesThem) {
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.response = &type_of<Book>(); }),
            Faults{"book_list: it has pages, but the response has no optional string next_cursor"});
  const auto unpaged = faults_after("book_list", [](Action& action) {
    action.spec.paged = false;
    action.spec.example.erase("limit");
  });
  EXPECT_EQ(unpaged, Faults{"book_list: the handler takes PageOptions, but it has no pages"});
  EXPECT_EQ((faults_with_read<BookList, BookPage>({.paged = true})),
            Faults{"extra_get: it has pages, but the handler takes no PageOptions"});
}

TEST(ActionFaults, ATextThatGrowsSaysWhereItGoesOn) {
  EXPECT_EQ((faults_with_read<BookList, BookPage>({.follows = true})),
            (Faults{"extra_get: it follows a text, but the request has no integer offset",
                    "extra_get: it follows a text, but the request has no integer wait_seconds",
                    "extra_get: it follows a text, but the response has none",
                    "extra_get: it follows a text, but the response has no integer next_offset",
                    "extra_get: it follows a text, but the response has no boolean ended"}));
}

TEST(ActionFaults, AChangeSaysWhatTellsThatItIsComplete) {
  EXPECT_EQ(faults_after("shelf_clear",
                         [](Action& action) {
                           action.spec.status_action.clear();
                           action.spec.operation_kind.clear();
                         }),
            (Faults{"shelf_clear: there is no operation_kind", "shelf_clear: there is no status_action"}));
  EXPECT_EQ(faults_after("shelf_clear", [](Action& action) { action.spec.status_action = "shelf_get"; }),
            Faults{"shelf_clear: the status_action shelf_get is not in the table"});
  EXPECT_EQ(faults_after("shelf_clear", [](Action& action) { action.spec.status_action = "book_print"; }),
            Faults{"shelf_clear: the status_action book_print is not a read"});
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.status_action = "operation_get"; }),
            Faults{"book_get: a read has no status_action"});
  EXPECT_EQ(faults_after("book_rename", [](Action& action) { action.spec.operation_kind = "book_rename"; }),
            Faults{"book_rename: it starts no operation, but has an operation_kind"});
}

TEST(ActionFaults, ErrorCodesAreRegistered) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.errors = {"not_found", "torn"}; }),
            Faults{"book_get: the error code torn is not registered"});
}

TEST(ActionFaults, ExamplesAreValidArguments) {
  EXPECT_EQ(faults_after("book_get", [](Action& action) { action.spec.example = {}; }),
            Faults{"book_get: the example's /book is required"});
  EXPECT_EQ(faults_after("book_list", [](Action& action) { action.spec.example = {{"limit", 5000}}; }),
            Faults{"book_list: the example's /limit must be at most 1000"});
  EXPECT_EQ(faults_after("shelf_clear", [](Action& action) { action.spec.example["confirm_token"] = "ct"; }),
            Faults{"shelf_clear: the example shows the secret confirm_token"});
}

TEST(ActionFaults, AnswersHoldNoSecrets) {
  EXPECT_EQ((faults_with_read<BookGet, Download>({.path = "/extra/{book}", .example = {{"book", "dune"}}})),
            Faults{"extra_get: the response has the secret Download.password, and answers show none"});
}

}  // namespace
}  // namespace instantstart::contract
