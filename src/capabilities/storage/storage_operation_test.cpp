// Whole mounts and unmounts in virtual time, against a cloud that a test holds in its hands.
#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "aws/environment.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/dependencies.h"
#include "capabilities/storage/data_volume.h"
#include "capabilities/storage/storage.h"
#include "capabilities/storage/testing/made_up_cloud.h"
#include "kube/json_access.h"
#include "operations/testing/engine_fixture.h"

namespace instantstart::capabilities {
namespace {

constexpr const char* k_volume = "/api/v1/persistentvolumes/default.shared";
constexpr const char* k_claim = "/api/v1/namespaces/default/persistentvolumeclaims/shared";

class StorageOperations : public operations::testing::EngineFixture {
 protected:
  StorageOperations() {
    environment_.variables = {
        {"HOME", "/h"}, {"AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"}, {"AWS_SECRET_ACCESS_KEY", "s"}};
    add_dependency_kinds(kinds_, accounts_, clusters_);
    add_storage_kinds(kinds_, accounts_, clusters_);
    EXPECT_TRUE(run(database_->migrate(fleet::Fleet::migrations())));
    EXPECT_TRUE(
        run(fleet_.put({.key = {"demo", "us-west-2", "123456789012"}, .tag = "demo", .operation_id = "x"})));
  }

  static StorageMount request() { return {.cluster = {"demo"}, .name = {"shared"}, .bucket = {"demo-data"}}; }
  static StorageMount creating() {
    auto mount = request();
    mount.create = true;
    return mount;
  }

  Result<contract::Plan> planned_mount(StorageMount mount) {
    return run(plan_storage_mount(accounts_, fleet_, clusters_, contract::Caller{}, std::move(mount)));
  }
  Result<contract::Plan> planned_unmount(std::string name = "shared") {
    return run(plan_storage_unmount(accounts_, fleet_, clusters_, contract::Caller{},
                                    {.cluster = {"demo"}, .name = {std::move(name)}}));
  }
  std::string code_of(const Result<contract::Plan>& plan) { return plan ? "" : plan.error().code; }

  operations::OperationView carried_out(Result<contract::Plan> plan) {
    EXPECT_TRUE(plan) << plan.error().message;
    if (!plan) return {};
    return at_rest(started(std::move(*plan)));
  }
  operations::OperationView mount(StorageMount wanted) {
    return carried_out(planned_mount(std::move(wanted)));
  }

  template <class Answer>
  Answer read(std::string_view name, std::shared_ptr<const void> asked, contract::PageOptions page = {}) {
    const auto actions = storage_actions(&accounts_, &fleet_, &clusters_);
    const auto action =
        std::ranges::find(actions, name, [](const contract::Action& a) { return a.spec.name; });
    auto answer =
        run(std::get<contract::ReadHandler>(action->handler)(contract::Caller{}, std::move(asked), page));
    EXPECT_TRUE(answer) << answer.error().message;
    auto typed = decode<Answer>(answer.value_or(json::object()));
    EXPECT_TRUE(typed) << typed.error().message;
    return typed.value_or(Answer{});
  }
  StorageListAnswer list() {
    return read<StorageListAnswer>("storage_list", std::make_shared<StorageList>(StorageList{{"demo"}}));
  }

  void add_pod(const char* name, const char* claim, const char* phase) {
    json::array volumes;
    volumes.push_back(json::object{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", claim}}}});
    cloud_.pods.push_back({{"apiVersion", "v1"},
                           {"kind", "Pod"},
                           {"metadata", {{"name", name}, {"namespace", "default"}}},
                           {"spec", {{"volumes", std::move(volumes)}}},
                           {"status", {{"phase", phase}}}});
  }

  aws::FixedEnvironment environment_;
  testing::MadeUpCloud cloud_;
  aws::Accounts accounts_{environment_, cloud_, time_, random_, Log(), "t"};
  kube::EksClusters clusters_{accounts_, cloud_, time_, random_, Log()};
  fleet::Fleet fleet_{*database_};
};

TEST(StorageActions, TheRowsAreSound) {
  auto faults = contract::ActionTable::faults(storage_actions(nullptr, nullptr, nullptr));
  // Another capability's row.
  std::erase_if(faults,
                [](const auto& fault) { return fault.contains("operation_get is not in the table"); });
  for (const auto& fault : faults) ADD_FAILURE() << fault;
}

TEST_F(StorageOperations, AnEmptyClusterGetsEverythingOnceAndAskedAgainNothing) {
  begin();
  const auto view = mount(creating());
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  std::vector<std::string> expected{"CreateBucket demo-data",
                                    "CreateAddon eks-pod-identity-agent",
                                    "CreateAddon aws-mountpoint-s3-csi-driver",
                                    "CreateRole",
                                    "CreatePodIdentityAssociation",
                                    "PutRolePolicy mount.default.shared",
                                    std::string("PATCH ") + k_volume,
                                    std::string("PATCH ") + k_claim};
  std::ranges::sort(expected);
  auto sent = cloud_.mutations;
  EXPECT_EQ(sent.back(), std::string("PATCH ") + k_claim) << "pods may start from then on";
  std::ranges::sort(sent);
  EXPECT_EQ(sent, expected);
  EXPECT_EQ(cloud_.buckets.at("demo-data").region, "us-west-2");
  EXPECT_TRUE(cloud_.buckets.at("demo-data").closed);
  EXPECT_EQ(view.resources.size(), 8U);

  const auto again = planned_mount(creating());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(again->steps.empty()) << instantstart::to_text(encode(*again));
  const auto listed = list();
  ASSERT_EQ(listed.storage.size(), 1U);
  EXPECT_EQ(listed.storage[0].state, StorageState::ready);
  EXPECT_EQ(listed.storage[0].bucket, "demo-data");
  EXPECT_TRUE(listed.storage[0].shared);
  EXPECT_EQ(listed.storage[0].owner, "instantstart");
}

TEST_F(StorageOperations, WhicheverReplyIsLostNothingIsMadeTwice) {
  begin();
  cloud_.opens_new_buckets = true;
  cloud_.lose = {"CreateBucket demo-data", "PutPublicAccessBlock demo-data",
                 "PutRolePolicy mount.default.shared", std::string("PATCH ") + k_volume,
                 std::string("PATCH ") + k_claim};
  const auto view = mount(creating());
  ASSERT_EQ(view.state, operations::OperationState::succeeded) << instantstart::to_text(encode(view));
  EXPECT_TRUE(cloud_.lose.empty());
  EXPECT_EQ(std::ranges::count(cloud_.mutations, "CreateBucket demo-data"), 1);
  EXPECT_TRUE(cloud_.buckets.at("demo-data").closed);
  EXPECT_TRUE(planned_mount(creating())->steps.empty());
}

TEST_F(StorageOperations, AnExistingBucketIsMountedFromWhereItIsAndNotTouched) {
  begin();
  cloud_.buckets["demo-data"] = {.region = "eu-west-1", .closed = false};
  auto plan = planned_mount(request());
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(std::ranges::any_of(plan->warnings, [](const auto& w) { return w.contains("eu-west-1"); }));
  ASSERT_EQ(carried_out(std::move(plan)).state, operations::OperationState::succeeded);
  EXPECT_FALSE(cloud_.buckets.at("demo-data").closed);
  const auto& options = kube::array_at(cloud_.objects.at(k_volume), {"spec", "mountOptions"});
  EXPECT_EQ(options.front(), "region eu-west-1");
}

TEST_F(StorageOperations, BucketsAddUpWithoutWideningEachOther) {
  begin();
  cloud_.buckets["demo-data"];
  cloud_.buckets["other-data"];
  ASSERT_EQ(mount(request()).state, operations::OperationState::succeeded);
  const auto first = cloud_.policies;
  cloud_.mutations.clear();
  StorageMount second{.cluster = {"demo"},
                      .name = {"models"},
                      .bucket = {"other-data"},
                      .prefix = KeyPrefix{"models"},
                      .path = {"/models"},
                      .read_only = true};
  ASSERT_EQ(mount(second).state, operations::OperationState::succeeded);
  EXPECT_EQ(cloud_.mutations.size(), 3U) << "policy, volume, claim";
  EXPECT_EQ(cloud_.policies.at("mount.default.shared"), first.at("mount.default.shared"));
  const auto& policy = cloud_.policies.at("mount.default.models");
  EXPECT_TRUE(policy.contains("other-data/models/*"));
  EXPECT_FALSE(policy.contains("demo-data") || policy.contains("PutObject"));
}

TEST_F(StorageOperations, TheSameNameWithAnotherBucketIsTakenAndSaysHow) {
  begin();
  cloud_.buckets["demo-data"];
  cloud_.buckets["other-data"];
  ASSERT_EQ(mount(request()).state, operations::OperationState::succeeded);
  auto other = request();
  other.bucket = {"other-data"};
  const auto plan = planned_mount(other);
  ASSERT_EQ(code_of(plan), codes::name_taken);
  EXPECT_EQ(plan.error().detail.at("differences").as_array().at(0),
            "bucket: demo-data instead of other-data");
  auto second = request();
  second.name = {"second"};
  EXPECT_EQ(code_of(planned_mount(second)), codes::name_taken) << "one mount a path";
}

TEST_F(StorageOperations, ARollbackRemovesWhatItMadeAndKeepsABucketThatHoldsObjects) {
  begin();
  cloud_.binds = false;
  const auto id = started(*planned_mount(creating()));
  time_.run_for(std::chrono::minutes(3));
  ASSERT_TRUE(cloud_.objects.contains(k_claim));
  cloud_.buckets.at("demo-data").keys = {"a"};
  ASSERT_TRUE(run(engine_->cancel(id, true)));
  auto view = at_rest(id);
  EXPECT_TRUE(cloud_.buckets.contains("demo-data"));
  EXPECT_FALSE(cloud_.objects.contains(k_claim) || cloud_.objects.contains(k_volume));
  EXPECT_TRUE(cloud_.policies.empty());
  EXPECT_FALSE(cloud_.role || cloud_.association);
  const auto bucket = std::ranges::find(view.resources, "s3:bucket", &operations::ResourceView::type);
  ASSERT_NE(bucket, view.resources.end());
  EXPECT_EQ(bucket->state, "owned");
  EXPECT_TRUE(bucket->reason.value_or("").contains("holds objects")) << instantstart::to_text(encode(view));

  cloud_.buckets.at("demo-data").keys.clear();
  ASSERT_TRUE(run(engine_->retry(id, std::nullopt, std::nullopt)));
  view = at_rest(id);
  EXPECT_EQ(view.state, operations::OperationState::cancelled);
  EXPECT_TRUE(cloud_.buckets.empty());
}

TEST_F(StorageOperations, UnmountWaitsForNobodyItRefusesWhilePodsUseIt) {
  begin();
  cloud_.buckets["demo-data"];
  ASSERT_EQ(mount(request()).state, operations::OperationState::succeeded);
  add_pod("trainer", "shared", "Running");
  add_pod("finished", "shared", "Succeeded");
  add_pod("stranger", "another", "Running");
  const auto refused = planned_unmount();
  ASSERT_EQ(code_of(refused), codes::blocked);
  EXPECT_EQ(refused.error().detail.at("pods"), (json::array{"trainer"}));
  const auto got =
      read<StorageGetAnswer>("storage_get", std::make_shared<StorageGet>(StorageGet{{"demo"}, {"shared"}}));
  EXPECT_EQ(got.used_by, std::vector<std::string>{"trainer"});

  cloud_.pods.clear();
  auto plan = planned_unmount();
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->needs_confirmation());
  add_pod("late", "shared", "Pending");
  cloud_.mutations.clear();
  const auto id = started(std::move(*plan));
  EXPECT_EQ(at_rest(id).state, operations::OperationState::needs_input);
  EXPECT_TRUE(cloud_.mutations.empty());
  cloud_.pods.clear();
  ASSERT_TRUE(run(engine_->retry(id, std::nullopt, std::nullopt)));
  EXPECT_EQ(at_rest(id).state, operations::OperationState::succeeded);
  EXPECT_EQ(cloud_.mutations,
            (std::vector<std::string>{std::string("DELETE ") + k_claim, std::string("DELETE ") + k_volume,
                                      "DeleteRolePolicy mount.default.shared"}));
  EXPECT_TRUE(cloud_.buckets.contains("demo-data"));
  EXPECT_EQ(code_of(planned_unmount()), codes::not_found);
}

TEST_F(StorageOperations, WhatOthersMadeIsShownAndNeverTouched) {
  begin();
  cloud_.buckets["demo-data"];
  cloud_.objects[k_volume] = {{"apiVersion", "v1"},
                              {"kind", "PersistentVolume"},
                              {"metadata", {{"name", "default.shared"}}},
                              {"spec",
                               {{"claimRef", {{"namespace", "default"}, {"name", "shared"}}},
                                {"csi",
                                 {{"driver", "s3.csi.aws.com"},
                                  {"volumeHandle", "h"},
                                  {"volumeAttributes", {{"bucketName", "b"}}}}}}}};
  EXPECT_EQ(code_of(planned_mount(request())), codes::name_taken);
  EXPECT_EQ(code_of(planned_unmount()), codes::blocked);
  ASSERT_EQ(list().storage.size(), 1U);
  EXPECT_EQ(list().storage[0].owner, "other");
  EXPECT_TRUE(cloud_.mutations.empty());
}

TEST_F(StorageOperations, ABucketThatIsNotOursIsNeverTakenOver) {
  begin();
  EXPECT_EQ(code_of(planned_mount(request())), codes::not_found);
  cloud_.buckets["demo-data"];
  EXPECT_EQ(code_of(planned_mount(creating())), codes::name_taken);
  cloud_.buckets["demo-data"].hidden = true;
  EXPECT_EQ(code_of(planned_mount(creating())), codes::name_taken);
  EXPECT_EQ(code_of(planned_mount(request())), codes::access_denied);
  auto elsewhere = request();
  elsewhere.space = {"nowhere"};
  cloud_.buckets["demo-data"].hidden = false;
  EXPECT_EQ(code_of(planned_mount(elsewhere)), codes::not_found);
}

TEST_F(StorageOperations, FsxIsRefusedByName) {
  auto fsx = request();
  fsx.kind = StorageKind::fsx_lustre;
  const auto plan = planned_mount(fsx);
  ASSERT_EQ(code_of(plan), codes::invalid_request);
  EXPECT_TRUE(plan.error().problems.at(0).message.contains("FSx for Lustre"));
}

TEST_F(StorageOperations, AFolderIsListedByItsPrefix) {
  begin();
  cloud_.buckets["demo-data"].keys = {"sets/", "sets/a b.txt", "sets/llama/x", "sets/llama/y", "top"};
  auto wanted = request();
  wanted.prefix = KeyPrefix{"sets"};
  ASSERT_EQ(mount(wanted).state, operations::OperationState::succeeded);
  const auto page = read<StorageBrowseAnswer>(
      "storage_browse", std::make_shared<StorageBrowse>(StorageBrowse{{"demo"}, {"shared"}}));
  EXPECT_EQ(page.folder, "sets/");
  ASSERT_EQ(page.entries.size(), 2U);
  EXPECT_EQ(page.entries[0].name, "a b.txt");
  EXPECT_EQ(page.entries[0].bytes, 5);
  EXPECT_EQ(page.entries[0].modified_at, "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(page.entries[1].name, "llama");
  EXPECT_TRUE(page.entries[1].folder);
}

TEST_F(StorageOperations, PodsGetTheMountAtData) {
  begin();
  const ClusterTarget cluster{"demo", "us-west-2", "123456789012", std::nullopt};
  const auto look = [&] {
    return run(look_for_data_volume(accounts_, clusters_, cluster, "default", net::Deadline::never()));
  };
  EXPECT_FALSE(look().value().has_value());
  cloud_.buckets["demo-data"];
  ASSERT_EQ(mount(request()).state, operations::OperationState::succeeded);
  const auto data = look().value();
  ASSERT_TRUE(data);
  EXPECT_EQ(data->volume,
            (json::object{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", "shared"}}}}));
  EXPECT_EQ(data->mount, (json::object{{"name", "data"}, {"mountPath", "/data"}}));
}

TEST_F(StorageOperations, ADriverWithItsOwnIdentityIsLeftAloneAndSaidSo) {
  begin();
  cloud_.buckets["demo-data"];
  cloud_.objects["/api/v1/namespaces/kube-system/serviceaccounts/s3-csi-driver-sa"] = {
      {"apiVersion", "v1"},
      {"kind", "ServiceAccount"},
      {"metadata",
       {{"name", "s3-csi-driver-sa"},
        {"annotations", {{"eks.amazonaws.com/role-arn", "arn:aws:iam::123456789012:role/theirs"}}}}}};
  const auto plan = planned_mount(request());
  ASSERT_TRUE(plan) << plan.error().message;
  for (const auto& step : plan->steps) EXPECT_NE(step.id, "access");
  EXPECT_TRUE(std::ranges::any_of(plan->warnings, [](const auto& w) {
    return w.contains("role/theirs") && w.contains("s3:ListBucket on arn:aws:s3:::demo-data");
  }));
}

}  // namespace
}  // namespace instantstart::capabilities
