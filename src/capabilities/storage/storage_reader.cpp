#include "capabilities/storage/storage_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "aws/shapes/iam.h"
#include "aws/shapes/s3.h"
#include "base/digest.h"
#include "base/error_codes.h"
#include "base/text.h"
#include "capabilities/dependencies/pod_role.h"
#include "capabilities/storage/bucket_access.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

namespace iam = aws::iam;
namespace s3 = aws::s3;

constexpr std::size_t k_most_volumes = 5'000;
constexpr std::size_t k_most_differences = 20;
constexpr std::string_view k_role_annotation = "eks.amazonaws.com/role-arn";

const kube::ResourceType k_volumes{
    .gvk = {"", "v1", "PersistentVolume"}, .plural = "persistentvolumes", .namespaced = false};
const kube::ResourceType k_pods{.gvk = {"", "v1", "Pod"}, .plural = "pods"};
const kube::ResourceType k_service_accounts{.gvk = {"", "v1", "ServiceAccount"}, .plural = "serviceaccounts"};

aws::CallOptions until(net::Deadline deadline) { return {.deadline = deadline}; }

ObjectSeen seen_of(const json::object& wanted, const json::object& live) {
  ObjectSeen seen{.ref = to_text(ref_of(wanted)), .exists = true};
  seen.going = !kube::text_at(live, {"metadata", "deletionTimestamp"}).empty();
  seen.maker = maker_of(live);
  seen.differences = differences(wanted, live);
  if (seen.differences.size() > k_most_differences) seen.differences.resize(k_most_differences);
  return seen;
}

bool uses(const json::object& pod, std::string_view claim) {
  const auto phase = kube::text_at(pod, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") return false;
  return std::ranges::any_of(kube::array_at(pod, {"spec", "volumes"}), [&](const json::value& volume) {
    return kube::text_at(kube::as_object(volume), {"persistentVolumeClaim", "claimName"}) == claim;
  });
}

/// Of a namespace's pods, however many, those of one claim.
class UserCounter final : public kube::ListVisitor {
 public:
  explicit UserCounter(std::string claim) : claim_(std::move(claim)) {}

  void begin() override {
    users.clear();
    count = 0;
  }
  void item(json::object pod) override {
    if (!uses(pod, claim_)) return;
    ++count;
    if (users.size() < k_most_users_shown)
      users.push_back(shortened(without_controls(kube::text_at(pod, {"metadata", "name"})), 253));
  }

  std::vector<std::string> users;
  std::int64_t count = 0;

 private:
  std::string claim_;
};

/// Asked for a bucket of another region, S3 answers a HEAD with a bare redirect or refusal.
bool points_elsewhere(const Error& error) {
  const auto* status = error.detail.if_contains("http_status");
  return status && (*status == 301 || *status == 307 || *status == 400);
}

bool closes_all(const s3::PublicAccessBlockConfiguration& block) {
  return block.block_public_acls.value_or(false) && block.ignore_public_acls.value_or(false) &&
         block.block_public_policy.value_or(false) && block.restrict_public_buckets.value_or(false);
}

}  // namespace

Result<aws::Client*> StorageReader::aws_client(const ClusterTarget& cluster,
                                               const std::string& region) const {
  auto account = accounts_.get(cluster.profile, region);
  if (!account) return fail(account.error());
  return &(*account)->client();
}

Task<BucketSeen> StorageReader::bucket(ClusterTarget cluster, std::string name, bool may_be_ours,
                                       net::Deadline deadline) const {
  auto client = aws_client(cluster, cluster.region);
  if (!client) co_return fail(client.error());
  auto head = co_await (*client)->call<s3::HeadBucket>({.bucket = name}, until(deadline));
  if (!head && head.error().code == codes::not_found) co_return BucketSeen{};
  if (!head && head.error().code == codes::access_denied) co_return BucketSeen{.exists = true};
  if (!head && points_elsewhere(head.error())) {
    co_return co_await elsewhere(**client, std::move(name), deadline);
  }
  if (!head) co_return fail(within("Look at the bucket " + name, head.error()));
  BucketSeen seen{.exists = true, .accessible = true, .region = head->bucket_region.value_or(cluster.region)};
  if (!may_be_ours || seen.region != cluster.region) co_return seen;
  co_return co_await proof_of(std::move(cluster), std::move(name), std::move(seen), deadline);
}

Task<BucketSeen> StorageReader::elsewhere(aws::Client& client, std::string name,
                                          net::Deadline deadline) const {
  auto listed = co_await client.call<s3::ListBuckets>({.prefix = name}, until(deadline));
  if (!listed) co_return fail(within("Find the region of the bucket " + name, listed.error()));
  for (const auto& bucket : aws::items(listed->buckets)) {
    if (bucket.name != name || !bucket.bucket_region) continue;
    co_return BucketSeen{.exists = true, .accessible = true, .region = *bucket.bucket_region};
  }
  co_return fail(
      codes::conflict,
      fmt::format("The bucket {} is in another region and not this account's: where is not known.", name));
}

Task<BucketSeen> StorageReader::proof_of(ClusterTarget cluster, std::string name, BucketSeen seen,
                                         net::Deadline deadline) const {
  auto client = aws_client(cluster, cluster.region);
  if (!client) co_return fail(client.error());
  auto tagging = co_await (*client)->call<s3::GetBucketTagging>({.bucket = name}, until(deadline));
  if (!tagging && tagging.error().code != codes::not_found) {
    co_return fail(within("Look at the tags of the bucket " + name, tagging.error()));
  }
  if (!tagging) co_return seen;
  std::map<std::string, std::string> tags;
  for (const auto& tag : aws::items(tagging->tag_set)) tags[tag.key.value_or("")] = tag.value.value_or("");
  seen.maker = maker_of(tags, cluster);
  if (!seen.maker) co_return seen;
  auto block = co_await (*client)->call<s3::GetPublicAccessBlock>({.bucket = name}, until(deadline));
  if (!block && block.error().code != codes::not_found) {
    co_return fail(within("Look at the public access of the bucket " + name, block.error()));
  }
  if (block && block->public_access_block_configuration) {
    seen.public_blocked = closes_all(*block->public_access_block_configuration);
  }
  auto listed = co_await (*client)->call<s3::ListObjectsV2>({.bucket = name, .max_keys = 1}, until(deadline));
  if (!listed) co_return fail(within("Look into the bucket " + name, listed.error()));
  seen.empty = aws::items(listed->contents).empty();
  co_return seen;
}

Task<AccessSeen> StorageReader::access(Mount mount, std::string role_name, net::Deadline deadline) const {
  auto client = aws_client(mount.cluster, mount.cluster.region);
  if (!client) co_return fail(client.error());
  const std::string policy_name = access_policy_name(mount.space, mount.name);
  auto got = co_await (*client)->call<iam::GetRolePolicy>(
      {.role_name = role_name, .policy_name = policy_name}, until(deadline));
  if (!got && got.error().code == codes::not_found) co_return AccessSeen{};
  if (!got) co_return fail(within("Look at the policy " + policy_name, got.error()));
  AccessSeen seen{.exists = true};
  const auto text = percent_decode(got->policy_document.value_or(""));
  if (!text) co_return seen;
  const auto document = parse_json(*text);
  if (!document || !document->is_object()) co_return seen;
  seen.mark = mark_of(document->get_object());
  if (!seen.mark) co_return seen;
  seen.as_wanted = to_canonical_text(*document) == to_canonical_text(access_policy(mount, *seen.mark));
  co_return seen;
}

Task<MountSeen> StorageReader::mount(Mount mount, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(mount.cluster, deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  MountSeen seen;
  for (const auto& wanted : volume_objects(mount, {})) {
    const ObjectRef ref = ref_of(wanted);
    auto live = co_await api->client().get(type_of_object(ref), {.space = ref.namespace_, .name = ref.name},
                                           deadline);
    if (!live && live.error().code == codes::not_found) {
      seen.objects.push_back({.ref = to_text(ref)});
      continue;
    }
    if (!live) co_return fail(within("Look at " + to_text(ref), live.error()));
    seen.objects.push_back(seen_of(wanted, *live));
    if (!ref.namespace_.empty()) seen.phase = kube::text_at(*live, {"status", "phase"});
  }
  if (!seen.objects.back().exists) co_return seen;
  co_return co_await with_users(std::move(seen), std::move(mount), api, deadline);
}

Task<MountSeen> StorageReader::with_users(MountSeen seen, Mount mount, std::shared_ptr<kube::EksCluster> api,
                                          net::Deadline deadline) const {
  UserCounter counter(mount.name);
  kube::ListOptions options{.space = mount.space,
                            .keep = {"/metadata/name", "/spec/volumes", "/status/phase"}};
  auto listed = co_await api->client().list(k_pods, std::move(options), counter, deadline);
  if (!listed) co_return fail(within("List the pods of " + mount.space, listed.error()));
  seen.users = std::move(counter.users);
  seen.user_count = counter.count;
  co_return seen;
}

Task<std::vector<VolumeSummary>> StorageReader::volumes(ClusterTarget cluster, net::Deadline deadline) const {
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  kube::ListOptions options{.keep = {"/metadata", "/spec", "/status/phase"}};
  auto list = co_await api->client().list_all(k_volumes, std::move(options), k_most_volumes, deadline);
  if (!list) co_return fail(within("List the volumes", list.error()));
  std::vector<VolumeSummary> found;
  for (const auto& volume : list->items) {
    if (auto summary = summary_of(volume)) found.push_back(std::move(*summary));
  }
  std::ranges::sort(found, {}, [](const VolumeSummary& volume) {
    return std::tie(volume.space, volume.claim, volume.volume);
  });
  co_return found;
}

Task<std::optional<std::string>> StorageReader::driver_role(ClusterTarget cluster,
                                                            net::Deadline deadline) const {
  const auto& identity = *find_component(k_s3_component)->identity;
  auto opened = co_await components_.kubernetes(std::move(cluster), deadline);
  if (!opened) co_return fail(opened.error());
  const auto api = std::move(*opened);
  const kube::ObjectName id{std::string(identity.space), std::string(identity.service_account)};
  auto live = co_await api->client().get(k_service_accounts, id, deadline);
  if (!live && live.error().code == codes::not_found) co_return std::nullopt;
  if (!live) co_return fail(within("Look at the driver's service account", live.error()));
  const auto role = kube::text_at(*live, {"metadata", "annotations", k_role_annotation});
  if (role.empty()) co_return std::nullopt;
  co_return shortened(without_controls(role), 200);
}

}  // namespace instantstart::capabilities
