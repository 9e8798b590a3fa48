#include "capabilities/storage/volume_objects.h"

#include <set>

#include <gtest/gtest.h>

#include "base/decode.h"
#include "capabilities/storage/bucket_access.h"
#include "capabilities/storage/data_volume.h"
#include "kube/json_access.h"

namespace instantstart::capabilities {
namespace {

Mount sample() {
  return {.cluster = {"demo", "us-west-2", "123456789012", std::nullopt},
          .name = "shared",
          .space = "default",
          .bucket = "demo-data",
          .bucket_region = "us-west-2",
          .path = "/data"};
}

json::object parsed(std::string_view text) { return parse_json(text)->as_object(); }

TEST(VolumeObjects, AVolumeAndAClaimThatNameEachOtherAlone) {
  Mount mount = sample();
  mount.prefix = "datasets/llama/";
  mount.uid = 1000;
  mount.gid = 2000;
  const auto objects = volume_objects(mount, "op-1");
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0],
            parsed(R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"default.shared",
      "labels":{"app.kubernetes.io/managed-by":"instantstart","instantstart/component":"storage"},
      "annotations":{"instantstart/operation":"op-1","instantstart/mount-path":"/data"}},
      "spec":{"capacity":{"storage":"1200Gi"},"accessModes":["ReadWriteMany"],
      "persistentVolumeReclaimPolicy":"Retain","storageClassName":"","volumeMode":"Filesystem",
      "claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"default","name":"shared"},
      "mountOptions":["region us-west-2","allow-other","prefix datasets/llama/","allow-delete","allow-overwrite",
      "uid=1000","gid=2000"],
      "csi":{"driver":"s3.csi.aws.com","volumeHandle":"default.shared",
      "volumeAttributes":{"bucketName":"demo-data","authenticationSource":"driver"}}}})"));
  EXPECT_EQ(objects[1],
            parsed(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"shared",
      "namespace":"default",
      "labels":{"app.kubernetes.io/managed-by":"instantstart","instantstart/component":"storage"},
      "annotations":{"instantstart/operation":"op-1","instantstart/mount-path":"/data"}},
      "spec":{"accessModes":["ReadWriteMany"],"storageClassName":"","volumeMode":"Filesystem",
      "volumeName":"default.shared","resources":{"requests":{"storage":"1200Gi"}}}})"));
}

TEST(VolumeObjects, AReadOnlyMountCanNeitherWriteNorDelete) {
  Mount mount = sample();
  mount.read_only = true;
  const auto objects = volume_objects(mount, "op-1");
  EXPECT_EQ(kube::array_at(objects[0], {"spec", "mountOptions"}),
            (json::array{"region us-west-2", "allow-other", "read-only"}));
  EXPECT_EQ(kube::array_at(objects[0], {"spec", "accessModes"}), json::array{"ReadOnlyMany"});
  EXPECT_EQ(kube::array_at(objects[1], {"spec", "accessModes"}), json::array{"ReadOnlyMany"});
  const auto policy = instantstart::to_text(json::value(access_policy(mount, "OperationX")));
  for (const auto* action : {"Put", "Delete", "Abort"}) EXPECT_FALSE(policy.contains(action)) << action;
}

TEST(VolumeObjects, NamesAreUniqueAndKeepToLabels) {
  const std::string space(63, 's');
  std::set<std::string> names{volume_name("a", "b-c"), volume_name("a-b", "c"), volume_name(space, "one"),
                              volume_name(space, "two"), volume_name("default", std::string(50, 'n'))};
  EXPECT_EQ(names.size(), 5U);
  for (const auto& name : names) EXPECT_LE(name.size(), 63U) << name;
  EXPECT_LE(access_policy_name(space, std::string(50, 'n')).size(), 128U);
}

TEST(VolumeObjects, WhatWasWrittenIsReadBack) {
  Mount mount = sample();
  mount.prefix = "p/";
  mount.read_only = true;
  const auto summary = summary_of(volume_objects(mount, "op-1").front());
  ASSERT_TRUE(summary);
  EXPECT_TRUE(differences_in_words(mount, *summary).empty());
  EXPECT_TRUE(summary->ours);
  mount.prefix.clear();
  mount.path = "/other";
  EXPECT_EQ(differences_in_words(mount, *summary),
            (std::vector<std::string>{"prefix: p/ instead of all of it", "path: /data instead of /other"}));
}

TEST(VolumeObjects, EverySpellingOfAnOptionIsRead) {
  auto volume = volume_objects(sample(), "op-1").front();
  volume["spec"].as_object()["mountOptions"] = json::array{"--region=eu-west-1", "--prefix  a/", "read-only"};
  const auto summary = summary_of(volume);
  EXPECT_EQ(summary->region, "eu-west-1");
  EXPECT_EQ(summary->prefix, "a/");
  EXPECT_TRUE(summary->read_only);
  volume["spec"].as_object()["csi"].as_object()["driver"] = "fsx.csi.aws.com";
  EXPECT_FALSE(summary_of(volume));
}

TEST(BucketAccess, ExactlyThisBucketAndPrefixInEveryPartition) {
  for (const auto& [region, partition] :
       {std::pair{"us-west-2", "aws"}, {"cn-north-1", "aws-cn"}, {"us-gov-west-1", "aws-us-gov"}}) {
    Mount mount = sample();
    mount.cluster.region = region;
    mount.prefix = "p/";
    const std::string arn = "arn:" + std::string(partition) + ":s3:::demo-data";
    const auto policy = access_policy(mount, policy_mark("01938c5e-8f00"));
    const auto& statements = policy.at("Statement").as_array();
    ASSERT_EQ(statements.size(), 2U);
    EXPECT_EQ(statements[0], json::value(json::object{
                                 {"Sid", "Operation01938c5e8f00List"},
                                 {"Effect", "Allow"},
                                 {"Action", json::array{"s3:ListBucket"}},
                                 {"Resource", arn},
                                 {"Condition", {{"StringLike", {{"s3:prefix", json::array{"p/*"}}}}}}}));
    EXPECT_EQ(statements[1].at("Resource"), json::value(json::string(arn + "/p/*")));
    EXPECT_EQ(statements[1].at("Action"),
              (json::array{"s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject"}));
    EXPECT_EQ(mark_of(policy), "Operation01938c5e8f00");
  }
}

TEST(BucketAccess, AKeyIsAllowedByNameOnly) {
  Mount mount = sample();
  mount.kms_key = "arn:aws:kms:us-west-2:123456789012:key/1";
  const auto policy = access_policy(mount, "OperationX");
  const auto& statements = policy.at("Statement").as_array();
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(statements[2].at("Resource"), "arn:aws:kms:us-west-2:123456789012:key/1");
  EXPECT_EQ(statements[2].at("Action"), (json::array{"kms:Decrypt", "kms:GenerateDataKey"}));
}

TEST(BucketAccess, WhatOthersWroteHasNoMark) {
  for (const auto* sid : {"", "List", "OperationList", "Mine", "Operation-1List"}) {
    json::object policy{{"Statement", json::array{json::object{{"Sid", sid}}}}};
    EXPECT_FALSE(mark_of(policy)) << sid;
  }
  EXPECT_FALSE(mark_of({}));
}

TEST(DataVolume, AReadOnlyBucketIsMountedReadOnly) {
  const auto data = data_volume("models", true);
  EXPECT_EQ(data.volume,
            parsed(R"({"name":"data","persistentVolumeClaim":{"claimName":"models","readOnly":true}})"));
  EXPECT_EQ(data.mount, parsed(R"({"name":"data","mountPath":"/data","readOnly":true})"));
}

TEST(DataVolume, OnlyOurMountAtDataOfTheNamespaceIsShared) {
  Mount mount = sample();
  std::vector<VolumeSummary> volumes;
  volumes.push_back(*summary_of(volume_objects(mount, "op-1").front()));
  EXPECT_EQ(shared_in(volumes, "default"), &volumes.front());
  EXPECT_EQ(shared_in(volumes, "team"), nullptr);
  volumes.front().going = true;
  EXPECT_EQ(shared_in(volumes, "default"), nullptr);
  volumes.front().going = false;
  volumes.front().ours = false;
  EXPECT_EQ(shared_in(volumes, "default"), nullptr);
}

TEST(StorageRequests, WhatWouldReachAnIamPatternOrAMountOptionIsRefused) {
  const auto accepted = [](std::string_view field, std::string_view value) {
    json::object request{{"cluster", "demo"}, {"name", "shared"}, {"bucket", "demo-data"}};
    request[field] = value;
    return decode<StorageMount>(request).has_value();
  };
  EXPECT_TRUE(accepted("prefix", "datasets/llama-3.1/"));
  for (const auto* prefix : {"*", "a*", "a?", "${aws:username}", "a b", "/a", "a//b", "../a", "a\nb"}) {
    EXPECT_FALSE(accepted("prefix", prefix)) << prefix;
  }
  for (const auto* bucket : {"a..b", "Data", "demo-data/*", "x--usw2-az1--x-s3", "alias-s3alias", "*"}) {
    EXPECT_FALSE(accepted("bucket", bucket)) << bucket;
  }
  EXPECT_TRUE(accepted("path", "/mnt/models"));
  for (const auto* path : {"/", "data", "/data/", "/a/../b", "/etc", "/usr/lib", "/proc/1"}) {
    EXPECT_FALSE(accepted("path", path)) << path;
  }
}

}  // namespace
}  // namespace instantstart::capabilities
