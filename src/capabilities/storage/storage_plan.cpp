#include "capabilities/storage/storage_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "base/decode.h"
#include "base/error_codes.h"
#include "capabilities/dependencies/pod_role.h"
#include "capabilities/storage/bucket_access.h"
#include "capabilities/storage/storage_steps.h"

namespace instantstart::capabilities {
namespace {

using contract::Plan;
using contract::PlannedStep;
using contract::StepEffect;

/// Mounts of one cluster share the driver and its role, so they are made one after the other.
std::string subject_of(const ClusterTarget& cluster) {
  return domain::subject_of(key_of(cluster)) + "/part/storage";
}

const ComponentSeen* driver_of(const DriverSeen& driver) {
  const auto found = std::ranges::find_if(
      driver.components, [](const SeenComponent& seen) { return seen.component->name == k_s3_component; });
  return found == driver.components.end() ? nullptr : &found->seen;
}

Error name_taken(std::string message, const std::vector<std::string>& differences) {
  Error error{.code = std::string(codes::name_taken), .message = std::move(message)};
  json::array list;
  for (const auto& difference : differences) list.emplace_back(json::string(difference));
  error.detail["differences"] = std::move(list);
  return error;
}

/// Whether the volume and the claim may have these names.
Result<> check_names(const MountFacts& facts) {
  const Mount& mount = facts.mount;
  const std::string volume = volume_name(mount.space, mount.name);
  for (const auto& object : facts.objects.objects) {
    if (!object.exists || object.going) continue;
    if (object.maker && object.differences.empty()) continue;
    const auto there = std::ranges::find(facts.volumes, volume, &VolumeSummary::volume);
    auto words =
        there == facts.volumes.end() ? std::vector<std::string>() : differences_in_words(mount, *there);
    if (words.empty()) words = object.differences;
    return fail(name_taken(
        object.maker ? fmt::format("{}/{} is mounted already, with other content: unmount it first, "
                                   "or choose another name.",
                                   mount.space, mount.name)
                     : fmt::format("{} exists and is not ours: choose another name.", object.ref),
        words));
  }
  for (const auto& other : facts.volumes) {
    if (other.volume == volume) continue;
    if (other.handle == volume) {
      return fail(name_taken(fmt::format("The volume {} has the handle {}: of two with one handle only one "
                                         "would be mounted. Choose another name.",
                                         other.volume, volume),
                             {}));
    }
    if (other.ours && !other.going && other.space == mount.space && other.path == mount.path) {
      return fail(
          name_taken(fmt::format("{}/{} is mounted at {} already.", other.space, other.claim, mount.path),
                     {fmt::format("name: {} instead of {}", other.claim, mount.name)}));
    }
  }
  return {};
}

Result<> check_driver(const DriverSeen& driver) {
  const auto* seen = driver_of(driver);
  if (!seen || !seen->addon || seen->addon->exists || seen->addon->installed_otherwise) return {};
  if (!seen->wanted_version.empty()) return {};
  return fail(codes::conflict, "EKS offers no Mountpoint for S3 CSI driver for this cluster.");
}

class MountPlanner {
 public:
  explicit MountPlanner(const MountFacts& facts) : facts_(facts), mount_(facts.mount) {}

  Result<Plan> make() {
    if (!facts_.namespace_exists) {
      return fail(codes::not_found, fmt::format("There is no namespace {}.", mount_.space));
    }
    for (const auto& checked : {check_names(facts_), check_bucket(facts_), check_driver(facts_.driver)}) {
      if (!checked) return fail(checked.error());
    }
    plan_bucket();
    if (auto driver = plan_driver(); !driver) return fail(driver.error());
    plan_access();
    plan_volume();
    order_steps();
    plan_.kind = k_storage_mount;
    plan_.subject = subject_of(mount_.cluster);
    plan_.summary =
        plan_.steps.empty()
            ? fmt::format("The bucket {} is mounted as {}/{}.", mount_.bucket, mount_.space, mount_.name)
            : fmt::format("Mount the bucket {} as {}/{} at {}: {} steps.", mount_.bucket, mount_.space,
                          mount_.name, mount_.path, plan_.steps.size());
    return std::move(plan_);
  }

 private:
  void plan_bucket() {
    const std::string subject = "bucket/" + mount_.bucket;
    if (facts_.create && !(facts_.bucket.exists && facts_.bucket.public_blocked)) {
      PlannedStep step{.id = "bucket", .kind = std::string(k_bucket_step)};
      step.input = encode(BucketInput{mount_.cluster, mount_.bucket}).as_object();
      if (facts_.bucket.exists) {
        step.title = fmt::format("Close the bucket {} to the public", mount_.bucket);
        step.effect = StepEffect::update;
        step.calls = {{"s3:PutPublicAccessBlock", subject}};
      } else {
        step.title = fmt::format("Create the bucket {} in {}", mount_.bucket, mount_.cluster.region);
        step.effect = StepEffect::create;
        step.calls = {{"s3:CreateBucket", subject}};
      }
      plan_.steps.push_back(std::move(step));
    }
    if (mount_.bucket_region != mount_.cluster.region) {
      plan_.warnings.push_back(
          fmt::format("The bucket {} is in {}: what crosses regions is slower and paid for.", mount_.bucket,
                      mount_.bucket_region));
    }
  }

  /// The driver and its identity are components of the cluster: their own steps bring them in place.
  Result<> plan_driver() {
    auto driver = plan_reconcile({.cluster = mount_.cluster, .components = facts_.driver.components});
    if (!driver) return fail(driver.error());
    for (auto& step : driver->steps) plan_.steps.push_back(std::move(step));
    for (auto& warning : driver->warnings) plan_.warnings.push_back(std::move(warning));
    return {};
  }

  void plan_access() {
    if (!facts_.identity.role_name) {
      plan_.warnings.push_back(
          fmt::format("{} It is left alone and must allow {}.", facts_.identity.why, needs_in_words(mount_)));
      return;
    }
    const auto& role = *facts_.identity.role_name;
    const auto* driver = driver_of(facts_.driver);
    if (driver && driver->addon && driver->addon->exists && driver->association && !driver->association->id) {
      plan_.warnings.emplace_back(
          "The driver runs without an identity; its pods take the new one when they start anew: restart "
          "daemonsets/kube-system/s3-csi-node.");
    }
    if (facts_.access.as_wanted) return;
    PlannedStep step{
        .id = "access",
        .kind = std::string(k_access_step),
        .title = fmt::format("Let the driver use {} of the bucket {}",
                             mount_.prefix.empty() ? "all" : mount_.prefix, mount_.bucket),
        .effect = facts_.access.exists ? StepEffect::update : StepEffect::create,
        .calls = {{"iam:PutRolePolicy",
                   fmt::format("role/{}/{}", role, access_policy_name(mount_.space, mount_.name))}}};
    step.input = encode(AccessInput{mount_, role}).as_object();
    plan_.steps.push_back(std::move(step));
  }

  void plan_volume() {
    const bool bound = facts_.objects.phase == "Bound";
    const bool there = std::ranges::all_of(
        facts_.objects.objects, [](const ObjectSeen& object) { return object.exists && !object.going; });
    if (there && bound) return;
    PlannedStep step{.id = "volume",
                     .kind = std::string(k_volume_step),
                     .title = fmt::format("Create the volume and the claim {}/{}", mount_.space, mount_.name),
                     .effect = there ? StepEffect::none : StepEffect::create};
    for (const auto& object : facts_.objects.objects) {
      if (!object.exists || object.going) step.calls.push_back({"kubernetes:apply", object.ref});
    }
    step.input = encode(mount_).as_object();
    plan_.steps.push_back(std::move(step));
  }

  /// Pods may start as soon as the claim is there, so that comes last.
  void order_steps() {
    std::set<std::string> ids;
    for (const auto& step : plan_.steps) ids.insert(step.id);
    const std::string driver(k_s3_component);
    for (auto& step : plan_.steps) {
      std::vector<std::string> before;
      if (step.id == "access") before = {"bucket", driver + "/role"};
      if (step.id == "volume") before = {"bucket", "access", driver};
      for (auto& id : before) {
        if (ids.contains(id)) step.after.push_back(std::move(id));
      }
    }
  }

  const MountFacts& facts_;
  const Mount& mount_;
  Plan plan_;
};

}  // namespace

Result<DriverIdentity> identity_of(const ClusterTarget& cluster, const DriverSeen& driver) {
  if (driver.declared_role) {
    return DriverIdentity{
        .role_name = {},
        .why = fmt::format("The driver's service account names the role {} itself.", *driver.declared_role)};
  }
  const auto* seen = driver_of(driver);
  if (!seen || !seen->addon) return DriverIdentity{.role_name = {}, .why = "The driver is unknown."};
  auto role = pod_role_name(cluster, find_component(k_s3_component)->identity->purpose);
  if (!role) return fail(role.error());
  if (seen->association && seen->association->id &&
      seen->association->role_arn != pod_role_arn(cluster, *role)) {
    return DriverIdentity{.role_name = {},
                          .why = fmt::format("The driver has the role {}.", seen->association->role_arn)};
  }
  if (!seen->addon->exists && seen->addon->installed_otherwise) {
    return DriverIdentity{
        .role_name = {},
        .why =
            fmt::format("The driver was not installed as an EKS add-on ({} exists), and has an identity of "
                        "its own.",
                        *seen->addon->installed_otherwise)};
  }
  return DriverIdentity{.role_name = std::move(*role), .why = {}};
}

Result<> check_bucket(const MountFacts& facts) {
  const std::string& name = facts.mount.bucket;
  const BucketSeen& seen = facts.bucket;
  if (!seen.exists && !facts.create) {
    return fail(codes::not_found, fmt::format("There is no bucket {}. With create it is made.", name));
  }
  if (seen.exists && facts.create && !seen.maker) {
    return fail(name_taken(
        seen.accessible
            ? fmt::format(
                  "The bucket {} exists and was not made for this cluster: leave out create to mount it.",
                  name)
            : fmt::format("The name {} belongs to somebody else: bucket names are global.", name),
        {}));
  }
  if (seen.exists && !seen.accessible) {
    return fail(codes::access_denied, fmt::format("The bucket {} exists, but may not be looked at.", name));
  }
  return {};
}

Result<Plan> plan_mount(const MountFacts& facts) { return MountPlanner(facts).make(); }

Result<Plan> plan_unmount(const UnmountFacts& facts) {
  const Mount& mount = facts.mount;
  const bool any = std::ranges::any_of(facts.objects.objects, &ObjectSeen::exists);
  if (!any && !facts.access.mark) {
    return fail(codes::not_found, fmt::format("Nothing is mounted as {}/{}.", mount.space, mount.name));
  }
  for (const auto& object : facts.objects.objects) {
    if (!object.exists || object.maker) continue;
    return fail(codes::blocked, fmt::format("{} is not ours: delete it with kubectl.", object.ref));
  }
  if (facts.objects.user_count > 0) return fail(in_use(facts.objects));
  Plan plan{.kind = std::string(k_storage_unmount), .subject = subject_of(mount.cluster)};
  plan.summary = fmt::format("Unmount {}/{}.", mount.space, mount.name);
  if (any) {
    PlannedStep step{.id = "volume",
                     .kind = std::string(k_volume_removal_step),
                     .title = fmt::format("Delete the claim and the volume {}/{}", mount.space, mount.name),
                     .effect = StepEffect::remove};
    for (const auto& object : facts.objects.objects) {
      if (object.exists) step.calls.push_back({"kubernetes:delete", object.ref});
    }
    step.input = encode(mount).as_object();
    plan.steps.push_back(std::move(step));
  }
  if (facts.access.mark && facts.role_name) {
    PlannedStep step{
        .id = "access",
        .kind = std::string(k_access_removal_step),
        .title = fmt::format("Take the bucket {} from the driver's role", mount.bucket),
        .effect = StepEffect::remove,
        .calls = {{"iam:DeleteRolePolicy", fmt::format("role/{}/{}", *facts.role_name,
                                                       access_policy_name(mount.space, mount.name))}}};
    if (any) step.after = {"volume"};
    step.input = encode(AccessInput{mount, *facts.role_name}).as_object();
    plan.steps.push_back(std::move(step));
  }
  if (!mount.bucket.empty()) {
    plan.warnings.push_back(fmt::format("The bucket {} and what is in it stay.", mount.bucket));
  }
  return plan;
}

}  // namespace instantstart::capabilities
