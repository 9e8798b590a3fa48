// Whole reconciles in virtual time, against a cloud that a test holds in its hands.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "aws/environment.h"
#include "base/digest.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/component.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/dependencies/owned_object.h"
#include "kube/json_access.h"
#include "net/http_client.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

constexpr std::string_view k_kubernetes = "https://k8s.example";

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

/// EKS, IAM and one Kubernetes API server, as far as dependencies go.
class MadeUpCloud final : public net::HttpClient {
 public:
  std::map<std::string, json::object> objects;  ///< By path.
  std::map<std::string, json::object> addons;
  std::map<std::string, json::object> associations;  ///< By service account.
  std::optional<std::string> provider_tags;          ///< The OIDC provider, by the XML of its tags.
  std::map<std::string, std::string> roles;          ///< By name: their XML.
  std::map<std::string, std::string> attached;       ///< Managed policies by role.
  json::array nodes;
  json::array secrets;
  std::vector<std::string> mutations;  ///< "PATCH /api/v1/namespaces/aws-hyperpod"
  std::set<std::string> lose;          ///< Mutations whose reply is lost once.

  Task<net::ClientResponse> send(net::ClientRequest request, net::Deadline) override {
    auto answer = answer_to(request);
    if (lose.erase(last_) > 0) {
      Error error{.code = std::string(codes::unknown_outcome), .message = "connection reset"};
      error.detail["sent"] = true;
      co_return fail(std::move(error));
    }
    co_return answer;
  }
  Task<Stream> open(net::ClientRequest request, net::Deadline) override {
    auto answer = answer_to(request);
    co_return Stream{answer.status, answer.headers, std::make_unique<OnePiece>(std::move(answer.body))};
  }

 private:
  static net::ClientResponse ok(const json::value& body, int status = 200) {
    return {.status = status,
            .headers = {{"content-type", "application/json"}},
            .body = instantstart::to_text(body)};
  }
  static net::ClientResponse not_found() {
    return {
        .status = 404,
        .headers = {{"content-type", "application/json"}, {"x-amzn-errortype", "ResourceNotFoundException"}},
        .body = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":"none"})"};
  }
  void note(std::string what) {
    last_ = what;
    mutations.push_back(std::move(what));
  }

  /// A repeat with the same token is answered like the first call, and does nothing.
  bool first_with_token(const json::object& body) {
    const auto token = kube::text_at(body, {"clientRequestToken"});
    EXPECT_FALSE(token.empty());
    return tokens_.emplace(token).second;
  }

  net::ClientResponse answer_to(const net::ClientRequest& request) {
    last_.clear();
    const std::string_view url = request.url;
    const auto at = url.find('/', url.find("//") + 2);
    const std::string target(at == std::string_view::npos ? "/" : url.substr(at));
    const std::string path = target.substr(0, target.find('?'));
    if (url.starts_with(k_kubernetes)) return kubernetes(request, path);
    if (url.find("//iam.") != std::string_view::npos) return iam(request.body);
    return eks(request, path);
  }

  net::ClientResponse list(json::array items) {
    return ok(json::object{{"kind", "List"},
                           {"apiVersion", "v1"},
                           {"metadata", {{"resourceVersion", "1"}}},
                           {"items", std::move(items)}});
  }

  net::ClientResponse kubernetes(const net::ClientRequest& request, const std::string& path) {
    if (path == "/api/v1/nodes") return list(nodes);
    if (path == "/api/v1/secrets") return list(secrets);
    if (path.ends_with("/pods")) return list({});
    if (path == "/apis/apps/v1/daemonsets") {
      json::array items;
      for (const auto& [at, object] : objects) {
        if (at.find("/daemonsets/") != std::string::npos) items.push_back(object);
      }
      return list(std::move(items));
    }
    const auto found = objects.find(path);
    if (request.method == "PATCH") {
      note("PATCH " + path);
      auto object = parse_json(request.body)->as_object();
      auto& metadata = object["metadata"].as_object();
      metadata["uid"] = "uid-" + path;
      metadata["generation"] = 1;
      if (path.find("/daemonsets/") != std::string::npos) object["status"] = {{"observedGeneration", 1}};
      const bool made = found == objects.end();
      objects[path] = object;
      return ok(object, made ? 201 : 200);
    }
    if (found == objects.end()) return not_found();
    if (request.method == "DELETE") {
      note("DELETE " + path);
      objects.erase(found);
      return ok(json::object{{"kind", "Status"}, {"status", "Success"}});
    }
    return ok(found->second);
  }

  net::ClientResponse eks(const net::ClientRequest& request, const std::string& path) {
    constexpr std::string_view all_addons = "/clusters/demo/addons";
    if (path == "/clusters/demo") {
      return ok({{"cluster",
                  {{"name", "demo"},
                   {"arn", "arn:aws:eks:us-west-2:123456789012:cluster/demo"},
                   {"status", "ACTIVE"},
                   {"version", "1.34"},
                   {"endpoint", k_kubernetes},
                   {"certificateAuthority", {{"data", to_base64("PEM")}}},
                   {"identity", {{"oidc", {{"issuer", "https://oidc.example/id/1"}}}}}}}});
    }
    if (path == "/addons/supported-versions") {
      return ok(*parse_json(R"({"addons":[{"addonName":"x","addonVersions":[
          {"addonVersion":"v2.0.0-eksbuild.1","compatibilities":[{"clusterVersion":"1.34","defaultVersion":false}]},
          {"addonVersion":"v1.2.3-eksbuild.1","compatibilities":[{"clusterVersion":"1.34","defaultVersion":true}]}]}]})"));
    }
    if (path.starts_with("/clusters/demo/pod-identity-associations")) return pod_identity(request);
    if (path == all_addons && request.method == "POST") {
      auto addon = parse_json(request.body)->as_object();
      const std::string name(kube::text_at(addon, {"addonName"}));
      if (!first_with_token(addon)) return ok({{"addon", addons.at(name)}});
      note("CreateAddon " + name);
      addon["status"] = nodes.empty() ? "CREATING" : "ACTIVE";
      addons[name] = addon;
      return ok({{"addon", addon}});
    }
    const auto addon = addons.find(path.substr(std::min(path.size(), all_addons.size() + 1)));
    if (addon == addons.end()) return not_found();
    if (request.method == "DELETE") {
      note("DeleteAddon " + addon->first);
      addons.erase(addon);
      return ok(json::object());
    }
    return ok({{"addon", addon->second}});
  }

  net::ClientResponse pod_identity(const net::ClientRequest& request) {
    if (request.method == "POST") {
      auto wanted = parse_json(request.body)->as_object();
      const std::string account(kube::text_at(wanted, {"serviceAccount"}));
      if (!first_with_token(wanted)) return ok({{"association", associations.at(account)}});
      note("CreatePodIdentityAssociation " + account);
      wanted["associationId"] = "a-" + account;
      associations[account] = wanted;
      return ok({{"association", std::move(wanted)}});
    }
    json::array summaries;
    for (const auto& [account, association] : associations) {
      if (request.url.find("/a-" + account) == std::string::npos) {
        summaries.push_back(association);
        continue;
      }
      if (request.method != "DELETE") return ok({{"association", association}});
      note("DeletePodIdentityAssociation " + account);
      associations.erase(account);
      return ok(json::object());
    }
    return ok({{"associations", std::move(summaries)}});
  }

  static std::string parameter(std::string_view form, std::string_view name) {
    const auto pairs = net::parse_query(form);
    for (const auto& [key, value] : pairs.value()) {
      if (key == name) return value;
    }
    return {};
  }
  static std::string tags_of(std::string_view form) {
    std::string xml = "<Tags>";
    for (int i = 1; i <= 2; ++i) {
      const std::string member = "Tags.member." + std::to_string(i);
      xml += "<member><Key>" + parameter(form, member + ".Key") + "</Key><Value>" +
             parameter(form, member + ".Value") + "</Value></member>";
    }
    return xml + "</Tags>";
  }
  static net::ClientResponse xml(const std::string& action, const std::string& result) {
    return {.status = 200,
            .headers = {{"content-type", "text/xml"}},
            .body = "<" + action + "Response><" + action + "Result>" + result + "</" + action + "Result></" +
                    action + "Response>"};
  }
  static net::ClientResponse no_such_entity() {
    return {.status = 404,
            .headers = {{"content-type", "text/xml"}},
            .body =
                "<ErrorResponse><Error><Type>Sender</Type><Code>NoSuchEntity</Code><Message>none</Message>"
                "</Error></ErrorResponse>"};
  }

  net::ClientResponse iam(const std::string& form) {
    constexpr std::string_view arn = "arn:aws:iam::123456789012:oidc-provider/oidc.example/id/1";
    const auto action = parameter(form, "Action");
    const auto name = parameter(form, "RoleName");
    const auto policy = parameter(form, "PolicyArn");
    if (!action.starts_with("Get") && !action.starts_with("List")) {
      note(name.empty() ? action : action + " " + name);
    }
    if (action == "AttachRolePolicy") attached[name] = policy;
    if (action == "DetachRolePolicy") attached.erase(name);
    if (action == "ListAttachedRolePolicies") {
      const std::string entry =
          attached.contains(name) ? "<member><PolicyArn>" + attached.at(name) + "</PolicyArn></member>" : "";
      return xml(action,
                 "<AttachedPolicies>" + entry + "</AttachedPolicies><IsTruncated>false</IsTruncated>");
    }
    if (action == "ListOpenIDConnectProviders") {
      const std::string entry = "<member><Arn>" + std::string(arn) + "</Arn></member>";
      return xml(action, "<OpenIDConnectProviderList>" + (provider_tags ? entry : "") +
                             "</OpenIDConnectProviderList>");
    }
    if (action == "CreateOpenIDConnectProvider") provider_tags = tags_of(form);
    if (action == "DeleteOpenIDConnectProvider") provider_tags.reset();
    if (action == "GetOpenIDConnectProvider") {
      return xml(action, "<ClientIDList><member>sts.amazonaws.com</member></ClientIDList>" + *provider_tags);
    }
    if (action == "CreateRole") {
      roles[name] = "<Arn>arn:aws:iam::123456789012:role/instantstart/" + name +
                    "</Arn><AssumeRolePolicyDocument>" +
                    percent_encode(parameter(form, "AssumeRolePolicyDocument")) +
                    "</AssumeRolePolicyDocument>" + tags_of(form);
    }
    if (action == "DeleteRole") roles.erase(name);
    if (action == "GetRole") {
      return roles.contains(name) ? xml(action, "<Role>" + roles.at(name) + "</Role>") : no_such_entity();
    }
    return xml(action, "");
  }

  std::string last_;
  std::set<std::string> tokens_;
};

class DependencyOperations : public operations::testing::EngineFixture {
 protected:
  DependencyOperations() {
    environment_.variables = {
        {"HOME", "/h"}, {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    add_dependency_kinds(kinds_, accounts_, clusters_);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    EXPECT_TRUE(
        run(fleet_.put({.key = {"demo", "us-west-2", "123456789012"}, .tag = "demo", .operation_id = "x"})));
  }

  contract::Plan plan(std::optional<std::vector<ComponentName>> only = std::nullopt) {
    DependencyReconcile request{.cluster = {"demo"}, .components = std::move(only)};
    auto made = run(plan_dependency_reconcile(accounts_, fleet_, clusters_, contract::Caller{}, request));
    EXPECT_TRUE(made) << made.error().message;
    return made.value_or(contract::Plan{});
  }

  operations::OperationView reconcile(std::optional<std::vector<ComponentName>> only = std::nullopt) {
    return at_rest(started(plan(std::move(only))));
  }

  Result<json::value> read(std::string_view name, std::shared_ptr<const void> request) {
    const auto actions = dependency_actions(&accounts_, &fleet_, &clusters_);
    const auto action =
        std::ranges::find(actions, name, [](const contract::Action& a) { return a.spec.name; });
    return run(std::get<contract::ReadHandler>(action->handler)(contract::Caller{}, std::move(request), {}));
  }

  DependencyListAnswer list() {
    auto answer = read("dependency_list", std::make_shared<DependencyList>(DependencyList{{"demo"}}));
    EXPECT_TRUE(answer) << answer.error().message;
    auto typed = decode<DependencyListAnswer>(answer.value_or(json::object()));
    EXPECT_TRUE(typed) << typed.error().message;
    return typed.value_or(DependencyListAnswer{});
  }

  aws::FixedEnvironment environment_;
  MadeUpCloud cloud_;
  aws::Accounts accounts_{environment_, cloud_, time_, random_, Log(), "t"};
  kube::EksClusters clusters_{accounts_, cloud_, time_, random_, Log()};
  fleet::Fleet fleet_{*database_};
};

TEST_F(DependencyOperations, AnEmptyClusterIsCompletedAndAskedAgainNothingIsSent) {
  begin();
  const auto view = reconcile();
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_EQ(cloud_.objects.size(), 21U);
  EXPECT_EQ(cloud_.addons.size(), 5U);
  EXPECT_EQ(std::set<std::string>(cloud_.mutations.begin(), cloud_.mutations.end()).size(),
            cloud_.mutations.size())
      << "each mutation once";
  EXPECT_EQ(cloud_.mutations.size(), 21U + 5 + 6) << "provider, two roles, a policy, two associations";
  EXPECT_EQ(view.resources.size(), 21U + 5 + 5);
  EXPECT_EQ(cloud_.attached.at("demo-us-west-2-training"),
            "arn:aws:iam::aws:policy/AmazonSageMakerHyperPodTrainingOperatorAccess");
  EXPECT_EQ(view.outputs.at("cert_manager").at("state"), "waiting_for_nodes");

  cloud_.mutations.clear();
  EXPECT_TRUE(plan().steps.empty());
  for (const auto& dependency : list().dependencies) {
    EXPECT_EQ(dependency.state,
              dependency.needs_nodes ? DependencyState::waiting_for_nodes : DependencyState::ready)
        << dependency.name;
    EXPECT_EQ(dependency.owner, "instantstart") << dependency.name;
  }
  EXPECT_TRUE(cloud_.mutations.empty());
}

TEST_F(DependencyOperations, PodsGetAnIdentityBeforeTheAddonThatMakesThem) {
  begin();
  const auto view = reconcile({{ComponentName{"s3_csi"}}});
  ASSERT_EQ(view.state, operations::OperationState::succeeded);
  const auto position = [&](std::string_view what) {
    return std::ranges::find(cloud_.mutations, what) - cloud_.mutations.begin();
  };
  EXPECT_LT(position("CreateRole demo-us-west-2-s3-csi"),
            position("CreatePodIdentityAssociation s3-csi-driver-sa"));
  EXPECT_LT(position("CreatePodIdentityAssociation s3-csi-driver-sa"),
            position("CreateAddon aws-mountpoint-s3-csi-driver"));
  EXPECT_LT(position("CreateAddon eks-pod-identity-agent"),
            position("CreateAddon aws-mountpoint-s3-csi-driver"));
  EXPECT_EQ(kube::text_at(cloud_.addons.at("aws-mountpoint-s3-csi-driver"), {"addonVersion"}),
            "v1.2.3-eksbuild.1")
      << "EKS's default for the cluster, not the newest";
}

TEST_F(DependencyOperations, WhicheverReplyIsLostNothingIsMadeTwice) {
  begin();
  for (const auto& step : plan().steps) {
    for (const auto& call : step.calls) {
      if (!call.call.starts_with("iam:")) continue;
      const auto role = call.subject.starts_with("role/") ? " " + call.subject.substr(5) : "";
      cloud_.lose.insert(call.call.substr(4) + role);
    }
  }
  for (const auto& component : components()) {
    if (!component.addon.empty()) cloud_.lose.insert("CreateAddon " + std::string(component.addon));
  }
  cloud_.lose.insert("CreatePodIdentityAssociation s3-csi-driver-sa");
  cloud_.lose.insert("CreatePodIdentityAssociation hp-training-operator-controller-manager");
  cloud_.lose.insert("PATCH /api/v1/namespaces/aws-hyperpod");
  ASSERT_EQ(cloud_.lose.size(), 12U);
  const auto view = reconcile();
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_TRUE(cloud_.lose.empty());
  for (const auto& mutation : cloud_.mutations) {
    // An apply may run twice: it sets the same fields.
    const auto most = mutation.starts_with("PATCH ") ? 2 : 1;
    EXPECT_LE(std::ranges::count(cloud_.mutations, mutation), most) << mutation;
  }
  EXPECT_TRUE(plan().steps.empty());
}

TEST_F(DependencyOperations, ANameThatSomebodyElseHasStopsThatStepAlone) {
  begin();
  const std::string path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/hyperpod-patching";
  const json::object foreign{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                             {"kind", "ClusterRole"},
                             {"metadata", {{"name", "hyperpod-patching"}}},
                             {"rules", json::array()}};
  cloud_.objects[path] = foreign;
  const auto id = started(plan({{ComponentName{"hyperpod_patching"}, ComponentName{"job_auto_restart"}}}));
  at_rest(id);
  time_.run_for(std::chrono::minutes(1));  // The other steps go on.
  const auto view = get(id);
  EXPECT_EQ(view.state, operations::OperationState::needs_input);
  EXPECT_EQ(cloud_.objects.at(path), foreign) << "untouched";
  for (const auto& step : view.steps) {
    const bool blocked = step.id == "hyperpod_patching";
    EXPECT_EQ(step.state, blocked ? operations::StepState::blocked : operations::StepState::done) << step.id;
    if (blocked) EXPECT_EQ(step.error->code, codes::name_taken);
  }
}

TEST_F(DependencyOperations, ARollbackTakesAwayWhatItMadeAndNothingElse) {
  begin();
  ASSERT_EQ(reconcile({{ComponentName{"job_auto_restart"}}}).state, operations::OperationState::succeeded);
  const auto before = cloud_.objects;
  // Foreign rights keep the second operation from its end.
  cloud_.objects["/apis/rbac.authorization.k8s.io/v1/clusterroles/hyperpod-patching"] =
      json::object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                   {"kind", "ClusterRole"},
                   {"metadata", {{"name", "hyperpod-patching"}}}};
  const auto id = started(plan());
  ASSERT_EQ(at_rest(id).state, operations::OperationState::needs_input);
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  const auto view = at_rest(id);
  EXPECT_EQ(view.state, operations::OperationState::cancelled) << instantstart::to_text(encode(view));
  EXPECT_EQ(cloud_.objects.size(), before.size() + 1);
  for (const auto& [path, object] : before) EXPECT_TRUE(cloud_.objects.contains(path)) << path;
  EXPECT_TRUE(cloud_.addons.empty());
  EXPECT_TRUE(cloud_.roles.empty() && cloud_.associations.empty() && cloud_.attached.empty());
  EXPECT_FALSE(cloud_.provider_tags);
}

TEST_F(DependencyOperations, AChangedFieldIsSetBackByOneCall) {
  begin();
  ASSERT_EQ(reconcile({{ComponentName{"health_agent"}}}).state, operations::OperationState::succeeded);
  const std::string path = "/apis/apps/v1/namespaces/aws-hyperpod/daemonsets/health-monitoring-agent";
  const auto maker = maker_of(cloud_.objects.at(path));
  cloud_.objects.at(path).at("spec").at("template").at("spec").as_object()["tolerations"] = json::array();
  cloud_.mutations.clear();
  ASSERT_EQ(reconcile({{ComponentName{"health_agent"}}}).state, operations::OperationState::succeeded);
  EXPECT_EQ(cloud_.mutations, std::vector<std::string>{"PATCH " + path});
  EXPECT_EQ(maker_of(cloud_.objects.at(path)), maker) << "the first one made it";
}

// Helm's record of a release "dependencies" in kube-system, revision 3, of hyperpod-helm-chart.
constexpr std::string_view k_helm_payload =
    "SDRzSUFBQUFBQUFDQTIxUHpXckRNQXgrbGVEelhOd1Vkc2hEN0RSMjJEcUtFc3VMcVNNYnl3bUVrbmVmN2F5VWpZRXUrdjZrN3lZ"
    "SUpoUmRJelFHSkkwMFdHVHgxQWhMeG1mOEpveU5uQzZaZG41RlhhU3RhcCtsT3VaNVZhcXI4MTRzbkNETi9CTzJxN2NNRHlQRVZL"
    "TW1US0FoUVYzdWg4YzFZQXhleXhIZEpIZHhkaTBZMlhvcUNuVTRIbFRCSU5pM0I3eTBOWDRCTnlQWHlEMFlDWHBYUDAxeHhpTHAv"
    "K0FHSE9OV21JUlRjSkNxLytPemZ1dkoySzkvNHg2MkNjZ2E1TkpLU0NuUGRMV2t1K1lsVitJQUE1N3BkNFZUM3VoT0Z0TjE3bEh5"
    "eXZtKzJMNEJVSDcrUzRVQkFBQT0=";

TEST_F(DependencyOperations, ALiveHelmReleaseKeepsItsObjects) {
  cloud_.secrets.push_back(json::object{
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"type", "helm.sh/release.v1"},
      {"metadata", {{"name", "sh.helm.release.v1.dependencies.v3"}, {"namespace", "kube-system"}}},
      {"data", {{"release", k_helm_payload}}}});
  const auto made = plan();
  for (const auto& step : made.steps) EXPECT_NE(step.kind, "dependency_objects") << step.id;
  EXPECT_FALSE(made.steps.empty()) << "add-ons are no part of the chart";
  const auto answer = list();
  EXPECT_EQ(answer.helm_release, "dependencies (kube-system)");
  for (const auto& dependency : answer.dependencies) {
    if (dependency.how == "objects") EXPECT_EQ(dependency.owner, "helm:dependencies") << dependency.name;
  }
}

TEST_F(DependencyOperations, AKubeconfigAsksForItsTokenAndHoldsNone) {
  auto answer = read("cluster_kubeconfig", std::make_shared<ClusterKubeconfig>(ClusterKubeconfig{{"demo"}}));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto text = instantstart::to_text(*answer);
  EXPECT_NE(text.find("get-token"), std::string::npos);
  EXPECT_NE(text.find(k_kubernetes), std::string::npos);
  EXPECT_EQ(text.find("k8s-aws-v1"), std::string::npos);
  EXPECT_EQ(text.find("\"token\""), std::string::npos);
}

TEST_F(DependencyOperations, AKubeconfigForAConfiguredStsSaysWhereItIs) {
  const auto text_of = [&] {
    const auto answer =
        read("cluster_kubeconfig", std::make_shared<ClusterKubeconfig>(ClusterKubeconfig{{"demo"}}));
    EXPECT_TRUE(answer) << answer.error().message;
    return instantstart::to_text(answer.value_or(nullptr));
  };
  EXPECT_EQ(text_of().find("AWS_ENDPOINT_URL_STS"), std::string::npos);
  aws::FixedEnvironment environment;
  environment.variables = environment_.variables;
  environment.variables["AWS_ENDPOINT_URL_STS"] = "http://127.0.0.1:4566";
  aws::Accounts accounts(environment, cloud_, time_, random_, Log(), "t");
  kube::EksClusters clusters(accounts, cloud_, time_, random_, Log());
  const auto actions = dependency_actions(&accounts, &fleet_, &clusters);
  const auto action =
      std::ranges::find(actions, "cluster_kubeconfig", [](const contract::Action& a) { return a.spec.name; });
  const auto answer = run(std::get<contract::ReadHandler>(action->handler)(
      contract::Caller{}, std::make_shared<ClusterKubeconfig>(ClusterKubeconfig{{"demo"}}), {}));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_NE(instantstart::to_text(*answer).find(
                R"({"name":"AWS_ENDPOINT_URL_STS","value":"http://127.0.0.1:4566"})"),
            std::string::npos);
}

}  // namespace
}  // namespace instantstart::capabilities
