#include "sandbox/kubernetes/cluster/pod_files.h"

#include <gtest/gtest.h>

#include "sandbox/kubernetes/cluster/testing/cluster_fixture.h"
#include "sandbox/kubernetes/cluster/testing/memory_buckets.h"

namespace instantstart::sandbox::kubernetes {
namespace {

TEST(BucketVolumes, OptionsAreReadInEverySpelling) {
  const auto volume = [](std::string_view rest) {
    const auto parsed = parse_json(fmt::format(
        R"({{"spec":{{{}"csi":{{"driver":"s3.csi.aws.com","volumeAttributes":{{"bucketName":"b"}}}}}}}})",
        rest));
    return bucket_volume_of(parsed->as_object()).value();
  };
  EXPECT_EQ(volume("").bucket, "b");
  EXPECT_EQ(volume(R"("mountOptions":["prefix a/b/"],)").prefix, "a/b/");
  EXPECT_EQ(volume(R"("mountOptions":["--prefix=a/"],)").prefix, "a/");
  EXPECT_TRUE(volume(R"("mountOptions":["allow-delete","allow-overwrite"],)").may_overwrite);
  EXPECT_TRUE(volume(R"("mountOptions":["read-only"],)").read_only);
  EXPECT_TRUE(volume(R"("accessModes":["ReadOnlyMany"],)").read_only);
  EXPECT_FALSE(volume(R"("accessModes":["ReadWriteMany"],)").read_only);
}

TEST(BucketVolumes, ThePodMayBeWhoMounts) {
  const auto parsed = parse_json(
      R"({"spec":{"csi":{"driver":"s3.csi.aws.com","volumeAttributes":{"authenticationSource":"pod"}}}})");
  EXPECT_TRUE(bucket_volume_of(parsed->as_object()).value().as_pod);
}

TEST(BucketVolumes, OtherDriversHaveNone) {
  EXPECT_FALSE(
      bucket_volume_of({{"spec", json::object{{"csi", json::object{{"driver", "fsx.csi.aws.com"}}}}}}));
}

class MountedBuckets : public ClusterFixture {
 protected:
  void SetUp() override {
    ClusterFixture::SetUp();
    running->runtime.set_buckets(buckets);
    join(node("n1"));
    buckets.buckets["data"]["runs/in.txt"] = "one\ntwo\n";
  }
  void install_driver() {
    create(
        R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"s3.csi.aws.com"},"spec":{}})");
  }
  void make_claim(std::string_view options = R"("prefix runs/")", std::string_view bucket = "data") {
    create(fmt::format(
        R"({{"apiVersion":"v1","kind":"PersistentVolume","metadata":{{"name":"v"}},"spec":{{
            "accessModes":["ReadWriteMany"],"capacity":{{"storage":"1200Gi"}},"mountOptions":[{}],
            "claimRef":{{"namespace":"default","name":"c"}},"storageClassName":"",
            "csi":{{"driver":"s3.csi.aws.com","volumeHandle":"h","volumeAttributes":{{"bucketName":"{}"}}}}}}}})",
        options, bucket));
    create(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c"},"spec":{
        "accessModes":["ReadWriteMany"],"storageClassName":"","volumeName":"v",
        "resources":{"requests":{"storage":"1200Gi"}}}})");
  }
  void run_shell(std::string_view script, std::string_view mount_rest = "") {
    create(pod_text(
        "p", "busybox",
        fmt::format(R"("command":["sh","-c","{}"],"volumeMounts":[{{"name":"d",{}"mountPath":"/data"}}],)",
                    script, mount_rest),
        R"("restartPolicy":"Never","volumes":[
                       {"name":"d","persistentVolumeClaim":{"claimName":"c"}}],)"));
    pass(seconds(30));
  }

  MemoryBuckets buckets;
};

TEST_F(MountedBuckets, APodReadsListsAndWrites) {
  install_driver();
  make_claim();
  buckets.buckets["data"]["runs/deep/x"] = "";
  buckets.buckets["data"]["elsewhere"] = "";
  run_shell("cat /data/in.txt; ls /data && echo out > /data/new/o.txt; cp /data/in.txt /data/copy");
  EXPECT_EQ(read_log(log_of("p")), "one\ntwo\ndeep\nin.txt\n");
  EXPECT_EQ(buckets.read("data", "runs/new/o.txt"), "out\n");
  EXPECT_EQ(buckets.read("data", "runs/copy"), "one\ntwo\n");
  EXPECT_EQ(buckets.writes, 2);
}

TEST_F(MountedBuckets, AFileIsReplacedOnlyWithTheOption) {
  install_driver();
  make_claim();
  run_shell("echo again > /data/in.txt");
  EXPECT_EQ(read_log(log_of("p")), "sh: can't create /data/in.txt: Operation not permitted\n");
  EXPECT_EQ(text(find_pod("p"), "status.containerStatuses.0.state.terminated.exitCode"), "1");
  EXPECT_EQ(buckets.writes, 0);
}

TEST_F(MountedBuckets, WithTheOptionItIsReplaced) {
  install_driver();
  make_claim(R"("prefix runs/","allow-overwrite")");
  run_shell("echo again > /data/in.txt; echo more >> /data/in.txt");
  EXPECT_EQ(buckets.read("data", "runs/in.txt"), "again\nmore\n");
}

TEST_F(MountedBuckets, AMountMayOnlyBeReadAndShowPartOfTheVolume) {
  install_driver();
  make_claim("");
  run_shell("cat /data/in.txt && ls /data; echo no > /data/new", R"("readOnly":true,"subPath":"runs",)");
  EXPECT_EQ(read_log(log_of("p")), "one\ntwo\nin.txt\nsh: can't create /data/new: Operation not permitted\n");
}

TEST_F(MountedBuckets, WithoutTheDriverThePodWaits) {
  make_claim();
  run_shell("cat /data/in.txt");
  EXPECT_EQ(container_state("p"), "waiting ContainerCreating");
  EXPECT_TRUE(has_event("FailedMount", "driver name s3.csi.aws.com not found"));
  install_driver();
  pass(seconds(30));
  EXPECT_EQ(read_log(log_of("p")), "one\ntwo\n");
}

TEST_F(MountedBuckets, ABucketThatIsNotThereHoldsThePod) {
  install_driver();
  make_claim("", "other");
  run_shell("ls /data");
  EXPECT_EQ(container_state("p"), "waiting ContainerCreating");
  EXPECT_TRUE(has_event("FailedMount", "The bucket does not exist"));
}

TEST_F(MountedBuckets, MapsAndSecretsAreFiles) {
  create(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"a.txt":"hello","b":"x"}})");
  create(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"token":"c2VjcmV0"}})");
  create(pod_text("p", "busybox",
                  R"("command":["sh","-c","ls /conf; cat /conf/sub/a /secret/token; echo x > /conf/y"],
                     "volumeMounts":[{"name":"m","mountPath":"/conf"},{"name":"s","mountPath":"/secret/"}],)",
                  R"("restartPolicy":"Never","volumes":[
                     {"name":"m","configMap":{"name":"m","items":[{"key":"a.txt","path":"sub/a"}]}},
                     {"name":"s","secret":{"secretName":"s"}}],)"));
  pass(seconds(30));
  EXPECT_EQ(read_log(log_of("p")), "sub\nhellosecret\nsh: can't create /conf/y: Operation not permitted\n");
}

}  // namespace
}  // namespace instantstart::sandbox::kubernetes
