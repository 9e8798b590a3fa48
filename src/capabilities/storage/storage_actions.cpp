#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/s3.h"
#include "base/decode.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/call_errors.h"
#include "capabilities/storage/storage.h"
#include "capabilities/storage/storage_plan.h"
#include "capabilities/storage/storage_reader.h"
#include "capabilities/storage/storage_steps.h"
#include "capabilities/storage/storage_views.h"
#include "contract/page.h"

namespace instantstart::capabilities {
namespace {

using contract::Caller;
using contract::PageOptions;
namespace s3 = aws::s3;

Task<DriverSeen> look_at_driver(StorageReader reader, ClusterTarget cluster, net::Deadline deadline) {
  DriverSeen driver;
  const auto wanted = with_needs({k_s3_component});
  for (const auto* component : wanted) {
    auto seen = co_await reader.components().look(cluster, *component, {}, deadline);
    if (!seen) co_return fail(within(fmt::format("Look at {}", component->name), seen.error()));
    driver.components.push_back({component, std::move(*seen)});
  }
  auto declared = co_await reader.driver_role(cluster, deadline);
  if (!declared) co_return fail(declared.error());
  driver.declared_role = std::move(*declared);
  co_return driver;
}

Task<AccessSeen> look_at_access(StorageReader reader, Mount mount, DriverIdentity identity,
                                net::Deadline deadline) {
  if (!identity.role_name) co_return AccessSeen{};
  co_return co_await reader.access(std::move(mount), *identity.role_name, deadline);
}

std::string id_of(const VolumeSummary& volume) {
  return fmt::format("{}/{}/{}", volume.space, volume.claim, volume.volume);
}

/// The mount of this name; with the nearest name where there is none.
Result<VolumeSummary> find_mount(const std::vector<VolumeSummary>& volumes, const std::string& space,
                                 const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto& volume : volumes) {
    if (volume.space != space) continue;
    if (volume.claim == name) return volume;
    names.push_back(volume.claim);
  }
  std::string message = fmt::format("Nothing is mounted as {}/{}.", space, name);
  if (const auto near = nearest(name, names)) message += fmt::format(" Did you mean {}?", *near);
  return fail(codes::not_found, std::move(message));
}

struct Found {
  ClusterTarget cluster;
  VolumeSummary volume;
};

Task<Found> find(StorageReader reader, fleet::Fleet& fleet, std::string reference, std::string space,
                 std::string name, net::Deadline deadline) {
  auto record = co_await fleet.find(std::move(reference));
  if (!record) co_return fail(record.error());
  ClusterTarget cluster = target_of(*record);
  auto volumes = co_await reader.volumes(cluster, deadline);
  if (!volumes) co_return fail(volumes.error());
  auto volume = find_mount(*volumes, space, name);
  if (!volume) co_return fail(volume.error());
  co_return Found{std::move(cluster), std::move(*volume)};
}

/// As the volume says it; what it doesn't say is not needed for looking and removing.
Mount mount_of(const VolumeSummary& volume, const ClusterTarget& cluster) {
  return {.cluster = cluster,
          .name = volume.claim,
          .space = volume.space,
          .bucket = volume.bucket,
          .bucket_region = volume.region.empty() ? cluster.region : volume.region,
          .prefix = volume.prefix,
          .path = volume.path,
          .read_only = volume.read_only};
}

Task<StorageListAnswer> list(StorageReader reader, fleet::Fleet& fleet, net::Deadline deadline,
                             StorageList request, PageOptions page) {
  auto record = co_await fleet.find(std::move(request.cluster.value));
  if (!record) co_return fail(record.error());
  auto volumes = co_await reader.volumes(target_of(*record), deadline);
  if (!volumes) co_return fail(volumes.error());
  if (request.space) {
    std::erase_if(*volumes, [&](const VolumeSummary& each) { return each.space != request.space->value; });
  }
  auto part = contract::page_of(std::move(*volumes), page, id_of);
  StorageListAnswer answer{
      .cluster = domain::to_text(record->key), .storage = {}, .next_cursor = std::move(part.next_cursor)};
  for (const auto& volume : part.items) answer.storage.push_back(view_of(volume));
  co_return answer;
}

Task<StorageGetAnswer> get(StorageReader reader, fleet::Fleet& fleet, net::Deadline deadline,
                           StorageGet request) {
  auto found = co_await find(reader, fleet, std::move(request.cluster.value), request.space.value,
                             request.name.value, deadline);
  if (!found) co_return fail(found.error());
  const Mount mount = mount_of(found->volume, found->cluster);
  auto driver = co_await look_at_driver(reader, found->cluster, deadline);
  if (!driver) co_return fail(driver.error());
  const auto identity = identity_of(found->cluster, *driver);
  if (!identity) co_return fail(identity.error());
  auto access = co_await look_at_access(reader, mount, *identity, deadline);
  if (!access) co_return fail(access.error());
  auto objects = co_await reader.mount(mount, deadline);
  if (!objects) co_return fail(objects.error());
  co_return StorageGetAnswer{.cluster = domain::to_text(key_of(found->cluster)),
                             .storage = view_of(found->volume),
                             .used_by = std::move(objects->users),
                             .users = objects->user_count,
                             .problems = problems_of(found->volume, *driver, *identity, *access)};
}

Task<StorageBrowseAnswer> browse(StorageReader reader, fleet::Fleet& fleet, net::Deadline deadline,
                                 StorageBrowse request, PageOptions page) {
  auto found = co_await find(reader, fleet, std::move(request.cluster.value), request.space.value,
                             request.name.value, deadline);
  if (!found) co_return fail(found.error());
  const Mount mount = mount_of(found->volume, found->cluster);
  auto client = reader.aws_client(mount.cluster, mount.bucket_region);
  if (!client) co_return fail(client.error());
  const std::string prefix = folder_prefix(mount.prefix, request.folder ? request.folder->value : "");
  s3::ListObjectsV2Request input{.bucket = mount.bucket,
                                 .delimiter = "/",
                                 .encoding_type = "url",
                                 .max_keys = page.limit,
                                 .prefix = prefix,
                                 .continuation_token = page.cursor};
  auto listed = co_await (*client)->call<s3::ListObjectsV2>(std::move(input), {.deadline = deadline});
  if (!listed) co_return fail(within("List the bucket " + mount.bucket, listed.error()));
  auto entries = entries_of(*listed, prefix);
  if (!entries) co_return fail(entries.error());
  StorageBrowseAnswer answer{.cluster = domain::to_text(key_of(mount.cluster)),
                             .bucket = mount.bucket,
                             .folder = prefix,
                             .entries = std::move(*entries)};
  if (listed->is_truncated.value_or(false)) answer.next_cursor = listed->next_continuation_token;
  co_return answer;
}

Error unsupported_kind(StorageKind kind) {
  const std::string_view name = kind == StorageKind::fsx_lustre ? "FSx for Lustre" : "FSx for OpenZFS";
  return invalid_request({{"/kind", "unsupported", fmt::format("{} can't be mounted here; s3 can", name),
                           encode(kind).as_string().c_str(), "s3"}});
}

}  // namespace

Task<contract::Plan> plan_storage_mount(aws::Accounts& accounts, fleet::Fleet& fleet,
                                        kube::EksClusters& clusters, Caller caller, StorageMount request) {
  if (request.kind != StorageKind::s3) co_return fail(unsupported_kind(request.kind));
  auto record = co_await fleet.find(request.cluster.value);
  if (!record) co_return fail(record.error());
  const StorageReader reader(accounts, clusters);
  MountFacts facts{.mount = mount_of(request, target_of(*record)), .create = request.create};
  const ClusterTarget& cluster = facts.mount.cluster;
  auto bucket = co_await reader.bucket(cluster, facts.mount.bucket, request.create, caller.deadline);
  if (!bucket) co_return fail(bucket.error());
  facts.bucket = std::move(*bucket);
  if (!facts.bucket.region.empty()) facts.mount.bucket_region = facts.bucket.region;
  auto has_namespace =
      co_await reader.components().has_namespace(cluster, facts.mount.space, caller.deadline);
  if (!has_namespace) co_return fail(has_namespace.error());
  facts.namespace_exists = *has_namespace;
  auto driver = co_await look_at_driver(reader, cluster, caller.deadline);
  if (!driver) co_return fail(driver.error());
  facts.driver = std::move(*driver);
  auto identity = identity_of(cluster, facts.driver);
  if (!identity) co_return fail(identity.error());
  facts.identity = std::move(*identity);
  auto access = co_await look_at_access(reader, facts.mount, facts.identity, caller.deadline);
  if (!access) co_return fail(access.error());
  facts.access = std::move(*access);
  auto objects = co_await reader.mount(facts.mount, caller.deadline);
  if (!objects) co_return fail(objects.error());
  facts.objects = std::move(*objects);
  auto volumes = co_await reader.volumes(cluster, caller.deadline);
  if (!volumes) co_return fail(volumes.error());
  facts.volumes = std::move(*volumes);
  co_return plan_mount(facts);
}

Task<contract::Plan> plan_storage_unmount(aws::Accounts& accounts, fleet::Fleet& fleet,
                                          kube::EksClusters& clusters, Caller caller,
                                          StorageUnmount request) {
  auto record = co_await fleet.find(request.cluster.value);
  if (!record) co_return fail(record.error());
  const StorageReader reader(accounts, clusters);
  const ClusterTarget cluster = target_of(*record);
  auto volumes = co_await reader.volumes(cluster, caller.deadline);
  if (!volumes) co_return fail(volumes.error());
  UnmountFacts facts{.mount = {.cluster = cluster, .name = request.name.value, .space = request.space.value}};
  const auto known =
      std::ranges::find(*volumes, volume_name(facts.mount.space, facts.mount.name), &VolumeSummary::volume);
  if (known != volumes->end()) {
    facts.mount = mount_of(*known, cluster);
    facts.mount.name = request.name.value;
    facts.mount.space = request.space.value;
  }
  auto driver = co_await look_at_driver(reader, cluster, caller.deadline);
  if (!driver) co_return fail(driver.error());
  const auto identity = identity_of(cluster, *driver);
  if (!identity) co_return fail(identity.error());
  facts.role_name = identity->role_name;
  auto access = co_await look_at_access(reader, facts.mount, *identity, caller.deadline);
  if (!access) co_return fail(access.error());
  facts.access = std::move(*access);
  auto objects = co_await reader.mount(facts.mount, caller.deadline);
  if (!objects) co_return fail(objects.error());
  facts.objects = std::move(*objects);
  auto plan = plan_unmount(facts);
  if (plan || plan.error().code != codes::not_found) co_return plan;
  // Of another's volume with such a claim, or with the nearest name.
  auto near = find_mount(*volumes, facts.mount.space, facts.mount.name);
  if (!near) co_return fail(near.error());
  co_return fail(codes::blocked,
                 fmt::format("persistentvolumes/{} is not ours: delete it with kubectl.", near->volume));
}

std::vector<contract::Action> storage_actions(aws::Accounts* accounts, fleet::Fleet* fleet,
                                              kube::EksClusters* clusters) {
  std::vector<contract::Action> actions;
  actions.push_back(contract::read_action<StorageList, StorageListAnswer>(
      {.name = "storage_list",
       .path = "/clusters/{cluster}/storage",
       .summary = "S3 buckets that a cluster's pods see as folders.",
       .doc =
           "Every volume of the Mountpoint for S3 CSI driver, whoever made it. What is `shared` is at /data "
           "in every pod that is submitted to its namespace. It changes nothing.",
       .paged = true,
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}}},
      [accounts, fleet, clusters](Caller caller, StorageList request, PageOptions page) {
        return list(StorageReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request),
                    std::move(page));
      }));
  actions.push_back(contract::read_action<StorageGet, StorageGetAnswer>(
      {.name = "storage_get",
       .path = "/clusters/{cluster}/storage/{name}",
       .summary = "One mount: its state, the pods that use it, what is wrong with it.",
       .doc = "Use it when pods hang in ContainerCreating, and before storage_unmount. It changes nothing.",
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}, {"name", "shared"}}},
      [accounts, fleet, clusters](Caller caller, StorageGet request) {
        return get(StorageReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request));
      }));
  actions.push_back(contract::read_action<StorageBrowse, StorageBrowseAnswer>(
      {.name = "storage_browse",
       .path = "/clusters/{cluster}/storage/{name}/entries",
       .summary = "Folders and objects in a folder of a mounted bucket.",
       .doc = "It lists the bucket with the credentials of this server, not through the cluster: what pods "
              "just wrote is there once they closed the file. It reads no content and changes nothing.",
       .paged = true,
       .errors = cluster_call_errors(),
       .example = {{"cluster", "demo"}, {"name", "shared"}, {"folder", "checkpoints"}}},
      [accounts, fleet, clusters](Caller caller, StorageBrowse request, PageOptions page) {
        return browse(StorageReader(*accounts, *clusters), *fleet, caller.deadline, std::move(request),
                      std::move(page));
      }));
  actions.push_back(contract::change_action<StorageMount>(
      {.name = "storage_mount",
       .path = "/clusters/{cluster}/storage",
       .summary = "Make an S3 bucket a folder in the pods of a cluster.",
       .doc =
           "It brings in place what is missing: the bucket (with create), the S3 CSI driver, a policy of its "
           "role for exactly this bucket and prefix, a volume and a claim. What is mounted at /data every "
           "pod "
           "that is submitted to the namespace gets. Asked again when all holds it changes nothing; the same "
           "name with other content is refused. FSx file systems can't be mounted here.",
       .status_action = "operation_get",
       .operation_kind = std::string(k_storage_mount),
       .errors = cluster_call_errors({"name_taken", "quota_exceeded"}),
       .example = {{"cluster", "demo"}, {"name", "shared"}, {"bucket", "demo-data-123456789012"}}},
      [accounts, fleet, clusters](Caller caller, StorageMount request) {
        return plan_storage_mount(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  actions.push_back(contract::change_action<StorageUnmount>(
      {.name = "storage_unmount",
       .path = "/clusters/{cluster}/storage/{name}",
       .summary = "Take a mounted bucket away from a cluster's pods; the bucket stays.",
       .doc =
           "It deletes claim, volume and the policy of the driver's role. It refuses while pods use it, and "
           "lists them. The bucket and what is in it stay, also a bucket that storage_mount made.",
       .effect = contract::Effect::destroy,
       .method = "DELETE",
       .status_action = "operation_get",
       .operation_kind = std::string(k_storage_unmount),
       .errors = cluster_call_errors({"blocked", "name_taken"}),
       .example = {{"cluster", "demo"}, {"name", "shared"}}},
      [accounts, fleet, clusters](Caller caller, StorageUnmount request) {
        return plan_storage_unmount(*accounts, *fleet, *clusters, std::move(caller), std::move(request));
      }));
  return actions;
}

void add_storage_kinds(operations::KindRegistry& kinds, aws::Accounts& accounts,
                       kube::EksClusters& clusters) {
  const StorageReader reader(accounts, clusters);
  kinds.add(operations::OperationKind{.name = std::string(k_storage_mount)});
  kinds.add(operations::OperationKind{.name = std::string(k_storage_unmount)});
  kinds.add(bucket_step(reader));
  kinds.add(access_step(reader));
  kinds.add(volume_step(reader));
  kinds.add(access_removal_step(reader));
  kinds.add(volume_removal_step(reader));
}

}  // namespace instantstart::capabilities
