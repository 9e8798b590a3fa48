// Whole deployments in virtual time, against a cluster that a test holds in its hands.
#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "aws/environment.h"
#include "base/error_codes.h"
#include "capabilities/inference/inference.h"
#include "capabilities/inference/testing/made_up_cluster.h"
#include "kube/json_access.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

using Fate = testing::MadeUpCluster::Fate;
using operations::OperationState;

constexpr const char* k_deployment = "/apis/apps/v1/namespaces/default/deployments/qwen";
constexpr const char* k_service = "/api/v1/namespaces/default/services/qwen";

class InferenceOperations : public operations::testing::EngineFixture {
 protected:
  InferenceOperations() {
    environment_.variables = {
        {"HOME", "/h"}, {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    add_inference_kinds(kinds_, accounts_, clusters_);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    EXPECT_TRUE(
        run(fleet_.put({.key = {"demo", "us-west-2", "123456789012"}, .tag = "demo", .operation_id = "x"})));
  }

  static ModelDeploy request() { return {.cluster = {"demo"}, .name = {"qwen"}, .model = {"Qwen/Qwen3-8B"}}; }

  Result<contract::Plan> planned(ModelDeploy asked) {
    return run(plan_model_deploy(accounts_, fleet_, clusters_, contract::Caller{}, std::move(asked)));
  }
  Result<contract::Plan> planned_delete(std::string name = "qwen") {
    return run(plan_deployment_delete(accounts_, fleet_, clusters_, contract::Caller{},
                                      {.cluster = {"demo"}, .name = {std::move(name)}}));
  }
  std::string code_of(const Result<contract::Plan>& plan) { return plan ? "" : plan.error().code; }

  operations::OperationView carried_out(Result<contract::Plan> plan) {
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? at_rest(started(std::move(*plan))) : operations::OperationView{};
  }
  operations::OperationView deploy(ModelDeploy asked) { return carried_out(planned(std::move(asked))); }

  template <class Answer, class Request>
  Result<Answer> read(std::string_view name, Request asked) {
    const auto actions = inference_actions(&accounts_, &fleet_, &clusters_);
    const auto action =
        std::ranges::find(actions, name, [](const contract::Action& a) { return a.spec.name; });
    auto shared = std::make_shared<Request>(std::move(asked));
    auto answer = run(std::get<contract::ReadHandler>(action->handler)(contract::Caller{}, shared, {}));
    if (!answer) return fail(answer.error());
    return decode<Answer>(*answer);
  }
  Result<ModelCallAnswer> call(std::string name = "qwen") {
    return read<ModelCallAnswer>(
        "model_call",
        ModelCall{.cluster = {"demo"}, .deployment = {std::move(name)}, .prompt = "hello", .messages = {}});
  }
  Result<DeploymentGetAnswer> looked_at() {
    return read<DeploymentGetAnswer>("deployment_get", DeploymentGet{{"demo"}, {"qwen"}});
  }

  aws::FixedEnvironment environment_;
  testing::MadeUpCluster cluster_;
  aws::Accounts accounts_{environment_, cluster_, time_, random_, Log(), "t"};
  kube::EksClusters clusters_{accounts_, cluster_, time_, random_, Log()};
  fleet::Fleet fleet_{*database_};
};

TEST(InferenceActions, TheRowsAreSound) {
  auto faults = contract::ActionTable::faults(inference_actions(nullptr, nullptr, nullptr));
  // Another capability's row.
  std::erase_if(faults,
                [](const auto& fault) { return fault.contains("operation_get is not in the table"); });
  for (const auto& fault : faults) ADD_FAILURE() << fault;
}

TEST_F(InferenceOperations, AModelIsServedOnceAndAskedAgainNothingIsSent) {
  begin();
  const auto view = deploy(request());
  ASSERT_EQ(view.state, OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_EQ(cluster_.mutations, (std::vector<std::string>{std::string("PATCH ") + k_deployment,
                                                          std::string("PATCH ") + k_service}));
  EXPECT_EQ(view.resources.size(), 2U);
  const auto again = planned(request());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->steps.empty()) << instantstart::to_text(encode(*again));

  const auto listed = read<DeploymentListAnswer>("deployment_list", DeploymentList{{"demo"}}).value();
  ASSERT_EQ(listed.deployments.size(), 1U);
  EXPECT_EQ(listed.deployments[0].state, DeploymentState::ready);
  const auto got = looked_at().value();
  EXPECT_EQ(got.pods.size(), 1U);
  ASSERT_EQ(got.next.size(), 1U);
  EXPECT_EQ(got.next[0].action, "model_call");
}

TEST_F(InferenceOperations, WhicheverReplyIsLostNothingIsMadeTwice) {
  begin();
  cluster_.lose = {std::string("PATCH ") + k_deployment, std::string("PATCH ") + k_service};
  ASSERT_EQ(deploy(request()).state, OperationState::succeeded);
  EXPECT_TRUE(cluster_.lose.empty());
  EXPECT_TRUE(planned(request())->steps.empty());
}

TEST_F(InferenceOperations, AnUpdateSendsWhatDiffersAndUndoneStays) {
  begin();
  ASSERT_EQ(deploy(request()).state, OperationState::succeeded);
  cluster_.mutations.clear();
  auto more = request();
  more.replicas = 2;
  ASSERT_EQ(deploy(more).state, OperationState::succeeded);
  EXPECT_EQ(cluster_.mutations, std::vector<std::string>{std::string("PATCH ") + k_deployment});
  cluster_.fate = Fate::pending;
  more.max_model_len = 4'096;
  const auto id = started(*planned(more));
  time_.run_for(std::chrono::minutes(2));
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_TRUE(cluster_.objects.contains(k_deployment)) << "it was there before";
}

TEST_F(InferenceOperations, AnImageThatIsNotThereFailsInWordsAndIsTriedAgain) {
  begin();
  cluster_.fate = Fate::unpullable;
  const auto id = started(*planned(request()));
  auto view = at_rest(id);
  ASSERT_EQ(view.state, OperationState::failed) << instantstart::to_text(encode(view));
  ASSERT_TRUE(view.error);
  EXPECT_TRUE(view.error->message.contains("manifest unknown")) << view.error->message;
  EXPECT_EQ(looked_at()->deployment.state, DeploymentState::failing);

  cluster_.fate = Fate::answers;  // Somebody pushed it.
  ASSERT_TRUE(run(engine_->retry(id, std::nullopt, std::nullopt)));
  EXPECT_EQ(at_rest(id).state, OperationState::succeeded);
  EXPECT_TRUE(cluster_.mutations.back().starts_with("DELETE /api/v1/namespaces/default/pods/"));
}

TEST_F(InferenceOperations, AServerThatCrashesFailsWithItsLastWords) {
  begin();
  cluster_.fate = Fate::crashes;
  cluster_.log = "INFO start\nValueError: No available memory for the cache blocks.\n";
  const auto view = deploy(request());
  ASSERT_EQ(view.state, OperationState::failed);
  EXPECT_TRUE(view.error->message.contains("the weights fill the GPU memory")) << view.error->message;
  cluster_.fate = Fate::answers;
  auto other = request();
  other.image = ImageName{{"vllm/vllm-openai:nightly"}};
  EXPECT_EQ(deploy(other).state, OperationState::succeeded) << "a changed request mends it";
}

TEST_F(InferenceOperations, PendingPodsSayWhyWhileTheyWait) {
  begin();
  cluster_.fate = Fate::pending;
  const auto id = started(*planned(request()));
  time_.run_for(std::chrono::minutes(1));
  const auto view = get(id);
  ASSERT_EQ(view.steps.size(), 1U);
  EXPECT_TRUE(view.steps[0].progress.value_or("").contains("Insufficient nvidia.com/gpu"))
      << instantstart::to_text(encode(view));
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  EXPECT_EQ(at_rest(id).state, OperationState::cancelled);
  EXPECT_FALSE(cluster_.objects.contains(k_deployment) || cluster_.objects.contains(k_service));
}

TEST_F(InferenceOperations, NamesOfOthersAreRefused) {
  begin();
  cluster_.objects[k_service] = {
      {"apiVersion", "v1"}, {"kind", "Service"}, {"metadata", {{"name", "qwen"}, {"namespace", "default"}}}};
  EXPECT_EQ(code_of(planned(request())), codes::name_taken);
  EXPECT_EQ(code_of(planned_delete()), codes::blocked);
  EXPECT_EQ(call().error().code, codes::not_found) << "a Service of another is not called";
  EXPECT_TRUE(cluster_.chats.empty());
  EXPECT_TRUE(cluster_.mutations.empty());
}

TEST_F(InferenceOperations, ADeploymentIsDeletedWithAllItHas) {
  begin();
  ASSERT_EQ(deploy(request()).state, OperationState::succeeded);
  cluster_.mutations.clear();
  auto plan = planned_delete();
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->needs_confirmation());
  ASSERT_EQ(carried_out(std::move(plan)).state, OperationState::succeeded);
  EXPECT_EQ(cluster_.mutations, (std::vector<std::string>{std::string("DELETE ") + k_service,
                                                          std::string("DELETE ") + k_deployment}));
  EXPECT_EQ(code_of(planned_delete()), codes::not_found);
}

TEST_F(InferenceOperations, AModelIsAskedThroughTheProxy) {
  begin();
  EXPECT_EQ(call().error().code, codes::not_found);
  ASSERT_EQ(deploy(request()).state, OperationState::succeeded);
  const auto answer = call();
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->text, "hi");
  ASSERT_EQ(cluster_.chats.size(), 1U);
  EXPECT_EQ(parse_json(cluster_.chats[0])->at("model"), "Qwen/Qwen3-8B");
  EXPECT_TRUE(call("qwem").error().message.contains("Did you mean qwen?"));
}

TEST_F(InferenceOperations, WhyAModelDoesNotAnswerIsToldApart) {
  begin();
  ASSERT_EQ(deploy(request()).state, OperationState::succeeded);
  cluster_.chat_status = 400;
  cluster_.chat_body = R"({"error":{"message":"max_tokens is too large"}})";
  EXPECT_EQ(call().error().code, codes::invalid_request);
  EXPECT_TRUE(call().error().message.contains("max_tokens is too large"));
  cluster_.chat_status = 500;
  EXPECT_EQ(call().error().code, codes::upstream_error);
  cluster_.chat_status = 200;
  cluster_.chat_body = std::string(2 << 20, 'x');
  EXPECT_EQ(call().error().code, codes::upstream_error);

  const auto sent = cluster_.chats.size();
  cluster_.chat_is_lost = true;
  EXPECT_EQ(call().error().code, codes::unknown_outcome);
  EXPECT_EQ(cluster_.chats.size(), sent + 1) << "sent once";
  cluster_.chat_is_lost = false;

  std::erase_if(cluster_.objects, [](const auto& one) { return one.first.contains("/pods/"); });
  const auto nobody = call();
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, codes::unavailable);
  ASSERT_EQ(nobody.error().next.size(), 1U);
  EXPECT_EQ(nobody.error().next[0].action, "deployment_get");
}

}  // namespace
}  // namespace instantstart::capabilities
