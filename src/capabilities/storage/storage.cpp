#include "capabilities/storage/storage.h"

#include <algorithm>
#include <array>

namespace instantstart::capabilities {
namespace {

/// Bucket naming rules of S3's user guide, without the forms that name other things than general purpose
/// buckets.
std::optional<std::string> no_bucket(std::string_view name) {
  if (name.contains("..")) return "must not have two dots in a row";
  constexpr std::array<std::string_view, 4> k_others{"-s3alias", "--ol-s3", ".mrap", "--x-s3"};
  if (std::ranges::any_of(k_others, [&](auto end) { return name.ends_with(end); })) {
    return "must be a general purpose bucket: access points and directory buckets can't be mounted here";
  }
  return std::nullopt;
}

std::optional<std::string> no_prefix(std::string_view prefix) {
  if (prefix.contains("//") || prefix.contains("..")) return "must not contain // or ..";
  return std::nullopt;
}

std::optional<std::string> no_mount_path(std::string_view path) {
  if (path.contains("//") || path.contains("/../") || path.ends_with("/..") || path.contains("/./") ||
      path.ends_with("/.") || path.ends_with('/')) {
    return "must be an absolute path in its shortest form";
  }
  // What a container can't start without.
  constexpr std::array<std::string_view, 10> k_needed{"/bin",  "/dev",  "/etc", "/lib", "/lib64",
                                                      "/proc", "/sbin", "/sys", "/usr", "/var/run"};
  if (std::ranges::any_of(k_needed, [&](std::string_view needed) {
        return path == needed || (path.starts_with(needed) && path[needed.size()] == '/');
      })) {
    return "must not hide what containers need";
  }
  return std::nullopt;
}

constexpr std::string_view k_space_doc = "The Kubernetes namespace of the claim.";

}  // namespace

Type describe(StorageKind*) {
  return enum_type<StorageKind>(
      "StorageKind", "What is mounted.",
      {{StorageKind::s3, {"s3", "An S3 bucket, by the Mountpoint for S3 CSI driver."}},
       {StorageKind::fsx_lustre, {"fsx_lustre", "FSx for Lustre: refused, it can't be mounted here."}},
       {StorageKind::fsx_openzfs, {"fsx_openzfs", "FSx for OpenZFS: refused, it can't be mounted here."}}});
}

Type describe(BucketName*) {
  return text_type<BucketName>(
      "BucketName", "A general purpose S3 bucket.",
      {.min = 3, .max = 63, .pattern = Pattern("^[a-z0-9][a-z0-9.-]*[a-z0-9]$"), .check = no_bucket},
      {"demo-data-123456789012"});
}

Type describe(KeyPrefix*) {
  return text_type<KeyPrefix>(
      "KeyPrefix", "The part of the bucket that is mounted.",
      {.min = 1, .max = 512, .pattern = Pattern("^[A-Za-z0-9][A-Za-z0-9_.+@/-]*$"), .check = no_prefix},
      {"datasets/llama"});
}

Type describe(StorageName*) {
  return text_type<StorageName>("StorageName", "The name of a mount, and of its PersistentVolumeClaim.",
                                {.min = 1, .max = 50, .pattern = Pattern("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")},
                                {"shared"});
}

Type describe(NamespaceName*) {
  return text_type<NamespaceName>(
      "NamespaceName", "A Kubernetes namespace.",
      {.min = 1, .max = 63, .pattern = Pattern("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$")}, {"default"});
}

Type describe(MountPath*) {
  return text_type<MountPath>(
      "MountPath", "An absolute path in containers.",
      {.min = 2, .max = 255, .pattern = Pattern("^/[A-Za-z0-9._/-]+$"), .check = no_mount_path}, {"/data"});
}

Type describe(PosixId*) {
  return number_type<PosixId>("PosixId", "The number of a user or group.", {.min = 0, .max = 4294967294.0});
}

Type describe(FolderPath*) {
  return text_type<FolderPath>("FolderPath", "A folder of a mount, with \"/\" between its parts.",
                               {.min = 1, .max = 1000, .pattern = Pattern("^[^\\x00-\\x1f\\x7f/]")},
                               {"checkpoints/run-1"});
}

Type describe(StorageMount*) {
  return object_type<StorageMount>(
      "StorageMount", "An S3 bucket for the pods of a cluster.",
      {field<&StorageMount::cluster>("cluster", "The cluster."),
       field<&StorageMount::name>("name", "What it is called."),
       field<&StorageMount::kind>("kind", "What is mounted.", {.defaulted = true}),
       field<&StorageMount::bucket>("bucket", "The bucket."),
       field<&StorageMount::create>(
           "create", "Make the bucket, in the cluster's region, tagged as ours and closed to the public.",
           {.defaulted = true}),
       field<&StorageMount::prefix>("prefix", "Mount only this part of it; all when left out."),
       field<&StorageMount::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&StorageMount::path>("path", "Where pods see it. What is at /data every submitted pod gets.",
                                  {.defaulted = true}),
       field<&StorageMount::read_only>("read_only", "Pods may only read.", {.defaulted = true}),
       field<&StorageMount::uid>("uid", "The user that owns the files in pods; root when left out."),
       field<&StorageMount::gid>("gid", "The group that owns the files in pods; root when left out."),
       field<&StorageMount::kms_key>(
           "kms_key", "The customer managed key that the bucket is encrypted with, if it is with one.")});
}

Type describe(StorageUnmount*) {
  return object_type<StorageUnmount>(
      "StorageUnmount", "Which mount shall go.",
      {field<&StorageUnmount::cluster>("cluster", "The cluster."),
       field<&StorageUnmount::name>("name", "The mount."),
       field<&StorageUnmount::space>("namespace", k_space_doc, {.defaulted = true})});
}

Type describe(StorageList*) {
  return object_type<StorageList>(
      "StorageList", "Whose storage.",
      {field<&StorageList::cluster>("cluster", "The cluster."),
       field<&StorageList::space>("namespace", "Only what is claimed in this namespace.")});
}

Type describe(StorageGet*) {
  return object_type<StorageGet>(
      "StorageGet", "Which mount.",
      {field<&StorageGet::cluster>("cluster", "The cluster."), field<&StorageGet::name>("name", "The mount."),
       field<&StorageGet::space>("namespace", k_space_doc, {.defaulted = true})});
}

Type describe(StorageBrowse*) {
  return object_type<StorageBrowse>(
      "StorageBrowse", "Which folder of which mount.",
      {field<&StorageBrowse::cluster>("cluster", "The cluster."),
       field<&StorageBrowse::name>("name", "The mount."),
       field<&StorageBrowse::space>("namespace", k_space_doc, {.defaulted = true}),
       field<&StorageBrowse::folder>("folder", "Below the mount; the mount itself when left out.")});
}

Type describe(StorageState*) {
  return enum_type<StorageState>(
      "StorageState", "How a mount is.",
      {{StorageState::ready, {"ready", "Pods can use it."}},
       {StorageState::pending, {"pending", "Its claim is not bound yet."}},
       {StorageState::going, {"going", "It is being deleted."}},
       {StorageState::broken, {"broken", "Its claim and its volume lost each other."}}});
}

Type describe(StorageView*) {
  return object_type<StorageView>(
      "StorageView", "A mount.",
      {field<&StorageView::name>("name", "Its claim."),
       field<&StorageView::space>("namespace", "The claim's namespace."),
       field<&StorageView::kind>("kind", "What is mounted."),
       field<&StorageView::state>("state", "How it is."),
       field<&StorageView::bucket>("bucket", "The bucket."),
       field<&StorageView::region>("region", "The bucket's region, where it is written down."),
       field<&StorageView::prefix>("prefix", "The part of the bucket; all when absent."),
       field<&StorageView::path>("path", "Where submitted pods see it."),
       field<&StorageView::read_only>("read_only", "Pods may only read."),
       field<&StorageView::volume>("volume", "The PersistentVolume."),
       field<&StorageView::owner>("owner", "Who made it: instantstart or other."),
       field<&StorageView::shared>("shared", "Every pod that is submitted to the namespace gets it.")});
}

Type describe(StorageListAnswer*) {
  return object_type<StorageListAnswer>(
      "StorageListAnswer", "The storage of a cluster, by namespace and name.",
      {field<&StorageListAnswer::cluster>("cluster", "The cluster, by key."),
       field<&StorageListAnswer::storage>("storage", "Mounts of this page."),
       field<&StorageListAnswer::next_cursor>("next_cursor", "For the next page; absent at the end.")});
}

Type describe(StorageGetAnswer*) {
  return object_type<StorageGetAnswer>(
      "StorageGetAnswer", "One mount, and who uses it.",
      {field<&StorageGetAnswer::cluster>("cluster", "The cluster, by key."),
       field<&StorageGetAnswer::storage>("storage", "The mount."),
       field<&StorageGetAnswer::used_by>("used_by", "Pods that use it, the first of them."),
       field<&StorageGetAnswer::users>("users", "How many pods use it."),
       field<&StorageGetAnswer::problems>("problems", "Why pods may not reach it.")});
}

Type describe(StorageEntry*) {
  return object_type<StorageEntry>(
      "StorageEntry", "A folder or an object.",
      {field<&StorageEntry::name>("name", "Within the folder."),
       field<&StorageEntry::folder>("folder", "It is a folder."),
       field<&StorageEntry::bytes>("bytes", "Of an object: its size."),
       field<&StorageEntry::modified_at>("modified_at", "Of an object: when it was written.")});
}

Type describe(StorageBrowseAnswer*) {
  return object_type<StorageBrowseAnswer>(
      "StorageBrowseAnswer", "What is in a folder.",
      {field<&StorageBrowseAnswer::cluster>("cluster", "The cluster, by key."),
       field<&StorageBrowseAnswer::bucket>("bucket", "The bucket."),
       field<&StorageBrowseAnswer::folder>("folder", "The folder, as the keys in it begin."),
       field<&StorageBrowseAnswer::entries>("entries", "Folders and objects of this page."),
       field<&StorageBrowseAnswer::next_cursor>("next_cursor", "For the next page; absent at the end.")});
}

}  // namespace instantstart::capabilities
