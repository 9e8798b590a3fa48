#include "access/dispatcher.h"

#include "access/testing/house.h"
#include "base/error_codes.h"

namespace instantstart::access {
namespace {

using contract::Caller;
using contract::Role;
using testing::House;

const json::object k_print{
    {"book", "dune"},
    {"source", {{"from", "manuscript"}, {"file", "dune.txt"}, {"chapters", json::array()}}}};
const json::object k_clear{{"shelf", "north"}};

template <class Value>
json::object with(json::object arguments, std::string_view name, const Value& value) {
  arguments[name] = value;
  return arguments;
}

Result<Answer> call(House& house, std::string action, json::object arguments, Role role = Role::admin,
                    std::string principal = "ann") {
  return house.wait(house.dispatcher.call(house.caller(role, std::move(principal)),
                                          {.action = std::move(action), .arguments = std::move(arguments)}));
}

std::string text(const Result<Answer>& answer, std::string_view member) {
  if (!answer) return "error: " + answer.error().code + ": " + answer.error().message;
  const auto* value = answer->body.as_object().if_contains(member);
  return value && value->is_string() ? std::string(value->as_string()) : "";
}

std::size_t operations(House& house) {
  auto page = house.wait(house.engine.list({}));
  return page ? page->operations.size() : 999;
}

TEST(Dispatcher, AnUnknownActionNamesTheNearest) {
  House house;
  auto answer = call(house, "book_gett", {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::not_found);
  EXPECT_EQ(answer.error().detail.at("nearest"), "book_get");
}

TEST(Dispatcher, ARoleIsCheckedBeforeTheArgumentsAreLookedAt) {
  House house;
  for (const auto& action : house.actions.all()) {
    const bool may = action.spec.effect == contract::Effect::read;
    auto answer = call(house, action.spec.name, {{"no_such_member", 1}}, Role::viewer);
    ASSERT_FALSE(answer) << action.spec.name;
    EXPECT_EQ(answer.error().code, may ? codes::invalid_request : codes::forbidden) << action.spec.name;
  }
}

TEST(Dispatcher, AllThatIsWrongIsSaidAtOnce) {
  House house;
  auto answer = call(house, "book_print", {{"copies", "many"}, {"dryrun", true}, {"confirm_token", 7}});
  ASSERT_FALSE(answer);
  std::map<std::string, std::string> rules;
  for (const auto& problem : answer.error().problems) rules[problem.pointer] = problem.rule;
  const std::map<std::string, std::string> wanted{{"/book", "required"},
                                                  {"/source", "required"},
                                                  {"/copies", "type"},
                                                  {"/dryrun", "unknown_field"},
                                                  {"/confirm_token", "type"}};
  EXPECT_EQ(rules, wanted);
}

TEST(Dispatcher, AReadAnswersItsType) {
  House house;
  EXPECT_EQ(text(call(house, "book_get", {{"book", "dune"}}, Role::viewer), "id"), "dune");
}

TEST(Dispatcher, ADryRunShowsThePlanAndStartsNothing) {
  House house;
  auto answer = call(house, "book_print", with(k_print, "dry_run", true));
  EXPECT_EQ(text(answer, "status"), "planned");
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body.at("plan").at("steps").as_array().size(), 2u);
  EXPECT_EQ(operations(house), 0u);
}

TEST(Dispatcher, AChangeStartsAnOperationAndSaysHowToFollowIt) {
  House house;
  auto answer = call(house, "book_print", k_print);
  EXPECT_EQ(text(answer, "status"), "started");
  EXPECT_EQ(answer->status, 202);
  const auto& next = answer->body.at("next").as_array().at(0);
  EXPECT_EQ(next.at("action"), "operation_get");
  EXPECT_EQ(next.at("arguments").at("operation_id"), answer->body.at("operation_id"));
}

TEST(Dispatcher, TheSameRequestJoinsTheRunningOperationAndSaysWhoStartedIt) {
  House house;
  auto first = call(house, "book_print", k_print);
  auto second = call(house, "book_print", k_print, Role::admin, "bob");
  EXPECT_EQ(text(second, "status"), "joined");
  EXPECT_EQ(text(second, "started_by"), "ann");
  EXPECT_EQ(text(second, "operation_id"), text(first, "operation_id"));
  EXPECT_EQ(operations(house), 1u);
}

TEST(Dispatcher, AClientTokenFindsItsOperationLongAfterItEnded) {
  House house;
  const auto request = with(k_print, "client_token", "t-1");
  auto first = call(house, "book_print", request);
  house.time.run_for(seconds(3600));
  auto again = call(house, "book_print", request);
  EXPECT_EQ(text(again, "operation_id"), text(first, "operation_id"));
  EXPECT_EQ(again->body.at("replayed"), true);
  EXPECT_EQ(operations(house), 1u);
}

TEST(Dispatcher, ARepeatIsAnsweredWithoutLookingAtTheWorldAgain) {
  House house;
  int looks = 0;
  std::vector<contract::Action> rows;
  for (auto& action : contract::testing::sample_actions()) {
    if (auto* plan = std::get_if<contract::PlanHandler>(&action.handler)) {
      action.handler = [&looks, plan = *plan](Caller caller, std::shared_ptr<const void> request) {
        ++looks;
        return plan(std::move(caller), std::move(request));
      };
    }
    rows.push_back(std::move(action));
  }
  const contract::ActionTable actions(std::move(rows));
  Dispatcher dispatcher(actions, house.engine, house.confirmations, house.answers, house.selections, Log());
  const auto print = [&](json::object arguments) {
    auto answer = house.wait(
        dispatcher.call(house.caller(), {.action = "book_print", .arguments = std::move(arguments)}));
    return text(answer, "operation_id");
  };
  const auto first = print(with(k_print, "client_token", "t-1"));
  EXPECT_EQ(print(k_print), first);
  house.time.run_for(seconds(3600));
  EXPECT_EQ(print(with(k_print, "client_token", "t-1")), first);
  EXPECT_EQ(looks, 1);
  EXPECT_NE(print(k_print), first);
  EXPECT_EQ(looks, 2);
}

TEST(Dispatcher, AClientTokenWithOtherValuesIsRefused) {
  House house;
  ASSERT_TRUE(call(house, "book_print", with(k_print, "client_token", "t-1")));
  auto other = call(house, "book_print", with(with(k_print, "copies", 7), "client_token", "t-1"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, codes::token_reused);
}

TEST(Dispatcher, ClientTokensOfTwoPrincipalsDoNotMeet) {
  House house;
  auto anns = call(house, "book_print", with(k_print, "client_token", "t-1"));
  house.time.run_for(seconds(60));
  auto bobs =
      call(house, "book_print", with(with(k_print, "copies", 7), "client_token", "t-1"), Role::admin, "bob");
  EXPECT_EQ(text(bobs, "status"), "started");
  EXPECT_NE(text(bobs, "operation_id"), text(anns, "operation_id"));
}

TEST(Dispatcher, ADangerousPlanAsksForConfirmationAndStartsNothing) {
  House house;
  auto answer = call(house, "shelf_clear", k_clear);
  EXPECT_EQ(text(answer, "status"), "confirm_required");
  EXPECT_EQ(answer->status, 409);
  EXPECT_FALSE(text(answer, "confirm_token").empty());
  EXPECT_EQ(operations(house), 0u);
}

TEST(Dispatcher, TheNextOfAConfirmationIsReadyToBeSent) {
  House house;
  auto asked = call(house, "shelf_clear", k_clear);
  const auto& next = asked->body.at("next").as_array().at(0);
  auto confirmed = call(house, std::string(next.at("action").as_string()), next.at("arguments").as_object());
  EXPECT_EQ(text(confirmed, "status"), "started");
}

TEST(Dispatcher, AConfirmationStartsOneOperationHoweverOftenItIsShown) {
  House house;
  const auto token = text(call(house, "shelf_clear", k_clear), "confirm_token");
  auto first = call(house, "shelf_clear", with(k_clear, "confirm_token", token));
  EXPECT_EQ(text(first, "status"), "started");
  house.time.run_for(seconds(3600));  // ended, and the confirmation is long too old to start anything
  auto again = call(house, "shelf_clear", with(k_clear, "confirm_token", token));
  EXPECT_EQ(text(again, "operation_id"), text(first, "operation_id"));
  EXPECT_EQ(operations(house), 1u);
}

TEST(Dispatcher, AConfirmationHoldsForItsPrincipalActionArgumentsAndTimeOnly) {
  House house;
  const auto token = text(call(house, "shelf_clear", k_clear), "confirm_token");
  const auto refused = [&](const Result<Answer>& answer) {
    return answer ? "accepted" : answer.error().code;
  };
  EXPECT_EQ(refused(call(house, "shelf_clear", with(k_clear, "confirm_token", token), Role::admin, "bob")),
            codes::confirm_token_invalid);
  EXPECT_EQ(refused(call(house, "shelf_clear", {{"shelf", "south"}, {"confirm_token", token}})),
            codes::confirm_token_invalid);
  EXPECT_EQ(refused(call(house, "shelf_clear", with(k_clear, "confirm_token", "made-up"))),
            codes::confirm_token_invalid);
  house.time.run_for(seconds(300));
  EXPECT_EQ(refused(call(house, "shelf_clear", with(k_clear, "confirm_token", token))),
            codes::confirm_token_invalid);
  EXPECT_EQ(operations(house), 0u);
}

TEST(Dispatcher, ALocalChangeIsMadeOnceAClientToken) {
  House house;
  const json::object request{{"book", "dune"}, {"title", "Dune"}, {"client_token", "t-9"}};
  auto first = call(house, "book_rename", request);
  ASSERT_TRUE(first);
  auto again = call(house, "book_rename", request);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->body, first->body);
  auto other = call(house, "book_rename", with(request, "title", "Dune Messiah"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, codes::token_reused);
}

TEST(Dispatcher, TextsBecomeScalarsOnlyWhereTheFaceCarriesText) {
  House house;
  const json::object request{{"limit", "5"}};
  auto strict =
      house.wait(house.dispatcher.call(house.caller(), {.action = "book_list", .arguments = request}));
  ASSERT_FALSE(strict);
  auto lenient = house.wait(house.dispatcher.call(
      house.caller(), {.action = "book_list", .arguments = request, .scalars_from_text = true}));
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->body.at("items").as_array().size(), 5u);
}

}  // namespace
}  // namespace instantstart::access
