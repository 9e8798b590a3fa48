// Whole submissions and deletions in virtual time, against a cloud that a test holds in its hands.
#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "aws/environment.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/storage/testing/made_up_cloud.h"
#include "capabilities/training/training.h"
#include "kube/json_access.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

constexpr const char* k_jobs = "/apis/sagemaker.amazonaws.com/v1/namespaces/default/hyperpodpytorchjobs";
constexpr const char* k_job = "/apis/sagemaker.amazonaws.com/v1/namespaces/default/hyperpodpytorchjobs/sft";
constexpr const char* k_operator = "amazon-sagemaker-hyperpod-training-operator";

class OnePiece final : public net::ClientBodyStream {
 public:
  explicit OnePiece(std::string text) : text_(std::move(text)) {}
  asio::awaitable<std::optional<std::string>> next() override {
    co_return std::exchange(text_, std::nullopt);
  }
  const std::optional<Error>& error() const override { return error_; }

 private:
  std::optional<std::string> text_;
  std::optional<Error> error_;
};

/// With HyperPod, nodes, and jobs; the operator serves its kind once its add-on is there.
class TrainingCloud final : public net::HttpClient {
 public:
  testing::MadeUpCloud rest;
  json::array nodes;
  std::map<std::string, json::object> jobs;  ///< By path.
  std::vector<std::string> mutations;        ///< Of jobs and of the operator's role.
  bool lose_creation = false;                ///< Its reply is lost once.
  bool has_policy = false;

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline deadline) override {
    auto own = answer_to(request);
    if (own && std::exchange(lose_now_, false)) {
      Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
      error.detail["sent"] = true;
      co_return fail(std::move(error));
    }
    if (own) co_return std::move(*own);
    co_return co_await rest.send(std::move(request), deadline);
  }
  Task<Stream> open(net::ClientRequest request, net::Deadline deadline) override {
    if (auto own = answer_to(request)) {
      co_return Stream{own->status, own->headers, std::make_unique<OnePiece>(std::move(own->body))};
    }
    co_return co_await rest.open(std::move(request), deadline);
  }

  void add_node(std::string name) {
    nodes.push_back(json::object{
        {"metadata", {{"name", name}, {"labels", {{"node.kubernetes.io/instance-type", "ml.g5.12xlarge"}}}}},
        {"spec", json::object()},
        {"status",
         {{"allocatable",
           {{"cpu", "47"}, {"memory", "180Gi"}, {"nvidia.com/gpu", "4"}, {"vpc.amazonaws.com/efa", "1"}}},
          {"conditions", json::array{json::object{{"type", "Ready"}, {"status", "True"}}}}}}});
  }

 private:
  static net::ClientResponse ok(const json::value& body, int status = 200) {
    return {.status = status,
            .headers = {{"content-type", "application/json"}},
            .body = instantstart::to_text(body)};
  }
  static net::ClientResponse refused(int status, const char* reason) {
    return ok(json::object{{"kind", "Status"},
                           {"status", "Failure"},
                           {"reason", reason},
                           {"code", status},
                           {"message", reason}},
              status);
  }
  static net::ClientResponse list(json::array items) {
    return ok(json::object{{"kind", "List"},
                           {"apiVersion", "v1"},
                           {"metadata", {{"resourceVersion", "1"}}},
                           {"items", std::move(items)}});
  }

  std::optional<net::ClientResponse> answer_to(const net::ClientRequest& request) {
    const std::string_view url = request.url;
    if (url.contains("//api.sagemaker.") || url.contains("//sagemaker.")) return sagemaker(request);
    if (url.contains("//iam.")) return iam(request.body);
    const auto at = url.find('/', url.find("//") + 2);
    const std::string target(at == std::string_view::npos ? "/" : url.substr(at));
    const std::string path = target.substr(0, target.find('?'));
    if (path == "/api/v1/nodes") return list(nodes);
    if (path.ends_with("/events")) return list({});
    if (path.starts_with("/apis/sagemaker.amazonaws.com/v1")) return kind(request, path);
    return std::nullopt;
  }

  std::optional<net::ClientResponse> iam(const std::string& form) {
    if (form.contains("Action=AttachRolePolicy")) {
      mutations.emplace_back("AttachRolePolicy");
      has_policy = true;
      return net::ClientResponse{.status = 200,
                                 .headers = {{"content-type", "text/xml"}},
                                 .body = "<AttachRolePolicyResponse></AttachRolePolicyResponse>"};
    }
    if (form.contains("Action=DetachRolePolicy")) {
      mutations.emplace_back("DetachRolePolicy");
      has_policy = false;
      return net::ClientResponse{.status = 200,
                                 .headers = {{"content-type", "text/xml"}},
                                 .body = "<DetachRolePolicyResponse></DetachRolePolicyResponse>"};
    }
    if (!form.contains("Action=ListAttachedRolePolicies")) return std::nullopt;
    const std::string entry =
        has_policy
            ? "<member><PolicyArn>arn:aws:iam::aws:policy/AmazonSageMakerHyperPodTrainingOperatorAccess"
              "</PolicyArn></member>"
            : "";
    return net::ClientResponse{
        .status = 200,
        .headers = {{"content-type", "text/xml"}},
        .body = "<ListAttachedRolePoliciesResponse><ListAttachedRolePoliciesResult><AttachedPolicies>" +
                entry +
                "</AttachedPolicies><IsTruncated>false</IsTruncated></ListAttachedRolePoliciesResult>"
                "</ListAttachedRolePoliciesResponse>"};
  }

  static std::optional<net::ClientResponse> sagemaker(const net::ClientRequest& request) {
    const auto target = std::ranges::find_if(
        request.headers, [](const auto& header) { return header.second.starts_with("SageMaker."); });
    const bool lists = target != request.headers.end() && target->second == "SageMaker.ListClusters";
    if (lists) {
      return ok(*parse_json(R"({"ClusterSummaries":[{"ClusterName":"demo",
        "ClusterArn":"arn:aws:sagemaker:us-west-2:123456789012:cluster/abc"}]})"));
    }
    return ok(*parse_json(
        R"({"ClusterName":"demo","ClusterArn":"arn:aws:sagemaker:us-west-2:123456789012:cluster/abc",
      "Orchestrator":{"Eks":{"ClusterArn":"arn:aws:eks:us-west-2:123456789012:cluster/demo"}},
      "InstanceGroups":[{"InstanceGroupName":"workers","InstanceType":"ml.g5.12xlarge","TargetCount":2,
                         "CurrentCount":2}]})"));
  }

  net::ClientResponse kind(const net::ClientRequest& request, const std::string& path) {
    if (!rest.addons.contains(k_operator)) return refused(404, "NotFound");
    if (path == "/apis/sagemaker.amazonaws.com/v1") {
      return ok(
          *parse_json(R"({"kind":"APIResourceList","groupVersion":"sagemaker.amazonaws.com/v1","resources":[
        {"name":"hyperpodpytorchjobs","singularName":"","namespaced":true,"kind":"HyperPodPytorchJob","verbs":["get"]}]})"));
    }
    const auto found = jobs.find(path);
    if (request.method == "POST") return create(request.body);
    if (path.ends_with("hyperpodpytorchjobs")) {
      json::array items;
      for (const auto& [at, job] : jobs) items.push_back(job);
      return list(std::move(items));
    }
    if (found == jobs.end()) return refused(404, "NotFound");
    if (request.method != "DELETE") return ok(found->second);
    mutations.push_back("DELETE " + path);
    jobs.erase(found);
    return ok(json::object{{"kind", "Status"}, {"status", "Success"}});
  }

  net::ClientResponse create(const std::string& body) {
    auto job = parse_json(body)->as_object();
    const std::string path =
        std::string(k_jobs) + "/" + std::string(kube::text_at(job, {"metadata", "name"}));
    if (jobs.contains(path)) return refused(409, "AlreadyExists");
    mutations.push_back("POST " + path);
    job["metadata"].as_object()["uid"] = "uid-" + std::to_string(mutations.size());
    jobs[path] = job;
    lose_now_ = std::exchange(lose_creation, false);
    return ok(job, 201);
  }

  bool lose_now_ = false;
};

class TrainingOperations : public operations::testing::EngineFixture {
 protected:
  TrainingOperations() {
    environment_.variables = {
        {"HOME", "/h"}, {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    add_dependency_kinds(kinds_, accounts_, clusters_);
    add_training_kinds(kinds_, accounts_, clusters_, nullptr);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    EXPECT_TRUE(
        run(fleet_.put({.key = {"demo", "us-west-2", "123456789012"}, .tag = "demo", .operation_id = "x"})));
    cloud_.add_node("node-1");
    cloud_.add_node("node-2");
  }

  static TrainingSubmit request() {
    return {.cluster = {"demo"},
            .name = {"sft"},
            .image = {"example.com/train:1"},
            .script = {"/data/train.py"},
            .nodes = 2};
  }
  Result<contract::Plan> planned(TrainingSubmit wanted) {
    return run(plan_training_submit(accounts_, fleet_, clusters_, contract::Caller{}, std::move(wanted)));
  }
  Result<contract::Plan> planned_delete(bool foreign = false) {
    return run(plan_job_delete(accounts_, fleet_, clusters_, contract::Caller{},
                               {.cluster = {"demo"}, .name = {"sft"}, .foreign = foreign}));
  }
  std::string code_of(const Result<contract::Plan>& plan) { return plan ? "" : plan.error().code; }

  void set_condition(const char* type) {
    cloud_.jobs.at(k_job)["status"] = json::object{
        {"conditions",
         json::array{json::object{
             {"type", type}, {"status", "True"}, {"lastTransitionTime", "2026-12-01T10:00:00Z"}}}}};
  }
  void add_pods(const char* phase, json::object status = {}) {
    cloud_.rest.pods.clear();
    for (const char* name : {"sft-pods-0", "sft-pods-1"}) {
      status["phase"] = phase;
      cloud_.rest.pods.push_back(
          {{"metadata",
            {{"name", name}, {"namespace", "default"}, {"labels", {{"instantstart/job", "sft"}}}}},
           {"spec", json::object()},
           {"status", status}});
    }
  }
  /// Submitted, and its pods run.
  std::string submitted() {
    const auto id = started(*planned(request()));
    time_.run_until([&] { return cloud_.jobs.contains(k_job); });
    add_pods("Running");
    set_condition("Running");
    return id;
  }

  aws::FixedEnvironment environment_;
  TrainingCloud cloud_;
  aws::Accounts accounts_{environment_, cloud_, time_, random_, Log(), "t"};
  kube::EksClusters clusters_{accounts_, cloud_, time_, random_, Log()};
  fleet::Fleet fleet_{*database_};
};

TEST_F(TrainingOperations, TheOperatorComesFirstThenTheJobAndAskedAgainNothing) {
  begin();
  const auto id = submitted();
  const auto view = at_rest(id);
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_EQ(cloud_.mutations, (std::vector<std::string>{"AttachRolePolicy", std::string("POST ") + k_job}));
  EXPECT_TRUE(cloud_.rest.addons.contains(k_operator));
  const auto& job = cloud_.jobs.at(k_job);
  EXPECT_EQ(job.at("kind"), "HyperPodPytorchJob") << "as the server spells it";
  EXPECT_EQ(kube::text_at(job, {"spec", "nprocPerNode"}), "4");
  EXPECT_EQ(view.outputs.at("start").at("state"), "running");
  EXPECT_EQ(view.outputs.at("logs").at("kept"), false) << "there is no keeper here";

  const auto again = planned(request());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->steps.empty()) << instantstart::to_text(encode(*again));
  auto other = request();
  other.arguments = {{"--epochs=9"}};
  EXPECT_EQ(code_of(planned(other)), codes::name_taken);
}

TEST_F(TrainingOperations, ALostReplyMakesNoSecondJob) {
  begin();
  cloud_.lose_creation = true;
  const auto view = at_rest(submitted());
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_EQ(std::ranges::count(cloud_.mutations, std::string("POST ") + k_job), 1);
}

TEST_F(TrainingOperations, WhyPodsWaitIsTheProgress) {
  begin();
  const auto id = started(*planned(request()));
  time_.run_until([&] { return cloud_.jobs.contains(k_job); });
  const json::object unscheduled{
      {"type", "PodScheduled"},
      {"status", "False"},
      {"message", "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: none"}};
  add_pods("Pending", {{"conditions", json::array{unscheduled}}});
  set_condition("Created");
  time_.run_for(std::chrono::minutes(2));
  const auto view = get(id);
  const auto step = std::ranges::find(view.steps, "start", &operations::StepView::id);
  ASSERT_NE(step, view.steps.end());
  EXPECT_EQ(step->progress, "2 pods pending: Insufficient nvidia.com/gpu")
      << instantstart::to_text(encode(view));
}

TEST_F(TrainingOperations, ARollbackDeletesTheJobItMade) {
  begin();
  const auto id = started(*planned(request()));
  time_.run_until([&] { return cloud_.jobs.contains(k_job); });
  time_.run_for(std::chrono::minutes(1));
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, operations::OperationState::cancelled) << instantstart::to_text(encode(view));
  EXPECT_TRUE(cloud_.jobs.empty());
  EXPECT_TRUE(cloud_.rest.addons.empty()) << "the operator came with it";
}

TEST_F(TrainingOperations, AJobIsDeletedWithItsPodsAndThoseOfOthersOnlyWhenAsked) {
  begin();
  ASSERT_EQ(at_rest(submitted()).state, operations::OperationState::succeeded);
  auto plan = planned_delete();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->needs_confirmation());
  const auto id = started(std::move(*plan));
  time_.run_until([&] { return cloud_.jobs.empty(); });
  time_.run_for(std::chrono::minutes(1));
  EXPECT_NE(get(id).state, operations::OperationState::succeeded) << "its pods are still ending";
  cloud_.rest.pods.clear();
  EXPECT_EQ(at_rest(id).state, operations::OperationState::succeeded);
  EXPECT_EQ(code_of(planned_delete()), codes::not_found);

  cloud_.jobs[k_job] = {{"apiVersion", "sagemaker.amazonaws.com/v1"},
                        {"kind", "HyperPodPytorchJob"},
                        {"metadata", {{"name", "sft"}, {"namespace", "default"}, {"uid", "u"}}}};
  EXPECT_EQ(code_of(planned_delete()), codes::blocked);
  EXPECT_EQ(code_of(planned(request())), codes::name_taken);
  ASSERT_TRUE(planned_delete(true));
  EXPECT_EQ(at_rest(started(*planned_delete(true))).state, operations::OperationState::succeeded);
}

TEST_F(TrainingOperations, WhatCantBeIsRefusedBeforeAnythingIsMade) {
  begin();
  auto wrong = request();
  wrong.nodes = 3;
  wrong.gpus_per_node = 8;
  wrong.space = {"nowhere"};
  const auto refused = planned(wrong);
  ASSERT_EQ(code_of(refused), codes::invalid_request);
  EXPECT_EQ(refused.error().problems.size(), 3U);
  EXPECT_TRUE(cloud_.mutations.empty());
}

TEST_F(TrainingOperations, GetAndListTellTheBudget) {
  begin();
  ASSERT_EQ(at_rest(submitted()).state, operations::OperationState::succeeded);
  cloud_.jobs.at(k_job).at("status").as_object()["restartCount"] = 4;
  const auto actions = training_actions(&accounts_, &fleet_, &clusters_, nullptr);
  const auto read = [&](std::string_view name, std::shared_ptr<const void> asked) {
    const auto action =
        std::ranges::find(actions, name, [](const contract::Action& a) { return a.spec.name; });
    auto answer =
        run(std::get<contract::ReadHandler>(action->handler)(contract::Caller{}, std::move(asked), {}));
    EXPECT_TRUE(answer) << answer.error().message;
    return answer.value_or(json::object());
  };
  const auto got = read("job_get", std::make_shared<JobGet>(JobGet{{"demo"}, {"sft"}}));
  EXPECT_EQ(got.at("job").at("state"), "running");
  EXPECT_EQ(got.at("job").at("restarts").at("used"), 4);
  EXPECT_EQ(got.at("job").at("restarts").at("left"), 6);
  EXPECT_EQ(got.at("job").at("pods_running"), 2);
  EXPECT_EQ(got.at("next").as_array().at(0).at("action"), "job_logs");
  const auto listed = read("job_list", std::make_shared<JobList>(JobList{{"demo"}}));
  ASSERT_EQ(listed.at("jobs").as_array().size(), 1U);
  EXPECT_EQ(listed.at("jobs").as_array().at(0).at("gpus"), 8);
}

}  // namespace
}  // namespace instantstart::capabilities
