#include "capabilities/storage/storage_plan.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "capabilities/storage/storage_views.h"

namespace instantstart::capabilities {
namespace {

const ClusterTarget k_cluster{"demo", "us-west-2", "123456789012", std::nullopt};
constexpr const char* k_our_role = "arn:aws:iam::123456789012:role/instantstart/demo-us-west-2-s3-csi";

/// All is there but the mount.
MountFacts facts() {
  MountFacts facts{.mount = {.cluster = k_cluster,
                             .name = "shared",
                             .space = "default",
                             .bucket = "demo-data",
                             .bucket_region = "us-west-2",
                             .path = "/data"},
                   .namespace_exists = true,
                   .bucket = {.exists = true, .accessible = true, .region = "us-west-2"}};
  for (const auto* component : with_needs({k_s3_component})) {
    SeenComponent seen{.component = component};
    seen.seen.addon = AddonSeen{.exists = true, .status = "ACTIVE", .version = "v1", .maker = "op-0"};
    seen.seen.wanted_version = "v1";
    if (component->identity) {
      seen.seen.role = RoleSeen{.arn = k_our_role, .trusts_pods = true, .maker = "op-0"};
      seen.seen.association = AssociationSeen{.id = "a-1", .role_arn = k_our_role, .maker = "op-0"};
    }
    facts.driver.components.push_back(std::move(seen));
  }
  facts.identity = *identity_of(k_cluster, facts.driver);
  facts.objects.objects = {{.ref = "persistentvolumes/default.shared"},
                           {.ref = "persistentvolumeclaims/default/shared"}};
  return facts;
}

ComponentSeen& driver_in(MountFacts& facts) { return facts.driver.components.back().seen; }

std::vector<std::string> step_ids(const Result<contract::Plan>& plan) {
  std::vector<std::string> ids;
  if (!plan) return {plan.error().code};
  for (const auto& step : plan->steps) ids.push_back(step.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(MountPlan, OnlyWhatIsMissing) {
  auto all = facts();
  EXPECT_EQ(step_ids(plan_mount(all)), (Ids{"access", "volume"}));
  all.access = {.exists = true, .mark = "OperationX", .as_wanted = true};
  EXPECT_EQ(step_ids(plan_mount(all)), (Ids{"volume"}));
  for (auto& object : all.objects.objects) object = {.ref = object.ref, .exists = true, .maker = "op-0"};
  all.objects.phase = "Bound";
  EXPECT_EQ(step_ids(plan_mount(all)), Ids{});
  all.access.as_wanted = false;
  EXPECT_EQ(step_ids(plan_mount(all)), (Ids{"access"}));
}

TEST(MountPlan, TheVolumeComesAfterAllThatPodsNeed) {
  auto none = facts();
  none.create = true;
  none.bucket = {};
  for (auto& component : none.driver.components) {
    component.seen.addon = AddonSeen{};
    if (component.component->identity) {
      component.seen.role = RoleSeen{};
      component.seen.association = AssociationSeen{};
    }
  }
  none.identity = *identity_of(k_cluster, none.driver);
  const auto plan = plan_mount(none);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(contract::plan_faults(*plan).empty());
  EXPECT_EQ(plan->steps.back().id, "volume");
  EXPECT_EQ(plan->steps.back().after, (Ids{"bucket", "access", "s3_csi"}));
  const auto access = std::ranges::find(plan->steps, "access", &contract::PlannedStep::id);
  EXPECT_EQ(access->after, (Ids{"bucket", "s3_csi/role"}));
  EXPECT_FALSE(plan->needs_confirmation());
}

TEST(MountPlan, AnIdentityThatIsNotOursGetsNoPolicyAndIsNamed) {
  auto foreign_role = facts();
  driver_in(foreign_role).association->role_arn = "arn:aws:iam::123456789012:role/theirs";
  auto by_helm = facts();
  driver_in(by_helm).addon = AddonSeen{.installed_otherwise = "CSIDriver s3.csi.aws.com"};
  driver_in(by_helm).association = AssociationSeen{};
  auto declared = facts();
  declared.driver.declared_role = "arn:aws:iam::123456789012:role/irsa";
  for (auto* one : {&foreign_role, &by_helm, &declared}) {
    one->identity = *identity_of(k_cluster, one->driver);
    EXPECT_FALSE(one->identity.role_name);
    const auto plan = plan_mount(*one);
    EXPECT_EQ(step_ids(plan), (Ids{"volume"}));
    EXPECT_TRUE(std::ranges::any_of(plan->warnings, [&](const auto& warning) {
      return warning.starts_with(one->identity.why) && warning.contains("arn:aws:s3:::demo-data/*");
    }));
  }
}

TEST(MountPlan, ARunningDriverWithoutIdentityMustStartAnew) {
  auto running = facts();
  driver_in(running).association = AssociationSeen{};
  const auto plan = plan_mount(running);
  EXPECT_EQ(step_ids(plan), (Ids{"s3_csi/identity", "access", "volume"}));
  EXPECT_TRUE(std::ranges::any_of(plan->warnings, [](const auto& w) { return w.contains("s3-csi-node"); }));
}

TEST(MountPlan, Refusals) {
  const auto code = [](auto change) {
    auto one = facts();
    change(one);
    const auto plan = plan_mount(one);
    return plan ? std::string() : plan.error().code;
  };
  EXPECT_EQ(code([](MountFacts& f) { f.namespace_exists = false; }), codes::not_found);
  EXPECT_EQ(code([](MountFacts& f) { f.bucket = {}; }), codes::not_found);
  EXPECT_EQ(code([](MountFacts& f) { f.bucket.accessible = false; }), codes::access_denied);
  EXPECT_EQ(code([](MountFacts& f) { f.create = true; }), codes::name_taken);
  EXPECT_EQ(code([](MountFacts& f) {
              driver_in(f).addon = AddonSeen{};
              driver_in(f).wanted_version.clear();
            }),
            codes::conflict);
  EXPECT_EQ(code([](MountFacts& f) { f.volumes = {{.volume = "theirs", .handle = "default.shared"}}; }),
            codes::name_taken);
  EXPECT_EQ(code([](MountFacts& f) { f.objects.objects[1].exists = true; }), codes::name_taken);
  const VolumeSummary at_data{
      .volume = "v", .space = "default", .claim = "other", .path = "/data", .ours = true};
  EXPECT_EQ(code([&](MountFacts& f) { f.volumes = {at_data}; }), codes::name_taken);
  EXPECT_EQ(code([&](MountFacts& f) {
              f.volumes = {at_data};
              f.mount.path = "/models";
            }),
            "");
}

TEST(UnmountPlan, APolicyThatWasLeftBehindCanBeTakenAway) {
  UnmountFacts left{.mount = facts().mount,
                    .role_name = "role",
                    .access = {.exists = true, .mark = "OperationX"},
                    .objects = facts().objects};
  const auto plan = plan_unmount(left);
  EXPECT_EQ(step_ids(plan), (Ids{"access"}));
  EXPECT_TRUE(plan->needs_confirmation());
  left.access = {};
  EXPECT_EQ(step_ids(plan_unmount(left)), (Ids{"not_found"}));
}

TEST(StorageViews, ProblemsAreSaidInWords) {
  auto all = facts();
  VolumeSummary volume{.ours = true};
  const AccessSeen good{.exists = true, .mark = "OperationX", .as_wanted = true};
  EXPECT_TRUE(problems_of(volume, all.driver, all.identity, good).empty());
  EXPECT_EQ(problems_of(volume, all.driver, all.identity, {}).size(), 1U);
  EXPECT_TRUE(problems_of({}, all.driver, all.identity, {}).empty())
      << "another's access is not ours to judge";
  driver_in(all).addon->status = "CREATE_FAILED";
  EXPECT_FALSE(problems_of(volume, all.driver, all.identity, good).empty());
}

TEST(StorageViews, KeysAreBoundedAndCantSteerATerminal) {
  aws::s3::ListObjectsV2Output page;
  page.contents.emplace().push_back({.key = "p/%1B%5B31mred%E2%80%AE"});
  const auto entries = entries_of(page, "p/");
  ASSERT_TRUE(entries);
  EXPECT_EQ(entries->at(0).name, "red");
  page.contents->front().key = "q/x";
  EXPECT_EQ(entries_of(page, "p/").error().code, codes::upstream_error);
}

TEST(StorageViews, AFolderIsAPrefixWithOneSlashAtItsEnd) {
  EXPECT_EQ(folder_prefix("", ""), "");
  EXPECT_EQ(folder_prefix("p/", ""), "p/");
  EXPECT_EQ(folder_prefix("p/", "a/b//"), "p/a/b/");
}

}  // namespace
}  // namespace instantstart::capabilities
