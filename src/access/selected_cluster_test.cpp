// What a request means that names no cluster.
#include "access/selection_store.h"

#include "access/testing/house.h"
#include "base/error_codes.h"

namespace instantstart::access {
namespace {

struct Look {
  std::string cluster;
};
Type describe(Look*) {
  return object_type<Look>("Look", "What to look at.", {field<&Look::cluster>("cluster", "Which cluster.")});
}

std::vector<contract::Action> actions() {
  std::vector<contract::Action> all = contract::testing::sample_actions();
  all.push_back(contract::read_action<Look, Look>(
      {.name = "tent_get",
       .path = "/tents/{cluster}",
       .summary = "Look.",
       .doc = "It changes nothing.",
       .example = {{"cluster", "a"}}},
      [](contract::Caller, Look request) -> Task<Look> { co_return request; }));
  all.push_back(contract::change_action<Look>({.name = "tent_strike",
                                               .path = "/tents/{cluster}",
                                               .summary = "Take it down.",
                                               .doc = "Gone.",
                                               .effect = contract::Effect::destroy,
                                               .method = "DELETE",
                                               .status_action = "operation_get",
                                               .operation_kind = "shelf_clear",
                                               .example = {{"cluster", "a"}}},
                                              [](contract::Caller, Look request) -> Task<contract::Plan> {
                                                co_return contract::Plan{
                                                    .kind = "shelf_clear",
                                                    .subject = "cluster/" + request.cluster,
                                                    .summary = "Strike it.",
                                                    .steps = {{.id = "strike",
                                                               .kind = "books_remove",
                                                               .title = "Strike",
                                                               .effect = contract::StepEffect::remove}}};
                                              }));
  return all;
}

struct Camp {
  testing::House house;
  contract::ActionTable table{actions()};
  Dispatcher dispatcher{table, house.engine, house.confirmations, house.answers, house.selections, Log()};

  Result<Answer> call(std::string action, json::object arguments, std::string principal = "ann") {
    return house.wait(dispatcher.call(house.caller(contract::Role::admin, std::move(principal)),
                                      {.action = std::move(action), .arguments = std::move(arguments)}));
  }
  std::string selected(std::string principal) {
    auto found = house.wait(house.selections.get(std::move(principal)));
    EXPECT_TRUE(found);
    return found ? found->value_or("") : "";
  }
  bool take_new(std::string principal, WallTime since) {
    auto taken = house.wait(house.selections.select_unless_chosen(std::move(principal), "new", since));
    EXPECT_TRUE(taken);
    return taken.value_or(false);
  }
  void select(std::string principal, std::string cluster) {
    EXPECT_TRUE(house.wait(house.selections.select(std::move(principal), std::move(cluster))));
  }
};

TEST(SelectedCluster, StandsInForOneThatIsNotNamed) {
  Camp camp;
  camp.select("ann", "a.us-west-2.123456789012");
  for (const json::object& arguments :
       {json::object{}, json::object{{"cluster", "-"}}, json::object{{"cluster", nullptr}}}) {
    const auto answer = camp.call("tent_get", arguments);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body.at("cluster"), "a.us-west-2.123456789012");
  }
}

TEST(SelectedCluster, DoesNotReplaceOneThatIsNamed) {
  Camp camp;
  camp.select("ann", "a");
  const auto answer = camp.call("tent_get", {{"cluster", "b"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body.at("cluster"), "b");
}

TEST(SelectedCluster, BelongsToOnePrincipalAlone) {
  Camp camp;
  camp.select("ann", "a");
  const auto answer = camp.call("tent_get", {}, "bob");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, codes::invalid_request);
  EXPECT_EQ(answer.error().problems.at(0).pointer, "/cluster");
  EXPECT_EQ(answer.error().problems.at(0).rule, "required");
}

TEST(SelectedCluster, IsNotEnoughForWhatNeedsAConfirmation) {
  Camp camp;
  camp.select("ann", "a");
  const auto unnamed = camp.call("tent_strike", {});
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().problems.at(0).pointer, "/cluster");
  EXPECT_EQ(unnamed.error().problems.at(0).nearest, "a");
  const auto named = camp.call("tent_strike", {{"cluster", "a"}});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ(named->body.at("status"), "confirm_required");
  EXPECT_EQ(named->body.at("cluster"), "a");
}

TEST(SelectedCluster, IsSelectedForAStarterUnlessTheyChoseMeanwhile) {
  Camp camp;
  const WallTime start = camp.house.time.wall();
  EXPECT_EQ(camp.take_new("ann", start), true);
  camp.select("bob", "old");
  const WallTime before = camp.house.time.wall() - seconds(5);
  EXPECT_EQ(camp.take_new("bob", before), false);
  EXPECT_EQ(camp.selected("bob"), "old");
  const WallTime after = camp.house.time.wall() + seconds(5);
  EXPECT_EQ(camp.take_new("bob", after), true);
  EXPECT_EQ(camp.selected("bob"), "new");
}

}  // namespace
}  // namespace instantstart::access
